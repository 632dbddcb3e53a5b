/** Writes that come at the same moment, over the whole API on a real Postgres: names, limits and counts hold, and nobody gets a 500. */
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { MatchVoiding } from "@agon/server/match/MatchVoiding.ts"
import { makeQueries as makeFlags } from "@agon/server/match/voidingQueries.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { blocked } from "../support/eventually.ts"
import { aboutRunner, bearer } from "../support/RoleCallers.ts"
import { type Answered, call } from "../support/Web.ts"

const N = 12
const together = { concurrency: "unbounded" } as const
const atOnce = <A, E, R>(n: number, one: (i: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(
    Array.from({ length: n }, (_, i) => i),
    one,
    together
  )
const root = (method: string, path: string, json?: unknown) => call(path, { method, as: "root", json })

/** How many of the answers there are of each kind. */
const tally = (answers: ReadonlyArray<Answered>) => {
  const counts: Record<string, number> = {}
  for (const { json, status } of answers) {
    const kind = `${status} ${json?.code ?? ""}`.trim()
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
const logged = (action: string) => Effect.map(A.rows`SELECT 1 FROM audit WHERE action = ${action}`, ({ length }) => length)

layer(A.layer, A.options)("a name that many take at the same moment", (it) => {
  it.effect("is had by one of them, and logged once: of a season, a board, a baseline of other files, and a post", () =>
    Effect.gen(function* () {
      const seasons = yield* atOnce(N, () => root("POST", "/v1/games/snakes/seasons", A.seasonBody("same")))
      assert.deepStrictEqual(tally(seasons), { "201": 1, "409 season_exists": N - 1 })
      assert.strictEqual(yield* logged("season.create"), 1)

      const boards = yield* atOnce(N, () => root("POST", A.urlOf("same", "/maps"), snakesBoards[0]))
      assert.deepStrictEqual(tally(boards), { "201": 1, "409 board_exists": N - 1 })
      assert.strictEqual(yield* logged("board.add"), 1)

      const hash = (n: number) => `sha256:${String(n).padStart(64, "0")}`
      const baselines = yield* atOnce(N, (n) =>
        root("POST", A.urlOf("same", "/baselines"), { name: "base", weights_hash: hash(n), manifest_hash: hash(99) })
      )
      assert.deepStrictEqual(tally(baselines), { "201": 1, "409 baseline_exists": N - 1 })
      assert.strictEqual(yield* logged("baseline.record"), 1)

      const posts = yield* atOnce(N, () => root("POST", "/v1/admin/posts", { slug: "same", title: "t", body: "b" }))
      assert.deepStrictEqual(tally(posts), { "201": 1, "409 post_exists": N - 1 })
      assert.strictEqual(yield* logged("post.add"), 1)
    })
  )
})

/** A key with so many runners: their ids. */
const keyWith = Effect.fnUntraced(function* (n: number, path = "/v1/runner-keys", as = "root") {
  const { json } = yield* A.post(path, { name: "rack" }, as)
  const key: string = json.id
  const runners = yield* A.rows<{ readonly id: string }>`
    INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, created_at, last_seen_at)
    SELECT gen_random_uuid(), ${key}::uuid, 'one', 'test', '[]', '{match}', 1, 'active', now(), now()
    FROM generate_series(1, ${String(n)}::int) RETURNING id`
  return { key, secret: json.key as string, runners: runners.map(({ id }) => id) }
})

const standing = (key: string) =>
  Effect.map(
    A.rows<{ readonly flagged: number; readonly trusted: number }>`
      SELECT count(*) FILTER (WHERE flagged_at IS NOT NULL)::int AS flagged, count(*) FILTER (WHERE NOT stopped AND state <> 'gone')::int AS trusted
      FROM runner WHERE key_id = ${key}`,
    ([row]) => row
  )

layer(A.layer, A.options)("a runner key", (it) => {
  it.effect("has 128 runners at most, also where many open their sessions at the same moment", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 6; round++) {
        const { key, secret } = yield* keyWith(126)
        const open = () => call("/v1/runner/sessions", { method: "POST", json: aboutRunner, headers: bearer(secret) })
        assert.deepStrictEqual(tally(yield* atOnce(N, open)), { "201": 2, "409 too_many_runners": N - 2 })
        assert.strictEqual((yield* standing(key))?.trusted, 128)
      }
    })
  )

  it.effect("gets no work once three of its runners are flagged, also where they are flagged at the same moment", () =>
    Effect.gen(function* () {
      const { id: season_id } = yield* A.season("liars")
      const { flag } = yield* MatchVoiding
      for (const n of [3, 3, 3, 8, 8]) {
        const { key, runners } = yield* keyWith(N)
        yield* atOnce(n, (i) => flag({ id: runners[i]!, key }, { season_id, match: runners[i]!, detail: "It lies." }))
        assert.deepStrictEqual(yield* standing(key), { flagged: n, trusted: 0 })
      }
      assert.strictEqual(yield* logged("runner.flag"), 25)
    })
  )

  it.effect("is revoked, and whoever made it is dismissed, while one of its runners is flagged", () =>
    Effect.gen(function* () {
      const { url } = yield* A.season("leaving")
      const sql = yield* SqlClient.SqlClient
      const flags = yield* makeFlags
      const now = new Date()
      const dismissed = () => root("DELETE", url("/admins"), { username: "ada" })
      for (const end of [dismissed, (key: string) => root("DELETE", url(`/runner-keys/${key}`))]) {
        yield* A.post(url("/admins"), { username: "ada" })
        const { key, runners } = yield* keyWith(N, url("/runner-keys"), "ada")
        for (const runner of runners.slice(0, 2)) yield* flags.flag({ runner, now })
        const last = runners[N - 1]!
        const [held, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const flagging = Effect.gen(function* () {
          yield* flags.holdKey({ runner: last, key })
          yield* flags.flag({ runner: last, now })
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(letGo)
          yield* flags.stopKey({ key, now })
        })
        const flagged = yield* Effect.forkChild(sql.withTransaction(flagging))
        yield* Deferred.await(held)
        const ending = yield* Effect.forkChild(end(key))
        yield* blocked(1)
        yield* Deferred.succeed(letGo, undefined)
        yield* Fiber.join(flagged)
        const ended = yield* Fiber.join(ending)
        assert.strictEqual(ended.status, 200, ended.text)
        assert.deepStrictEqual(yield* standing(key), { flagged: 3, trusted: 0 })
      }
    })
  )
})
