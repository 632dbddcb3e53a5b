/** Notifications of owners and participants by the season's commit (docs/contract.md#notifications), on PostgreSQL. */

import { restore, type State } from "@agon/domain/season/State.ts"
import { notificationParts } from "@agon/server/actor/store/notifications.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { beginSeason, season } from "../support/SeasonCommits.ts"
import { insertSeason } from "../support/SeasonRows.ts"
import { id, lease, report, settings, submit } from "../support/SeasonScript.ts"

const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(Postgres.layer({ migrate: true }))
)

const told = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql.unsafe<{ who: string; kind: string; subject: string; link: string }>(
    `SELECT a.username AS who, n.kind, n.subject, n.link FROM notification n JOIN account a ON a.id = n.account_id
     ORDER BY n.created_at, a.username, n.kind`
  )
  return rows.map(({ kind, subject, who }) => `${who} ${kind}: ${subject}`)
})

/** The part of it that a commit of the state would carry. */
const carried = (state: State) => notificationParts(state).filter((part) => part !== null).length

layer(pg, { excludeTestServices: true })("a season's commit", (it) => {
  it.effect("tells an owner how their version fares, step by step and each step once", () =>
    Effect.gen(function* () {
      const { obey, play, sql } = yield* beginSeason
      yield* obey(submit(1))
      assert.deepStrictEqual(yield* told, [], "who has submitted knows it")
      for (let i = 0; i < 3; i++) yield* play
      const expected = [
        "admitted: Version 1 of model was admitted and plays its trial in Spring",
        "entered: Version 1 of model has entered Spring"
      ]
      assert.deepStrictEqual(
        yield* told,
        expected.map((line) => `owner1 version_${line}`)
      )
      yield* obey(submit(1, { version: id("version", 5), number: 2, weights_hash: "sha256:other" }))
      for (let i = 0; i < 3; i++) yield* play
      assert.deepStrictEqual((yield* told).slice(2), [
        "owner1 version_admitted: Version 2 of model was admitted and plays its trial in Spring",
        "owner1 version_entered: Version 2 of model has entered Spring",
        "owner1 version_superseded: Version 1 of model was superseded by version 2 in Spring"
      ])
      yield* obey(submit(2, { files: null }))
      yield* obey({ _tag: "RejectFiles", version: id("version", 2), reject_reason: "hash_mismatch", reject_detail: "They differ." })
      assert.deepStrictEqual((yield* told).slice(5), [
        "owner2 version_rejected: Version 1 of model was rejected in Spring: a file is not the one whose hash was submitted"
      ])
      yield* obey(submit(3, { files: null }))
      const reject_detail = "The weights have 9 bytes, and your quota has room for 8."
      yield* obey({ _tag: "RejectFiles", version: id("version", 3), reject_reason: "too_large", reject_detail })
      assert.deepStrictEqual((yield* told).slice(6), [
        `owner3 version_rejected: Version 1 of model was rejected in Spring: ${reject_detail}`
      ])
      yield* sql.unsafe("DELETE FROM notification WHERE account_id = $1", [id("owner", 3)])
      const rows = yield* sql.unsafe<{ link: string; id: string; at: number }>(
        "SELECT link, id, (extract(epoch FROM created_at) * 1000)::int AS at FROM notification ORDER BY created_at DESC LIMIT 1"
      )
      assert.strictEqual(rows[0]!.link, `/v1/me/versions/${id("version", 2)}`)
      assert.match(rows[0]!.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)
      assert.strictEqual(Number.parseInt(rows[0]!.id.replaceAll("-", "").slice(0, 12), 16), rows[0]!.at, "an id says when it was made")
    })
  )

  it.effect("tells nobody of baselines, nor whoever has turned the kind off", () =>
    Effect.gen(function* () {
      const { obey, play, sql } = yield* beginSeason
      yield* sql.unsafe("INSERT INTO notification_setting VALUES ($1, 'version_admitted', false), ($1, 'version_entered', true)", [
        id("owner", 1)
      ])
      yield* obey(submit(9_001, { owner: null }))
      yield* obey(submit(1))
      for (let i = 0; i < 4; i++) yield* play
      yield* obey({ _tag: "SwitchBaseline", version: id("version", 9_001), enabled: true })
      assert.deepStrictEqual(yield* told, ["owner1 version_entered: Version 1 of model has entered Spring"])
    })
  )

  it.effect("that does not hold tells nothing, and one whose answer was lost has told all", () =>
    Effect.gen(function* () {
      const { fence, obey, state, stepOnly, store } = yield* beginSeason
      yield* obey(submit(1))
      const [work] = yield* obey(lease())
      stepOnly(report(work!))
      const before = fence()
      yield* store.commit(before, state) // its answer is lost: whoever repeats it under the same fence writes nothing
      const once = yield* told
      assert.strictEqual(once.length, 1)
      assert.strictEqual((yield* Effect.flip(store.commit(before, state)))._tag, "Fenced")
      assert.deepStrictEqual(yield* told, once)
      const reloaded = restore((yield* store.claim(season)).snapshot)
      assert.strictEqual(reloaded.versions_by_id.get(id("version", 1))!.phase, "trial", "nor does the next life do it again")
      assert.deepStrictEqual(reloaded.events, [])
    })
  )

  it.effect("tells everybody who took part that the season is closed, those of the roster and of its last moment among them", () =>
    Effect.gen(function* () {
      const { commit, obey, play, sql, state, stepOnly } = yield* beginSeason
      yield* sql.unsafe("INSERT INTO identity VALUES ('hub', 'x', $1, 'Owner7', now()), ('hub', 'y', $2, 'Owner1', now())", [
        id("owner", 7),
        id("owner", 1)
      ])
      yield* sql.unsafe(
        `INSERT INTO participant SELECT gen_random_uuid(), $1::uuid, 'hub', login, now() FROM unnest(ARRAY['owner7', 'OWNER1', 'stranger']) login`,
        [season]
      )
      yield* sql.unsafe("INSERT INTO notification_setting VALUES ($1, 'season_closed', false)", [id("owner", 2)])
      for (const n of [1, 2, 3]) yield* obey(submit(n))
      for (let i = 0; i < 8; i++) yield* play
      yield* sql.unsafe("DELETE FROM notification")
      yield* sql.unsafe(
        "INSERT INTO webhook (id, account_id, url, secret, created_at) SELECT id, id, 'https://x.example', 's', now() FROM account"
      )
      stepOnly(submit(4))
      stepOnly({ _tag: "CloseSeason" })
      yield* commit
      assert.strictEqual(state.phase, "closed")
      assert.deepStrictEqual(yield* told, [
        "owner1 season_closed: Spring is closed.",
        "owner3 season_closed: Spring is closed.",
        "owner4 season_closed: Spring is closed.",
        "owner4 version_rejected: Version 1 of model was rejected in Spring: the season closed, or its finals began, before it had entered",
        "owner7 season_closed: Spring is closed."
      ])
      const handedOn = yield* sql.unsafe(`SELECT webhook_id AS who, id, kind, subject, link FROM webhook_delivery
        EXCEPT SELECT account_id, id, kind, subject, link FROM notification`)
      const [{ deliveries }] = (yield* sql.unsafe("SELECT count(*)::int AS deliveries FROM webhook_delivery")) as [{ deliveries: number }]
      assert.deepStrictEqual([handedOn, deliveries], [[], 5], "each is handed on to the webhook of whom it tells, in the same commit")
      const links = yield* sql.unsafe("SELECT DISTINCT link FROM notification WHERE kind = 'season_closed'")
      assert.deepStrictEqual(links, [{ link: `/v1/games/snakes/seasons/${season}/podium` }])
    })
  )

  it.effect("names the podium of a private season where its members find it, and tells nobody who was taken off the roster", () =>
    Effect.gen(function* () {
      const { commit, obey, sql, stepOnly } = yield* beginSeason
      yield* sql.unsafe("UPDATE season SET visibility = 'private'")
      yield* sql.unsafe("INSERT INTO identity VALUES ('hub', 'x', $1, 'Owner1', now())", [id("owner", 1)])
      yield* sql.unsafe("INSERT INTO participant VALUES (gen_random_uuid(), $1, 'hub', 'owner1', now())", [season])
      for (const n of [1, 2]) yield* obey(submit(n, { files: null }))
      stepOnly(submit(3, { files: null }))
      stepOnly({ _tag: "CloseSeason" })
      yield* commit
      const closed = yield* sql.unsafe("SELECT account_id, link FROM notification WHERE kind = 'season_closed'")
      assert.deepStrictEqual(closed, [{ account_id: id("owner", 1), link: `/v1/private/games/snakes/seasons/${season}/podium` }])
    })
  )

  it.effect("tells the season's administrators of an entry that is suspended, and nobody else's", () =>
    Effect.gen(function* () {
      const { obey, play, sql, state } = yield* beginSeason
      yield* insertSeason(sql, id("season", 2), settings())
      yield* sql.unsafe("UPDATE season SET visibility = 'private' WHERE id = $1", [season])
      const admins = [2, 5, 6].map((n) => [season, id("owner", n)]).concat([[id("season", 2), id("owner", 7)]])
      for (const admin of admins)
        yield* sql.unsafe("INSERT INTO season_admin (season_id, account_id, added_at) VALUES ($1, $2, now())", admin)
      yield* sql.unsafe("INSERT INTO notification_setting VALUES ($1, 'version_suspended', false)", [id("owner", 5)])
      yield* obey(submit(9_001, { owner: null }))
      for (const n of [1, 2, 3]) yield* obey(submit(n))
      for (let i = 0; i < 20; i++) yield* play
      yield* obey({ _tag: "SwitchBaseline", version: id("version", 9_001), enabled: true })
      yield* sql.unsafe("DELETE FROM notification")
      const isSuspended = (version: string) => state.versions_by_id.get(version)!.phase === "suspended"
      /** Runners of three keys play on, but for matches of this one. */
      const failUntilSuspended = Effect.fnUntraced(function* (lost: string) {
        for (let i = 0; i < 600 && !isSuspended(lost); i++) {
          const key = id("key", 1 + (i % 3))
          const [work] = yield* obey(lease({ key, runner: id("runner", 1 + (i % 3)) }))
          if (work?.kind !== "match") continue
          const about = { key, lease: work.lease, version: lost, detail: "gone" }
          const fails = work.versions.includes(lost)
          yield* obey(fails ? { _tag: "ReportFault", fault_reason: "weights_unavailable", ...about } : report(work, key))
        }
        assert.isTrue(isSuspended(lost))
      })
      yield* failUntilSuspended(id("version", 9_001))
      const because = "5 of its matches running failed by its fault"
      const baseline = `version_suspended: Version 1 of baseline9001 was suspended in Spring: ${because}`
      assert.deepStrictEqual(yield* told, [`owner2 ${baseline}`, `owner6 ${baseline}`])
      const links = yield* sql.unsafe("SELECT DISTINCT link FROM notification")
      assert.deepStrictEqual(links, [{ link: `/v1/private/versions/${id("version", 9_001)}` }])

      yield* failUntilSuspended(id("version", 2))
      const entry = `version_suspended: Version 1 of model was suspended in Spring: ${because}`
      assert.deepStrictEqual(
        (yield* told).slice(2),
        [`owner2 ${entry}`, `owner6 ${entry}`],
        "who owns it and administers, too, is told once"
      )
      yield* obey({ _tag: "Reinstate", version: id("version", 2) })
      assert.deepStrictEqual((yield* told).slice(4), ["owner2 version_reinstated: Version 1 of model plays again in Spring"])
    })
  )

  it.effect("carries nothing of it where no version moves", () =>
    Effect.gen(function* () {
      const { obey, play, state, stepOnly } = yield* beginSeason
      for (const n of [1, 2, 3, 4]) yield* obey(submit(n))
      for (let i = 0; i < 8; i++) yield* play
      const works = yield* obey(lease({ max: 2 }))
      assert.strictEqual(works[0]?.kind, "match")
      for (const work of works) stepOnly(report(work))
      assert.isAbove(state.writes.ended.length, 0)
      assert.strictEqual(carried(state), 0)
      stepOnly(submit(5))
      assert.strictEqual(carried(state), 0)
    })
  )
})
