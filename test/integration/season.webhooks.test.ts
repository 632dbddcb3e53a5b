/**
 * A season's events are posted to its webhooks: written by the commit of the event, on PostgreSQL,
 * to real receivers on loopback.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import type { SignedIn } from "@agon/api/Authorization.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { seasonWebhookPart } from "@agon/server/actor/store/seasonWebhooks.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { SeasonWebhooks } from "@agon/server/notification/webhook/SeasonWebhooks.ts"
import { WebhookDelivery, WebhookGuard } from "@agon/server/notification/webhook/WebhookDelivery.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Address, seeded } from "../support/AddressedDatabase.ts"
import { eventually } from "../support/eventually.ts"
import { receiver, signedAt } from "../support/Receiver.ts"
import { beginSeason, season } from "../support/SeasonCommits.ts"
import { id, lease, report, submit } from "../support/SeasonScript.ts"

const inPath = { id: season, game: "snakes", slug: season } as never

const onLoopback = Layer.succeed(WebhookGuard, (address: string) => address === "127.0.0.1")
const store = SeasonStorePg.layer.pipe(Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)))
const here = Layer.mergeAll(store, SeasonWebhooks.layer, WebhookDelivery.layerIdle.pipe(Layer.provide(onLoopback))).pipe(
  Layer.provideMerge(seeded)
)

const round = Effect.flatMap(WebhookDelivery, ({ round }) => round)
const deliver = Effect.gen(function* () {
  while ((yield* round) > 0);
})

/** A season whose first person administers it. */
const begin = Effect.gen(function* () {
  const begun = yield* beginSeason
  const admin: SignedIn = { id: id("owner", 1), username: "owner1", admin: false } as never
  yield* begun.sql.unsafe("INSERT INTO season_admin (season_id, account_id, added_at) VALUES ($1, $2, now())", [season, admin.id])
  const webhooks = yield* SeasonWebhooks
  const hook = Effect.fnUntraced(function* () {
    const at = yield* receiver
    return { at, hook: yield* webhooks.create(admin, inPath, `http://127.0.0.1:${at.port}/season`) }
  })
  return { ...begun, admin, hook, webhooks }
})

const waiting = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql.unsafe<{ readonly kind: string; readonly subject: string; readonly link: string }>(
    "SELECT kind, subject, link FROM webhook_delivery ORDER BY created_at, kind, id"
  )
  return rows.map(({ kind, link, subject }) => `${kind}: ${subject} ${link}`)
})
const clear = Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe("DELETE FROM webhook_delivery"))

const under = `/v1/games/snakes/seasons/${season}`

