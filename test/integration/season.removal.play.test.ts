/**
 * A season is removed beside a service that runs: nodes forget it at once, and other seasons play
 * on whatever row it waits for.
 */

import { remove } from "@agon/server/removal/remove.ts"
import { find } from "@agon/server/removal/season.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { blocked, eventually } from "../support/eventually.ts"
import * as FullSeason from "../support/FullSeason.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { holding } from "../support/holding.ts"
import * as Small from "../support/SmallWorld.ts"

/** Locks that no statement of play waits for. */
const HARMLESS = new Set(["AccessShareLock", "RowShareLock", "RowExclusiveLock"])

const found = (slug: string) => Effect.map(find("snakes", slug), ({ season }) => season!)

/** Reads by which an administrator of the platform still finds parts of a season that is half removed. */
const withinOf = ({ idOf, slug }: FullSeason.FullSeason) => [
  ...[
    "",
    "/podium",
    "/maps",
    "/maps/duel",
    "/playing",
    "/rounds",
    "/baselines",
    "/versions",
    "/participants",
    "/audit",
    "/webhooks"
  ].flatMap((rest) => [A.urlOf(slug, rest), A.urlOf(slug, rest).replace("/v1/", "/v1/private/")]),
  ...["matches", "games/snakes/leaderboard", "games/snakes/leaderboard/series"].map((list) => `/v1/private/${list}?season=${slug}`),
  `/v1/private/models/${idOf("model", 3)}`,
  `/v1/private/matches/${idOf("match", 1)}`,
  `/v1/private/matches/${idOf("match", 4)}`,
  `/v1/private/versions/${idOf("version", 1)}`,
  "/v1/private/models/01950002-0000-7000-8000-000000000385",
  "/v1/matches?owner=ada",
  "/v1/profiles/ada"
]

/** Modes in which the transaction that waits for a row holds tables and indexes. */
const modes = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly mode: string }>`SELECT DISTINCT l.mode FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'relation' AND a.wait_event_type = 'Lock' AND a.datname = current_database()`
  ),
  (rows) => rows.map(({ mode }) => mode)
)

const Ground = Layer.effectDiscard(FullSeason.begin).pipe(Layer.provideMerge(A.layer))

layer(Ground, { ...A.options, timeout: HANGS_AFTER_MS })("a removal beside a service", (it) => {
  it.effect("other seasons commit while it waits for a row with its transaction open, wherever it has come", () =>
    Effect.gen(function* () {
      const world = yield* Small.world
      const gone = yield* FullSeason.fullSeason(1, 50)
      const season = yield* found(gone.slug)
      const ids = { thread: gone.idOf("thread", 1), match: gone.idOf("match", 1), version: gone.idOf("version", 1), season: gone.id }
      for (const [i, [table, id]] of Object.entries(ids).entries()) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* holding(`SELECT 1 FROM ${table} WHERE id = '${id}' FOR ${table === "season" ? "KEY SHARE" : "UPDATE"}`)
            const removing = yield* Effect.forkScoped(remove(season))
            yield* blocked(1)
            const held = yield* modes
            assert.isNotEmpty(held)
            assert.deepStrictEqual(
              held.filter((mode) => !HARMLESS.has(mode)),
              [],
              table
            )
            assert.isDefined(yield* Small.play(world.one.id), `a match is rated while ${table} is waited for`)
            const entered = yield* Small.modelOf(i % 2 === 0 ? "ada" : "bob", `beside ${table}`)
            yield* A.enter(world.two.id, 60 + i, entered, null)
            const statuses = yield* Effect.forEach(withinOf(gone), (path) =>
              Effect.map(A.read(path), ({ status }) => [path, status] as const)
            )
            assert.deepStrictEqual(
              statuses.filter(([, status]) => status !== 200 && status !== 404),
              [],
              `while ${table} is waited for`
            )
            assert.isAbove(statuses.filter(([, status]) => status === 200).length, 10)
            yield* blocked(1)
            yield* Fiber.interrupt(removing)
          })
        )
      }
      yield* remove(season)
      assert.deepStrictEqual(yield* A.rows`SELECT id FROM season WHERE id = ${gone.id}`, [])
    })
  )

  it.effect("strangers find none of it any more, in no answer that was kept, and a new season may have its slug", () =>
    Effect.gen(function* () {
      const gone = yield* FullSeason.fullSeason(2)
      const other = yield* FullSeason.fullSeason(3)
      const paths = ({ idOf, slug }: typeof gone) => [
        ...["", "/podium", "/maps"].map((rest) => A.urlOf(slug, rest)),
        `/v1/matches/${idOf("match", 1)}`,
        `/v1/versions/${idOf("version", 1)}`
      ]
      const statuses = (of: typeof gone) => Effect.forEach(paths(of), (path) => Effect.map(A.read(path, "ada"), ({ status }) => status))
      assert.deepStrictEqual(
        yield* statuses(gone),
        paths(gone).map(() => 200)
      )
      assert.deepStrictEqual(
        yield* statuses(other),
        paths(gone).map(() => 200)
      )
      yield* remove(yield* found(gone.slug))
      yield* eventually(
        "404 wherever it was",
        Effect.map(statuses(gone), (all) => all.every((status) => status === 404))
      )
      assert.deepStrictEqual(
        yield* statuses(other),
        paths(gone).map(() => 200)
      )
      const model = yield* A.read("/v1/models/01950002-0000-7000-8000-000000000385", "ada")
      assert.deepStrictEqual([model.status, model.json?.name], [200, "Asp"])
      const baseline = yield* A.read(`/v1/models/${gone.idOf("model", 3)}`, "ada")
      assert.deepStrictEqual([baseline.status, baseline.text], [200, "null"], "as of a model that never was")
      const log = yield* A.read("/v1/admin/audit")
      assert.deepInclude(log.json.audit[0], { actor: null, action: "season.remove", game: "snakes", season: null, subject: gone.slug })
      const made = yield* A.season(gone.slug)
      assert.strictEqual(made.record.state, "live")
    })
  )
})
