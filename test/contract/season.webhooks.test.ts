/**
 * Webhooks of seasons over the whole service: who has them, how many, what the log says of them
 * (docs/contract.md#webhooks-of-a-season).
 */
import { SEASON_WEBHOOKS_MAX } from "@agon/api/notification/seasonWebhooks.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"

const URL = "https://hooks.example:8443/agon?token=private"
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

layer(web, A.options)("webhooks of a season", (it) => {
  it.effect("are made, changed, given another secret, tested and removed by any of its administrators, and by nobody else", () =>
    Effect.gen(function* () {
      const { id: season, url } = yield* A.scheduled("hooked")
      const path = url("/webhooks")
      const { json, status } = yield* A.post(path, { url: URL }, "ada")
      assert.strictEqual(status, 201)
      const { secret, ...webhook } = json
      assert.match(secret, /^whsec_[\w-]{43}$/)
      const { created_at: _, id, ...rest } = webhook
      const fresh = { failing_since: null, disabled_at: null, last_at: null, last_outcome: null }
      assert.deepStrictEqual(rest, { url: URL, ...fresh, created_by: "ada", permitted: true })
      const at = `${path}/${id}`
      assert.deepStrictEqual((yield* A.read(path)).json, { webhooks: [webhook] }, "root sees it, too")
      assert.deepStrictEqual((yield* A.read("/v1/me/webhooks", "ada")).json, { webhooks: [] }, "it is not among her own")
      for (const ask of [A.read(path, "bob"), A.post(path, { url: URL }, "bob"), A.remove(at, undefined, "bob")]) {
        assert.deepStrictEqual(A.refusal(yield* ask), [403, "season_admin_only"])
      }
      const moved = (yield* A.patch(at, { url: "https://other.example/" })).json
      assert.deepStrictEqual(moved, { ...webhook, url: "https://other.example/" })
      assert.deepStrictEqual((yield* A.patch(at, {}, "ada")).json, moved)
      assert.deepStrictEqual(A.refusal(yield* A.patch(at, { url: "ftp://other.example/" })), [400, "invalid_request"])
      assert.deepStrictEqual(A.refusal(yield* A.patch(at, { enabled: "no" })), [400, "invalid_request"])
      yield* A.post(`${at}/test`, undefined, "ada")
      const waiting = A.rows`SELECT kind FROM webhook_delivery WHERE webhook_id = ${id}`
      assert.deepStrictEqual(yield* waiting, [{ kind: "test" }])
      assert.isString((yield* A.patch(at, { enabled: false })).json.disabled_at)
      assert.deepStrictEqual(yield* waiting, [], "what waits for one that is off is told no more")
      assert.isNull((yield* A.patch(at, { enabled: true })).json.disabled_at)
      const rotated = (yield* A.post(`${at}/secret`)).json
      assert.match(rotated.secret, /^whsec_[\w-]{43}$/)
      assert.notStrictEqual(rotated.secret, secret)
      assert.deepStrictEqual((yield* A.read(`${at}/deliveries`)).json, { deliveries: [] })
      assert.deepStrictEqual((yield* A.remove(at)).json, moved)
      assert.deepStrictEqual((yield* A.read(path)).json, { webhooks: [] })
      for (const ask of [A.remove(at), A.patch(at, {}), A.post(`${at}/secret`), A.post(`${at}/test`), A.read(`${at}/deliveries`)]) {
        assert.deepStrictEqual(A.refusal(yield* ask), [404, "not_found"])
      }
      assert.deepStrictEqual(A.refusal(yield* A.remove(`${path}/none`)), [404, "not_found"])
      const log = yield* A.log(season)
      const edits = log.filter(([, action]: any) => action === "webhook.edit")
      assert.lengthOf(edits, 3, "moved, off and on; an edit that changed nothing is not logged")
      assert.notInclude(JSON.stringify(log), "token=private", "an address may be a secret of the receiver")
    })
  )

  it.effect("are no other season's and no account's, whoever asks with their id", () =>
    Effect.gen(function* () {
      const ours = yield* A.scheduled("ours-hooked")
      const theirs = yield* A.scheduled("theirs-hooked")
      const made = (yield* A.post(ours.url("/webhooks"), { url: URL }, "ada")).json
      const own = (yield* A.post("/v1/me/webhooks", { url: URL }, "ada")).json
      for (const path of [theirs.url(`/webhooks/${made.id}`), `/v1/me/webhooks/${made.id}`, ours.url(`/webhooks/${own.id}`)]) {
        for (const ask of [A.patch(path, { enabled: false }, "ada"), A.post(`${path}/secret`, undefined, "ada")]) {
          assert.deepStrictEqual(A.refusal(yield* ask), [404, "not_found"], path)
        }
        assert.deepStrictEqual(A.refusal(yield* A.read(`${path}/deliveries`, "ada")), [404, "not_found"], path)
      }
      const { detail } = (yield* A.patch(theirs.url(`/webhooks/${made.id}`), { enabled: false }, "ada")).json
      assert.strictEqual(detail, `Season theirs-hooked has no webhook ${made.id}.`)
      const at = `/v1/me/webhooks/${own.id}`
      assert.isString((yield* A.patch(at, { enabled: false }, "ada")).json.disabled_at)
      const on = yield* A.patch(at, { enabled: true, url: "https://other.example/" }, "ada")
      assert.deepStrictEqual([on.json.disabled_at, on.json.url], [null, "https://other.example/"])
      assert.notStrictEqual((yield* A.post(`${at}/secret`, undefined, "ada")).json.secret, own.secret)
      assert.deepStrictEqual((yield* A.read(`${at}/deliveries`, "ada")).json, { deliveries: [] })
    })
  )

  it.effect("are five at most, also where many are made at one time", () =>
    Effect.gen(function* () {
      const { url } = yield* A.scheduled("crowded")
      const made = yield* Effect.all(
        Array.from({ length: 9 }, (_, n) => A.post(url("/webhooks"), { url: `https://hooks.example/${n}` }, n % 2 === 0 ? "ada" : "root")),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(made.map(({ status }) => status).sort(), [
        ...Array(SEASON_WEBHOOKS_MAX).fill(201),
        ...Array(9 - SEASON_WEBHOOKS_MAX).fill(409)
      ])
      assert.deepStrictEqual(A.refusal(yield* A.post(url("/webhooks"), { url: URL })), [409, "webhook_cap_reached"])
    })
  )

  it.effect("of a private season are hidden with it", () =>
    Effect.gen(function* () {
      const { url } = yield* A.scheduled("hidden-hooked", { visibility: "private" })
      assert.strictEqual((yield* A.post(url("/webhooks"), { url: URL }, "ada")).status, 201)
      const hidden = yield* A.read(url("/webhooks"), "bob")
      const none = yield* A.read(A.urlOf("no-such-season", "/webhooks"), "bob")
      assert.deepStrictEqual(A.refusal(hidden), A.refusal(none))
      assert.isAtLeast(hidden.status, 403)
    })
  )
})