layer(here)("the webhooks of a season", (it) => {
  it.effect("are told who enters and leaves, when rounds start, what is voided, and of the close, by the commit of the event", () =>
    Effect.gen(function* () {
      const { hook, later, now, obey, play, sql, state } = yield* begin
      yield* hook()
      for (const n of [1, 2]) yield* obey(submit(n))
      assert.deepStrictEqual(yield* waiting, [], "a candidate is its owner's business")
      for (let i = 0; i < 6; i++) yield* play
      const of = (n: number) => `/v1/versions/${id("version", n)}`
      assert.sameMembers(yield* waiting, [
        `version_entered: Version 1 of model has entered Spring. ${of(1)}`,
        `version_entered: Version 1 of model has entered Spring. ${of(2)}`
      ])
      yield* clear
      yield* obey({ _tag: "Disqualify", version: id("version", 2), reason: "It broke the rules." })
      yield* obey({ _tag: "Reinstate", version: id("version", 2) })
      yield* obey({ _tag: "PlanRound", kind: "round", games: 2, starts_at: now() + 1_000 })
      assert.lengthOf(yield* waiting, 2, "a round that is planned has not begun")
      later(2_000)
      yield* obey({ _tag: "Tick" })
      assert.deepStrictEqual(yield* waiting, [
        `version_disqualified: Version 1 of model was disqualified in Spring. ${of(2)}`,
        `version_reinstated: Version 1 of model plays again in Spring. ${of(2)}`,
        `round_started: Round 1 of Spring has started. ${under}`
      ])
      yield* clear
      for (let i = 0; i < 3; i++) yield* play
      assert.deepStrictEqual(yield* waiting, [], "matches that are rated are not told")
      for (const match of [7, 8].map((n) => id("version", n))) {
        state.writes.voided.push({ id: match, detail: "It was not so." })
        state.events.push({ _tag: "MatchVoided", match, versions: [] })
      }
      yield* obey({ _tag: "Tick" })
      yield* obey({ _tag: "CloseSeason" })
      later(120_000)
      yield* obey({ _tag: "Tick" })
      assert.deepStrictEqual(yield* waiting, [
        `match_voided: 2 matches of Spring were voided. ${under}`,
        `season_closed: Spring is closed. ${under}/podium`
      ])
      const [row] = yield* sql.unsafe<{ at: number }>("SELECT (extract(epoch FROM due_at) * 1000)::int AS at FROM webhook_delivery LIMIT 1")
      assert.isAtLeast(row!.at, 2_000, "at the season's time")
    })
  )

  it.effect("cost a commit of play nothing: it has no part for them, with or without a webhook", () =>
    Effect.gen(function* () {
      const { commit, hook, obey, play, state, stepOnly } = yield* begin
      for (const n of [1, 2, 3, 4]) yield* obey(submit(n))
      for (let i = 0; i < 8; i++) yield* play
      for (const many of [0, 1]) {
        for (let n = 0; n < many; n++) yield* hook()
        const works = yield* obey(lease({ max: 2 }))
        assert.strictEqual(works[0]?.kind, "match")
        for (const work of works) stepOnly(report(work))
        assert.isAbove(state.writes.ended.length, 0)
        assert.isTrue(state.events.some(({ _tag }) => _tag === "MatchRated"))
        assert.isNull(seasonWebhookPart(state))
        yield* commit
      }
      stepOnly({ _tag: "Disqualify", version: id("version", 1), reason: "It broke the rules." })
      assert.isNotNull(seasonWebhookPart(state))
    })
  )

  it.effect("hear of nothing that did not hold, and once of what did, also where the answer was lost", () =>
    Effect.gen(function* () {
      const { fence, hook, obey, play, state, stepOnly, store } = yield* begin
      yield* hook()
      yield* obey(submit(1))
      for (let i = 0; i < 4; i++) yield* play
      yield* clear
      stepOnly({ _tag: "Disqualify", version: id("version", 1), reason: "It broke the rules." })
      const before = fence()
      yield* store.commit(before, state)
      assert.lengthOf(yield* waiting, 1)
      assert.strictEqual((yield* Effect.flip(store.commit(before, state)))._tag, "Fenced")
      assert.lengthOf(yield* waiting, 1)
    })
  )

  it.effect("are posted to, signed, with the season; the last twenty attempts are kept", () =>
    Effect.gen(function* () {
      const { admin, hook, obey, webhooks } = yield* begin
      yield* TestClock.adjust("1 hour")
      const { at, hook: made } = yield* hook()
      yield* obey({ _tag: "CloseSeason" })
      yield* deliver
      const [said, ...others] = at.received
      assert.deepStrictEqual(others, [])
      const { created_at: _, id: __, ...rest } = JSON.parse(said!.body)
      const about = { kind: "season_closed", subject: "Spring is closed.", link: `${under}/podium` }
      assert.deepStrictEqual(rest, { ...about, game: "snakes", season })
      assert.strictEqual(signedAt(said!, made.secret), 3_600)
      const rotated = yield* webhooks.rotate(admin, inPath, made.id)
      assert.notStrictEqual(rotated.secret, made.secret)
      for (let n = 0; n < 24; n++) {
        yield* webhooks.test(admin, inPath, made.id)
        yield* deliver
      }
      assert.isDefined(signedAt(at.received.at(-1)!, rotated.secret))
      assert.isUndefined(signedAt(at.received.at(-1)!, made.secret))
      const { deliveries } = yield* webhooks.deliveries(inPath, made.id)
      assert.lengthOf(deliveries, 20)
      const newest = JSON.parse(at.received.at(-1)!.body)
      const { at: when, ...first } = deliveries[0]!
      assert.strictEqual(when, "1970-01-01T01:00:00.000Z")
      const subject = "This is a test of the season's webhook."
      assert.deepStrictEqual(first, { id: newest.id, kind: "test", subject, attempt: 1, outcome: "204" })
    })
  )

  it.effect("are told nothing once whoever made them is suspended or no longer administers the season", () =>
    Effect.gen(function* () {
      const { admin, hook, obey, play, sql, webhooks } = yield* begin
      const { at } = yield* hook()
      const permitted = Effect.map(webhooks.list(inPath), (page) => page.webhooks.map(({ permitted }) => permitted))
      yield* obey(submit(1))
      for (let i = 0; i < 4; i++) yield* play
      assert.lengthOf(yield* waiting, 1)
      const silent = Effect.gen(function* () {
        assert.strictEqual(yield* round, 0)
        assert.deepStrictEqual([at.received, yield* permitted], [[], [false]])
      })
      yield* sql.unsafe("UPDATE account SET suspended = true WHERE id = $1", [admin.id])
      yield* silent
      yield* sql.unsafe("UPDATE account SET suspended = false, admin = true WHERE id = $1", [admin.id])
      yield* sql.unsafe("DELETE FROM season_admin")
      assert.deepStrictEqual(yield* permitted, [true], "an administrator of the platform administers every season")
      yield* sql.unsafe("UPDATE account SET admin = false WHERE id = $1", [admin.id])
      yield* silent
      yield* Effect.flatMap(WebhookDelivery, ({ sweep }) => sweep)
      assert.deepStrictEqual(yield* waiting, [])
      yield* sql.unsafe("INSERT INTO season_admin (season_id, account_id, added_at) VALUES ($1, $2, now())", [season, admin.id])
      yield* obey({ _tag: "CloseSeason" })
      yield* deliver
      assert.deepStrictEqual(
        at.received.map(({ body }) => JSON.parse(body).kind),
        ["season_closed"]
      )
    })
  )

  it.effect("have room for a thousand each, hear nothing of their maker's own notifications, and end with a notice after a week", () =>
    Effect.gen(function* () {
      const { admin, hook, obey, sql, webhooks } = yield* begin
      const { at, hook: made } = yield* hook()
      yield* sql.unsafe(`INSERT INTO notification (id, account_id, kind, subject, created_at)
        SELECT gen_random_uuid(), id, 'season_notice', 'Hers.', now() FROM account`)
      yield* sql.unsafe(`INSERT INTO notice (id, season_id, subject, link, sent_at, sent_by, recipients)
        SELECT gen_random_uuid(), NULL, 'To all.', NULL, now(), id, 3 FROM account LIMIT 1`)
      assert.deepStrictEqual(yield* waiting, [])
      const fill = (n: number) =>
        sql.unsafe(
          `INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
           SELECT $1::uuid, gen_random_uuid(), 'x', 'x', now(), 'infinity' FROM generate_series(1, ${n})`,
          [made.id]
        )
      yield* fill(1_000)
      yield* obey({ _tag: "CloseSeason" })
      assert.lengthOf(yield* waiting, 1_000, "the event is in the log of the season alone")
      yield* clear
      at.answer = (response) => void response.writeHead(503).end()
      yield* webhooks.test(admin, inPath, made.id)
      yield* deliver
      yield* TestClock.adjust("7 days")
      yield* webhooks.test(admin, inPath, made.id)
      yield* deliver
      const told = yield* sql.unsafe("SELECT account_id, subject FROM notification WHERE kind = 'webhook_disabled'")
      const subject = `The webhook of Spring at 127.0.0.1:${at.port} was switched off: it has failed for a week.`
      assert.deepStrictEqual(told, [{ account_id: admin.id, subject }])
      assert.isNotNull((yield* webhooks.list(inPath)).webhooks[0]!.disabled_at)
      const on = yield* webhooks.edit(admin, inPath, made.id, { enabled: true })
      assert.deepStrictEqual([on.disabled_at, on.failing_since], [null, null])
    })
  )

  it.effect("are told at least once, whoever is killed between the commit and the delivery", () =>
    Effect.gen(function* () {
      const { hook, obey } = yield* begin
      const { at } = yield* hook()
      yield* obey({ _tag: "CloseSeason" })
      at.answer = () => undefined
      const { url } = yield* Address
      const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: url, NOW_MS: "10000" }
      const child = spawn(process.execPath, [join(import.meta.dirname, "../support/webhookNode.ts")], { env, stdio: "inherit" })
      const gone = new Promise((resolve) => child.on("exit", (status, signal) => resolve(signal ?? status)))
      yield* eventually(
        "the other node posts",
        Effect.sync(() => at.received.length === 1 || child.exitCode !== null)
      )
      child.kill("SIGKILL")
      assert.strictEqual(yield* Effect.promise(() => gone), "SIGKILL")
      at.answer = (response) => void response.writeHead(200).end()
      yield* TestClock.setTime(20_000)
      assert.strictEqual(yield* round, 0, "the other node could still be at it")
      yield* TestClock.setTime(10_000 + 60_000)
      assert.strictEqual(yield* round, 1)
      assert.strictEqual(at.received[0]!.body, at.received[1]!.body)
      assert.deepStrictEqual(yield* waiting, [])
    })
  )
})
