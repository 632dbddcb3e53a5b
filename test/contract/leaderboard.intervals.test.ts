/**
 * Intervals of ranks on a ladder longer than one page, whose sums are kept for ten seconds: an event that moves every rank is told at once.
 */
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { core } from "../support/Web.ts"

const { modelIds: m, seasonIds, versionIds: v } = Fixture
const [COPIES, PAGE] = [300, 200]

/** Three points between each and the next, of deviations of thirty. */
const many = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const like = (id: string) => `(left('${id}', 24) || lpad(to_hex(1000000 + i), 12, '0'))::uuid`
  const copies = (table: string, of: string, change: Record<string, string>) =>
    sql.unsafe(`INSERT INTO ${table} SELECT copy.* FROM ${table} row CROSS JOIN generate_series(1, ${COPIES}) i
      CROSS JOIN LATERAL jsonb_populate_record(row, jsonb_build_object(${Object.entries(change).map(([name, value]) => `'${name}', ${value}`)})) copy
      WHERE ${of}`)
  const [model_id, version_id] = [like(m.alpha), like(v.alpha2)]
  yield* copies("model", `row.id = '${m.alpha}'`, { id: model_id, name: "'copy ' || i" })
  yield* copies("version", `row.id = '${v.alpha2}'`, { id: version_id, model_id, ord: "100 + i" })
  yield* copies("rating", `row.version_id = '${v.alpha2}' AND row.ladder = 'open'`, { version_id, mu: "3 * i", sigma: "30" })
  yield* counted
})

/** As the season's actor counts its entries. */
const counted = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`UPDATE season s SET head = head || jsonb_build_object('active', (SELECT count(*) FROM rating r
    WHERE r.season_id = s.id AND r.ladder = 'open' AND r.active)) WHERE s.id = ${seasonIds.spring}`
)

const services = Leaderboards.layer.pipe(Layer.provideMerge(Seasons.layer))
const web = Layer.merge(services, Layer.effectDiscard(many).pipe(Layer.provide(Fixture.layer))).pipe(Layer.provideMerge(core()))

/** The intervals of the best and of the last. */
const ends = Effect.gen(function* () {
  const [{ page }, seasons] = [yield* Leaderboards, yield* Seasons]
  const season = yield* Effect.orDie(seasons.find("snakes", "spring", null))
  const [{ entries, total }, { entries: others }] = [
    yield* page(season, "open", { limit: PAGE, cursor: 0 }),
    yield* page(season, "open", { limit: PAGE, cursor: PAGE })
  ]
  const [best, last] = [entries[0]!, others.at(-1)!]
  assert.deepStrictEqual([best.rank, last.rank], [1, total])
  return { best, last, total }
})

layer(web)("the intervals of a long ladder", (it) => {
  for (const [number, of] of [
    ["rescaled", "with other starts"],
    ["voided", "without voided matches"]
  ] as const)
    it.effect(`are those of its ratings, once these have been made anew ${of}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* ends).best.rank_low, 1)
        yield* sql`UPDATE rating SET mu = mu / 10, sigma = sigma / 3 WHERE season_id = ${seasonIds.spring} AND ladder = 'open'`
        yield* sql`UPDATE season SET head = head || jsonb_build_object(${number}::text, 1) WHERE id = ${seasonIds.spring}`
        const { best } = yield* ends
        assert.strictEqual(best.rank_low, 1)
        yield* sql`UPDATE rating SET mu = mu * 10, sigma = sigma * 3 WHERE season_id = ${seasonIds.spring} AND ladder = 'open'`
        yield* sql`UPDATE season SET head = head || jsonb_build_object(${number}::text, 2) WHERE id = ${seasonIds.spring}`
      })
    )

  it.effect("are of its entries alone, once others have left it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const leave = (which: string) =>
        Effect.andThen(
          sql.unsafe(`UPDATE rating SET active = false WHERE version_id IN (SELECT version_id FROM rating
            WHERE season_id = '${seasonIds.spring}' AND ladder = 'open' AND active ORDER BY ${which} LIMIT 40)`),
          counted
        )
      const before = yield* ends
      yield* leave("mu, version_id DESC")
      const { last, total } = yield* ends
      assert.strictEqual(total, before.total - 40)
      assert.isAtMost(last.rank_high, total)
      yield* leave("mu DESC, version_id")
      const { best } = yield* ends
      assert.strictEqual(best.rank_low, 1)
    })
  )
})
