/**
 * Signing in where several nodes on one database share the secret: whichever the browser comes
 * back to, it comes back once.
 */

import { Accounts, sha256 } from "@agon/server/account/Accounts.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { STATE_LIFETIME_S } from "@agon/server/account/signin/SignInState.ts"
import { makeQueries } from "@agon/server/account/signin/signInQueries.ts"
import { Words } from "@agon/server/account/Words.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { eventually } from "../support/eventually.ts"
import { holdingUntil } from "../support/holding.ts"
import * as Postgres from "../support/Postgres.ts"
import { seedAccounts } from "../support/Web.ts"

/** Happens while the provider is asked who came back. */
const meanwhile = { happens: Effect.void }
/** Lets everybody in who comes back. */
const provider = {
  slug: "hub",
  label: "Hub",
  this_machine_only: false,
  begin: (redirect_uri: string, { state }: { readonly state: string }) => Effect.succeed(new URL(`${redirect_uri}?code=x&state=${state}`)),
  complete: () =>
    Effect.as(
      Effect.suspend(() => meanwhile.happens),
      { provider: "hub", subject: "7", login: "ada", name: "Ada", email: undefined }
    )
}
const node = Effect.map(
  Layer.build(
    Layer.fresh(
      SignIn.layer({ secret: "shared", admin: undefined }).pipe(
        Layer.provide([Accounts.layer, Layer.succeed(Providers, { list: [provider], bySlug: () => provider })]),
        Layer.provide([Words.layer, ResponseCache.layer])
      )
    )
  ),
  Context.get(SignIn)
)

const begun = ({ begin }: SignIn["Service"], session_token = "") =>
  Effect.map(begin("hub", { return_to: undefined, session_token, from_elsewhere: false }), ({ cookie, location }) => ({
    ...{ provider: "hub", url: new URL(location), state_cookie: cookie, session_token, user_agent: undefined }
  }))
/** The outcome of a callback. */
const end = ({ complete }: SignIn["Service"], callback: Parameters<SignIn["Service"]["complete"]>[0]) =>
  complete(callback).pipe(
    Effect.map(() => "signed in"),
    Effect.catchTag("SignInRefused", ({ code }) => Effect.succeed(code))
  )
const kept = Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.map(sql`SELECT 1 FROM sign_in_used`, (rows) => rows.length))

const database = Layer.effectDiscard(seedAccounts).pipe(Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 8 })))

