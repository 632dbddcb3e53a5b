/** Edits of a scheduled season's classes, as its rows keep what they make of its baselines. */
import type { Command } from "@agon/domain/season/Command.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore, type State } from "@agon/domain/season/State.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { board, id, lease, report, settings, submit } from "../support/SeasonScript.ts"

const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(Postgres.layer({ migrate: true }))
)
const BASELINE = id("version", 9001)
const BEGUN = 2_000
const scheduled = settings({ submissions_open_at: 1_000_000 })
/** The weights are 1,100 bytes with their manifest. */
const edit = (max_bytes: number): Command => ({
  _tag: "EditSettings",
  settings: { weight_classes: scheduled.weight_classes.map((each, i) => ({ ...each, max_bytes: max_bytes * 4 ** i })) },
  scheduledOnly: true
})
const laddersOf = (state: State) => state.ladders.filter(({ ratings }) => ratings.get(BASELINE)?.active).map(({ ladder }) => ladder)

layer(pg, { timeout: 60_000, excludeTestServices: true })("a baseline whose season's classes are edited", (it) => {
  it.effect("is in the rows as in the season, also after several edits in one commit", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* SeasonStore
      const season = id("season", 1)
      yield* insertSeason(sql, season, scheduled)
      yield* insertPeople(sql, season, 1)
      const { fence, snapshot } = yield* store.claim(season)
      const state = restore(snapshot)
      let now = BEGUN
      const obey = (command: Command) => step(state, command, ++now)
      for (const command of [...board("plain"), submit(9001, { owner: null })]) obey(command)
      const work = obey(lease())
      assert.isTrue(Array.isArray(work) && work.length === 1)
      obey(report((work as any)[0]))
      obey({ _tag: "SwitchBaseline", version: BASELINE, enabled: true })
      const written = yield* store.commit(fence, state)
      committed(state)
      assert.deepStrictEqual(laddersOf(state), ["nano", "open"])

      for (const max_bytes of [500, 2_000, 100]) assert.deepStrictEqual(obey(edit(max_bytes)), { edited: true })
      yield* store.commit(written, state)
      committed(state)
      const read = restore((yield* store.claim(season)).snapshot)
      for (const each of [state, read]) assert.deepStrictEqual(laddersOf(each), ["mini", "open"])
      assert.deepStrictEqual(
        [read.versions_by_id.get(BASELINE)!.class, read.active, read.ladders.map(({ active }) => active)],
        ["mini", 1, [0, 0, 1, 0, 0, 1]]
      )
    })
  )
})
