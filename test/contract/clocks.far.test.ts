/**
 * Nodes whose clocks differ by 40 minutes share a database, beyond what any sign-in, address or delivery lasts: one
 * writes until when it is whose, another compares that with the present.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SignedIn } from "@agon/api/Authorization.ts"
import { Accounts } from "@agon/server/account/Accounts.ts"
import { DeviceSignIns } from "@agon/server/account/device/DeviceSignIns.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { Words } from "@agon/server/account/Words.ts"
import { LocalMailboxes } from "@agon/server/actor/LocalMailboxes.ts"
import { CheckShares } from "@agon/server/config/CheckShares.ts"
import type { SettingsShape } from "@agon/server/config/Settings.ts"
import { SharedClock } from "@agon/server/database/SharedClock.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { ReplayCheck } from "@agon/server/match/check/ReplayCheck.ts"
import { MatchVoiding } from "@agon/server/match/MatchVoiding.ts"
import { makeTell } from "@agon/server/notification/Notifications.ts"
import { WebhookDelivery, WebhookGuard } from "@agon/server/notification/webhook/WebhookDelivery.ts"
import { Webhooks } from "@agon/server/notification/webhook/Webhooks.ts"
import { LocalObjects } from "@agon/server/object/directory/LocalObjects.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { objectLayers } from "@agon/server/objectLayers.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Metric, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { seeded } from "../support/AddressedDatabase.ts"
import { eventually } from "../support/eventually.ts"
import { built, onHost } from "../support/onHost.ts"
import { receiver } from "../support/Receiver.ts"

const AHEAD = 20 * 60_000
const BEHIND = -AHEAD
const DAY_MS = 86_400_000
const PAIRS = [
  ["ahead", "behind", AHEAD, BEHIND],
  ["behind", "ahead", BEHIND, AHEAD]
] as const

const account = (username: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<SignedIn>`SELECT id, username, admin FROM account WHERE username = ${username}`, ([row]) => row!)
  )

/** Lets everybody in who comes back. */
const provider = {
  slug: "hub",
  label: "Hub",
  this_machine_only: false,
  begin: (redirect_uri: string, { state }: { readonly state: string }) => Effect.succeed(new URL(`${redirect_uri}?code=x&state=${state}`)),
  complete: () => Effect.succeed({ provider: "hub", subject: "7", login: "far", name: "Far", email: undefined })
}
const accounts = Accounts.layer.pipe(Layer.provide([Words.layer, ResponseCache.layer]))
const signIns = SignIn.layer({ secret: "shared", admin: undefined }).pipe(
  Layer.provide([accounts, Layer.succeed(Providers, { list: [provider], bySlug: () => provider })]),
  Layer.provide([Words.layer, ResponseCache.layer])
)

layer(seeded, { excludeTestServices: true })("a sign-in among nodes whose clocks differ", (it) => {
  for (const [here, there, at, other] of PAIRS) {
    it.effect(`that begins at the node that is ${here} ends at the one that is ${there}`, () =>
      Effect.gen(function* () {
        const node = Effect.map(built(signIns), Context.get(SignIn))
        const asked = { return_to: undefined, session_token: "", from_elsewhere: false }
        const { cookie, location } = yield* onHost(
          at,
          Effect.flatMap(node, ({ begin }) => begin("hub", asked))
        )
        const callback = { provider: "hub", url: new URL(location), state_cookie: cookie, session_token: "", user_agent: undefined }
        yield* onHost(
          other,
          Effect.flatMap(node, ({ complete }) => complete(callback))
        )
        const again = onHost(
          other,
          Effect.flatMap(node, ({ complete }) => Effect.flip(complete(callback)))
        )
        assert.deepInclude(yield* again, { code: "invalid_state" })
      })
    )

    it.effect(`of a device whose code the node that is ${here} has made is waited for at the one that is ${there}`, () =>
      Effect.gen(function* () {
        const node = Effect.map(built(DeviceSignIns.layer.pipe(Layer.provide(accounts))), Context.get(DeviceSignIns))
        const { device_code } = yield* onHost(
          at,
          Effect.flatMap(node, ({ begin }) => begin("a device", "203.0.113.7"))
        )
        const said = yield* onHost(
          other,
          Effect.flatMap(node, ({ complete }) => Effect.flip(complete(device_code)))
        )
        assert.strictEqual(said.code, "authorization_pending")
      })
    )
  }
})

const onLoopback = Layer.succeed(WebhookGuard, (address: string) => address === "127.0.0.1")
const delivering = WebhookDelivery.layerIdle.pipe(Layer.provide(onLoopback))
const roundAt = (ahead_ms: number) =>
  onHost(
    ahead_ms,
    Effect.flatMap(built(delivering), (node) => Context.get(node, WebhookDelivery).round)
  )
const tellAt = (ahead_ms: number, accounts: ReadonlyArray<string>) =>
  onHost(
    ahead_ms,
    Effect.flatMap(makeTell, (tell) => tell({ kind: "comment_reply", accounts, subject: "News.", link: null }))
  )