layer(database)("a sign-in among nodes", (it) => {
  it.effect("ends on whichever node the browser comes to, and nowhere a second time", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* node, yield* node]
      const callback = yield* begun(here)
      assert.strictEqual(yield* end(there, callback), "signed in")
      for (const again of [here, there, yield* node]) assert.strictEqual(yield* end(again, callback), "invalid_state")
      const forged = { ...(yield* begun(here)), url: new URL("http://localhost:8080/v1/auth/hub/callback?code=x&state=other") }
      assert.strictEqual(yield* end(here, forged), "invalid_state")
      assert.strictEqual(yield* end(there, { ...forged, url: callback.url }), "invalid_state", "a wrong answer has used it up")
    })
  )

  it.effect("ends once of many times at one time", () =>
    Effect.gen(function* () {
      const nodes = [yield* node, yield* node]
      const callback = yield* begun(nodes[0]!)
      const ends = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) => end(nodes[n % 2]!, callback), { concurrency: "unbounded" })
      assert.strictEqual(ends.filter((one) => one === "signed in").length, 1)
    })
  )

  it.effect("is forgotten when it could not come again anyway", () =>
    Effect.gen(function* () {
      const here = yield* node
      for (let n = 0; n < 5; n++) yield* end(here, yield* begun(here))
      assert.isAtLeast(yield* kept, 5)
      const late = yield* begun(here)
      yield* TestClock.adjust(`${STATE_LIFETIME_S} seconds`)
      assert.strictEqual(yield* end(here, late), "invalid_state")
      yield* end(here, yield* begun(here))
      assert.isAtLeast(yield* kept, 6, "clocks of nodes differ: a state is remembered for as long again")
      yield* TestClock.adjust(`${STATE_LIFETIME_S} seconds`)
      yield* end(here, yield* begun(here))
      assert.strictEqual(yield* kept, 2)
    })
  )

  it.effect("links nothing to an account that is suspended, or whose session ends, while the provider is asked", () =>
    Effect.gen(function* () {
      const here = yield* node
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM identity`
      const run = (statement: Effect.Effect<unknown, unknown>) => Effect.orDie(Effect.asVoid(statement))
      const linking = Effect.fnUntraced(function* (username: string, happens: Effect.Effect<void>) {
        const callback = yield* begun(here, `${username}-token`)
        meanwhile.happens = happens
        const ended = yield* Effect.ensuring(
          end(here, callback),
          Effect.sync(() => {
            meanwhile.happens = Effect.void
          })
        )
        return [ended, (yield* sql`SELECT 1 FROM identity`).length]
      })
      const suspended = run(sql`UPDATE account SET suspended = true WHERE username = 'ada'`)
      assert.deepStrictEqual(yield* linking("ada", suspended), ["invalid_state", 0])
      const signedOut = run(sql`DELETE FROM session WHERE account_id = (SELECT id FROM account WHERE username = 'bob')`)
      assert.deepStrictEqual(yield* linking("bob", signedOut), ["invalid_state", 0])
      const endsAt = (at: string) =>
        run(sql`UPDATE session SET expires_at = ${at}::timestamptz WHERE account_id = (SELECT id FROM account WHERE username = 'root')`)
      assert.deepStrictEqual(yield* linking("root", endsAt("epoch")), ["invalid_state", 0])
      yield* endsAt("2099-01-01")
      assert.deepStrictEqual(yield* linking("root", Effect.void), ["signed in", 1])
    })
  )

  it.effect("waits for a suspension of the account that it is of, and is refused by it", () =>
    Effect.gen(function* () {
      const here = yield* node
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* end(here, yield* begun(here)), "signed in")
      const suspended = (is: boolean) =>
        sql`UPDATE account SET suspended = ${is} WHERE id IN (SELECT account_id FROM identity WHERE provider = 'hub' AND subject = '7')`
      const done = yield* holdingUntil(suspended(true))
      const signing = yield* Effect.forkChild(Effect.flatMap(begun(here), (callback) => end(here, callback)))
      const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      yield* eventually(
        "the sign-in is over or waits",
        Effect.map(waiting, ({ length }) => length > 0 || signing.pollUnsafe() !== undefined)
      )
      yield* done
      assert.strictEqual(yield* Fiber.join(signing), "account_suspended")
      yield* suspended(false)
    })
  )

  it.effect("holds up no season that tells its account something", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const queries = yield* makeQueries
      const [account] = yield* sql<{ readonly id: string }>`SELECT id FROM account WHERE username = 'root'`
      const now = yield* DateTime.nowAsDate
      yield* queries.putIdentity({ ...{ provider: "hub", subject: "8", login: "root", email: null }, account_id: account!.id, now })
      const asking = { account_id: account!.id, token_sha256: sha256("root-token"), now }
      const [returning, linking] = [queries.holderOf({ provider: "hub", subject: "8" }), queries.holdAsking(asking)]
      for (const isHeld of [Effect.map(returning, Option.isSome), Effect.map(linking, Option.isSome)]) {
        const done = yield* holdingUntil(Effect.map(isHeld, (held) => assert.isTrue(held)))
        const told = sql`INSERT INTO notification (id, account_id, kind, subject, created_at)
          VALUES (gen_random_uuid(), ${account!.id}, 'season_closed', 'Over', now())`
        yield* sql.withTransaction(Effect.andThen(sql`SET LOCAL lock_timeout = '1s'`, told))
        yield* done
      }
    })
  )
})
