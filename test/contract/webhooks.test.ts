/**
 * Webhooks over the whole service: whose they are, how many, and which addresses they may have
 * (docs/contract.md#webhooks).
 */
import { WEBHOOKS_MAX } from "@agon/api/notification/webhooks.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"

const PATH = "/v1/me/webhooks"
const URL = "https://hooks.example:8443/agon?for=ada@home.example"

const create = (url: unknown, as = "ada") => A.post(PATH, { url }, as)
const list = (as: string) => Effect.map(A.read(PATH, as), ({ json }) => json.webhooks as ReadonlyArray<Record<string, unknown>>)
const none = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM webhook`)

layer(Fixture.layer.pipe(Layer.provideMerge(A.layer)), A.options)("webhooks", (it) => {
  it.effect("belong to an account, which alone lists, tests and removes them, and show their secret once", () =>
    Effect.gen(function* () {
      yield* none
      const { json, status } = yield* create(URL)
      assert.strictEqual(status, 201)
      const { secret, ...webhook } = json
      assert.match(secret, /^whsec_[\w-]{43}$/)
      const { created_at, id, ...rest } = webhook
      assert.deepStrictEqual(rest, { url: URL, failing_since: null, disabled_at: null, last_at: null, last_outcome: null })
      assert.match(created_at, /Z$/)
      assert.deepStrictEqual(yield* list("ada"), [webhook])
      assert.deepStrictEqual(yield* list("bob"), [])
      for (const ask of [A.post(`${PATH}/${id}/test`, undefined, "bob"), A.remove(`${PATH}/${id}`, undefined, "bob")]) {
        assert.deepStrictEqual(A.refusal(yield* ask), [404, "not_found"])
      }
      for (const unknown of [Fixture.uuid("match", 99), "none"]) {
        assert.deepStrictEqual(A.refusal(yield* A.remove(`${PATH}/${unknown}`, undefined, "ada")), [404, "not_found"])
      }
      for (let n = 0; n < 3; n++) assert.deepStrictEqual((yield* A.post(`${PATH}/${id}/test`, undefined, "ada")).json, webhook)
      const waiting = yield* A.rows<{ readonly kind: string }>`SELECT kind FROM webhook_delivery WHERE webhook_id = ${id}`
      assert.deepStrictEqual(waiting, [{ kind: "test" }], "tests take each other's place")
      assert.deepStrictEqual((yield* A.remove(`${PATH}/${id}`, undefined, "ada")).json, webhook)
      assert.deepStrictEqual(yield* list("ada"), [])
      assert.deepStrictEqual(yield* A.rows`SELECT 1 FROM webhook_delivery WHERE webhook_id = ${id}`, [])
    })
  )

  it.effect("are five at most, also where many are made at one time", () =>
    Effect.gen(function* () {
      yield* none
      const made = yield* Effect.all(
        Array.from({ length: 12 }, (_, n) => create(`https://hooks.example/${n}`)),
        { concurrency: "unbounded" }
      )
      const statuses = made.map(({ status }) => status).sort()
      assert.deepStrictEqual(statuses, [...Array(WEBHOOKS_MAX).fill(201), ...Array(12 - WEBHOOKS_MAX).fill(409)])
      assert.deepStrictEqual(A.refusal(yield* create(URL)), [409, "webhook_cap_reached"])
      assert.strictEqual((yield* create(URL, "bob")).status, 201)
      assert.lengthOf(yield* list("ada"), WEBHOOKS_MAX)
    })
  )

  it.effect("have addresses of the web, without a name, a password or a fragment", () =>
    Effect.gen(function* () {
      yield* none
      const long = `https://hooks.example/${"a".repeat(2_000)}`
      const ill = [
        "",
        "hooks.example",
        "ftp://hooks.example/",
        "javascript:alert(1)",
        "https://",
        "https://a b/",
        "https://ada@hooks.example/"
      ]
      for (const url of [
        ...ill,
        "https://ada:pw@hooks.example/",
        "https://hooks.example/#x",
        "https://[::1/",
        "http://\\x",
        long,
        7,
        null
      ]) {
        assert.deepStrictEqual(A.refusal(yield* create(url)), [400, "invalid_request"], String(url))
      }
      assert.deepStrictEqual(yield* list("ada"), [])
    })
  )
})