layer(Webhooks.layer.pipe(Layer.provideMerge(seeded)), { excludeTestServices: true })("deliveries of nodes whose clocks differ", (it) => {
  const begin = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`TRUNCATE webhook, webhook_delivery, notification CASCADE`
    const ada = yield* account("ada")
    const at = yield* receiver
    yield* (yield* Webhooks).create(ada, `http://127.0.0.1:${at.port}/`)
    return { ada, at, sql }
  })

  it.effect("are not made a second time by the node that is ahead", () =>
    Effect.gen(function* () {
      const { ada, at } = yield* begin
      at.answer = () => undefined
      yield* tellAt(BEHIND, [ada.id])
      const first = yield* Effect.forkChild(roundAt(BEHIND))
      yield* eventually(
        "the first post",
        Effect.sync(() => at.received.length === 1)
      )
      at.answer = (response) => void response.writeHead(204).end()
      assert.strictEqual(yield* roundAt(AHEAD), 0)
      assert.lengthOf(at.received, 1)
      yield* Fiber.interrupt(first)
    })
  )

  it.effect("of what the node that is ahead has told are made at once by the one that is behind", () =>
    Effect.gen(function* () {
      const { ada, at } = yield* begin
      yield* tellAt(AHEAD, [ada.id])
      assert.strictEqual(yield* roundAt(BEHIND), 1)
      assert.lengthOf(at.received, 1)
    })
  )

  it.effect("that fail once are not given up by a node whose clock is two days ahead", () =>
    Effect.gen(function* () {
      const { ada, at, sql } = yield* begin
      at.answer = (response) => void response.writeHead(503).end()
      yield* tellAt(0, [ada.id])
      assert.strictEqual(yield* roundAt(2 * DAY_MS), 1)
      const left = yield* sql<{ readonly soon: boolean }>`SELECT due_at < now() + interval '1 minute' AS soon FROM webhook_delivery`
      assert.deepStrictEqual(left, [{ soon: true }])
    })
  )
})

layer(seeded, { excludeTestServices: true })("signed addresses of nodes whose clocks differ", (it) => {
  for (const [here, there, at, other] of PAIRS) {
    it.effect(`of the node that is ${here} are good at the one that is ${there}, for as long as they last`, () =>
      Effect.gen(function* () {
        const directory = mkdtempSync(join(tmpdir(), "agon-far-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
        const settings = { directory, node: { host: "127.0.0.1", port: 1 }, public_origin: "http://localhost:8080", s3: undefined }
        const { store } = objectLayers(settings as unknown as SettingsShape, { object_urls: Redacted.make("s".repeat(32)) })
        const node = built(store.pipe(Layer.provide(SharedClock.layer)))
        const request = { key: "incoming/far/weights", sha256: null, max_bytes: 10, expires_s: 600 }
        const put = (expires_s: number) =>
          onHost(
            at,
            Effect.flatMap(node, (made) => Context.get(made, ObjectStore).presignPut({ ...request, expires_s }))
          )
        const read = (url: string) =>
          onHost(
            other,
            Effect.flatMap(node, (made) => (made.mapUnsafe.get(LocalObjects.key) as LocalObjects["Service"]).urls.read("PUT", url))
          )
        const pathOf = ({ url }: { readonly url: string }) => url.slice(new URL(url).origin.length)
        assert.deepInclude(yield* read(pathOf(yield* put(600))), { key: request.key })
        assert.notProperty(yield* read(pathOf(yield* put(-60))), "key")
      }).pipe(Effect.scoped)
    )
  }
})

layer(seeded, { excludeTestServices: true })("a node whose clock is behind", (it) => {
  it.effect("does not put back how far another has checked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE match_check DISABLE TRIGGER ALL`
      yield* sql`INSERT INTO match_check (season_id, ended_at, match_id, complete)
        SELECT gen_random_uuid(), now() - interval '30 seconds', gen_random_uuid(), false`
      const found = sql<{ readonly ended_at: Date; readonly match_id: string }>`SELECT ended_at, match_id FROM match_check`
      const before = yield* found
      const check = ReplayCheck.layer({ nodes: Redacted.make("secret") }).pipe(
        Layer.provide([Layer.mock(MatchVoiding, {}), Layer.mock(ObjectStore, {}), LocalMailboxes.layer]),
        Layer.provide(Layer.succeed(CheckShares, { audit: 0, replay_check: 0 }))
      )
      yield* onHost(
        BEHIND,
        Effect.flatMap(built(check), (node) => Context.get(node, ReplayCheck).look)
      )
      assert.deepStrictEqual(yield* found, before)
    })
  )

  it.effect("says so, in its log and to Prometheus", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const heard = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
      const measured = onHost(BEHIND, Effect.andThen(built(SharedClock.layer), Metric.snapshot)).pipe(Effect.scoped, Effect.provide(heard))
      const gauge = (yield* measured).find(({ id }) => id === "agon_clock_ahead_seconds")
      assert.closeTo((gauge!.state as { readonly value: number }).value, BEHIND / 1000, 5)
      assert.match(lines.join("\n"), /this machine's clock is not the database's; set both by NTP/)
    })
  )
})
