/**
 * Two whole services on one database, over sockets: an administrator's decision on one holds on the
 * other with the next request.
 */

import { firstPage } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Browser, signIn } from "../support/Browser.ts"
import * as Postgres from "../support/Postgres.ts"
import { Service, type ServiceShape, layer as serviceLayer } from "../support/Service.ts"

class Nodes extends Context.Service<Nodes, { readonly here: ServiceShape; readonly there: ServiceShape }>()("test/Nodes") {}

const nodes = Layer.effect(
  Nodes,
  Effect.gen(function* () {
    const database_url = yield* Postgres.url({ migrate: true })
    const node = Effect.map(Layer.build(Layer.fresh(serviceLayer({ database_url }))), Context.get(Service))
    return { here: yield* node, there: yield* node }
  })
)

const refusal = <A, E extends { readonly _tag: string }>(call: Effect.Effect<A, E>) =>
  Effect.match(retryRefused(call), { onFailure: ({ _tag }) => _tag, onSuccess: () => undefined })

layer(nodes, { excludeTestServices: true })("an administrator among nodes", (it) => {
  it.effect("suspends an account everywhere, and lets it in again", () =>
    Effect.gen(function* () {
      const { here, there } = yield* Nodes
      const root = yield* here.as("admin")
      const mallory = yield* there.as("mallory")
      assert.isUndefined(yield* refusal(mallory.account.editMe({ payload: { bio: "Hello." } })))
      const { users } = yield* root.platform.users({ query: { q: "MALL", ...firstPage() } })
      assert.deepStrictEqual(
        users.map(({ identities, suspended, username }) => [username, suspended, identities]),
        [["mallory", false, [{ provider: "dev", login: "mallory" }]]]
      )
      const suspend = (suspended: boolean) => root.platform.editUser({ params: { username: "mallory" }, payload: { suspended } })
      assert.isTrue((yield* suspend(true)).suspended)
      for (const call of [mallory.account.me(), mallory.account.editMe({ payload: { bio: "Still here." } })])
        assert.strictEqual(yield* refusal(call), "unauthenticated")
      const end = yield* Effect.promise(() => signIn(new Browser(), there.origin, "mallory"))
      assert.include(end.headers.get("location"), "account_suspended")
      yield* suspend(false)
      const again = yield* there.as("mallory")
      assert.strictEqual((yield* again.account.me()).bio, "Hello.")
      assert.strictEqual(yield* refusal(mallory.account.me()), "unauthenticated", "a session that has ended does not come back")
    })
  )

  it.effect("puts somebody in office, who keeps the word list on the other node, and the log has it all", () =>
    Effect.gen(function* () {
      const { here, there } = yield* Nodes
      const root = yield* here.as("admin")
      const ada = yield* there.as("ada")
      const page = { query: firstPage() }
      assert.strictEqual(yield* refusal(ada.platform.words(page)), "admin_only")
      yield* root.platform.editUser({ params: { username: "ada" }, payload: { admin: true } })
      assert.strictEqual((yield* ada.platform.addWord({ payload: { word: "Blöd" } })).word, "Blöd")
      assert.strictEqual(yield* refusal(root.account.editMe({ payload: { bio: "so BLOD" } })), "note_word_listed")
      assert.strictEqual(yield* refusal(root.platform.editUser({ params: { username: "admin" }, payload: { admin: false } })), "own_admin")
      yield* ada.platform.editUser({ params: { username: "admin" }, payload: { admin: false } })
      assert.strictEqual(yield* refusal(root.platform.removeWord({ params: { word: "blod" } })), "admin_only")
      const { audit } = yield* ada.platform.audit(page)
      assert.deepStrictEqual(
        audit.slice(0, 3).map(({ action, actor, subject }) => [actor, action, subject]),
        [
          ["ada", "user.edit", "admin"],
          ["ada", "word.add", "Blöd"],
          ["admin", "user.edit", "ada"]
        ]
      )
      assert.deepStrictEqual((yield* ada.moderation.moderatedThreads(page)).threads, [])
    })
  )
})
