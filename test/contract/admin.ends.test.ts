/**
 * How a season ends: by its finals, or by a close, within a minute of the request
 * (docs/contract.md#closing-a-season).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, entry, log, options, patch, post, read, refusal, rows, startRound } from "../support/Administration.ts"
import { anotherBaseline, ofPlatform, playing, resultOf, runnerOf, type Work } from "../support/Fleet.ts"
import { inCi } from "../support/slow.ts"

layer(administration, options)("finals", (it) => {
  it.effect("end the season when everybody has their games, and its podium stays as the ladder was then", () =>
    Effect.gen(function* () {
      const { id, url } = yield* playing("cup")
      yield* entry(id, 40)
      const { lease, say, runner } = yield* runnerOf(ofPlatform)
      const [old] = yield* lease()
      const record = Effect.map(read("/v1/games/snakes/seasons"), ({ json }) => json[0])
      const starts_at = new Date(Date.now() + 1_000).toISOString()
      yield* post(url("/rounds"), { kind: "finals", games: 2, starts_at })
      assert.deepStrictEqual((yield* record).next_round, { n: 1, kind: "finals", games: 2, starts_at })
      yield* Effect.repeat(Effect.delay(record, "50 millis"), { until: ({ round }) => round !== null })
      assert.deepInclude((yield* record).round, { n: 1, kind: "finals", games: 2, started_at: starts_at })
      // A match that was being played when the finals began is finished and counts in none.
      const late = yield* say("/leases", { runner, max: 0, wait_s: 0, results: [resultOf(old!)] })
      assert.strictEqual(late.results[0].accepted, true)
      assert.strictEqual((yield* record).matches_played, 0)
      let works: ReadonlyArray<Work> = yield* lease({ max: 4 })
      let played = 0
      while (works.length > 0) {
        played += works.length
        works = yield* lease({ max: 4, results: works.map(resultOf) })
      }
      const closed = yield* record
      assert.deepInclude(closed, { state: "closed", round: null, next_round: null, matches_played: played })
      assert.isNotNull(closed.closed_at)
      assert.isAtLeast(played, 2)
      const [round] = (yield* read(url("/rounds"))).json.rounds
      assert.deepInclude(round, { state: "over", started_at: starts_at, ended_at: closed.closed_at })
      const podium = (yield* read(url("/podium"))).json
      const { entries } = (yield* read("/v1/games/snakes/leaderboard?season=cup")).json
      assert.isTrue(podium.frozen)
      assert.deepStrictEqual(
        podium.ladders.open.map(({ place, rating, version_id }: any) => [place, version_id, rating]),
        entries.filter(({ baseline }: any) => !baseline).map(({ rating, version_id }: any) => [1, version_id, rating]),
        "no baseline is on it"
      )
      assert.deepStrictEqual(refusal(yield* post(url("/rounds"), { kind: "round", games: 1, starts_at: "2090-01-01T00:00:00Z" })), [
        409,
        "season_closed"
      ])
      assert.strictEqual((yield* post(url("/close"))).json.close_requested_at, closed.close_requested_at)
      assert.deepStrictEqual(yield* rows`SELECT id FROM live WHERE season_id = ${id}`, [])
    })
  )

  it.effect("are played by the baselines that were in play when they started: one may leave, and none joins", () =>
    Effect.gen(function* () {
      const { id, url } = yield* playing("masters")
      for (const name of ["three", "four"]) yield* anotherBaseline(id, name)
      const turn = (name: string, enabled: boolean) => patch(url(`/baselines/${name}`), { enabled })
      assert.strictEqual((yield* turn("three", true)).status, 200)
      yield* startRound(id, 2, "finals")
      const logged = yield* log(id)
      const late = yield* turn("four", true)
      assert.deepStrictEqual(refusal(late), [409, "season_closed"])
      assert.match(late.json.detail, /finals/)
      assert.strictEqual((yield* turn("three", true)).status, 200, "it is in them")
      assert.strictEqual((yield* turn("three", false)).status, 200)
      assert.deepStrictEqual(refusal(yield* turn("three", true)), [409, "season_closed"])
      assert.deepStrictEqual(yield* log(id), [["root", "baseline.switch", "three", { enabled: false }], ...logged])
      const { baselines } = (yield* read(url("/baselines"))).json
      const on = baselines.filter(({ enabled }: any) => enabled).map(({ name }: any) => name)
      assert.sameMembers(on, ["one", "two"])
    })
  )
})

layer(administration, options)("a close", (it) => {
  it.effect("stops what is queued at once and is over with the last report", () =>
    Effect.gen(function* () {
      const { url } = yield* playing("spring")
      const { lease, release, say } = yield* runnerOf(url("/runner-keys"))
      const [first, second] = yield* lease({ max: 2 })
      yield* release(second!)
      const closing = (yield* post(url("/close"))).json
      assert.deepStrictEqual([closing.state, closing.closed_at], ["live", null])
      assert.deepStrictEqual(yield* lease({ max: 4 }), [])
      assert.strictEqual((yield* read(url("/playing"))).json.playing, 1)
      assert.isFalse((yield* read(url("/podium"))).json.frozen)
      const reasons = yield* rows<any>`SELECT withdrawn_reason FROM match WHERE status = 'cancelled'`
      assert.deepStrictEqual([...new Set(reasons.map((row) => row.withdrawn_reason))], ["season_closed"])
      const { lease: name, ...result } = resultOf(first!)
      assert.deepStrictEqual(yield* say(`/leases/${name}/result`, result), { accepted: true })
      const [record] = (yield* read("/v1/games/snakes/seasons")).json
      assert.deepInclude(record, { state: "closed", matches_played: 1, close_requested_at: closing.close_requested_at })
      assert.isTrue((yield* read(url("/podium"))).json.frozen)
    })
  )

  it.effect.skipIf(!inCi)(
    "is carried out within a minute, also where a runner holds on to a match and never reports",
    () =>
      Effect.gen(function* () {
        const { url } = yield* playing("autumn")
        const { lease, runner, say } = yield* runnerOf(url("/runner-keys"))
        const [work] = yield* lease()
        const asked = Date.now()
        yield* post(url("/close"))
        const closed = Effect.gen(function* () {
          yield* say("/heartbeat", { runner, leases: [work!.lease] })
          return (yield* read("/v1/games/snakes/seasons")).json.find(({ slug }: any) => slug === "autumn").state === "closed"
        })
        yield* Effect.repeat(Effect.delay(closed, "2 seconds"), { until: (over) => over })
        assert.isAtMost(Date.now() - asked, 64_000)
        const [{ took_s }] = (yield* rows<any>`SELECT extract(epoch FROM closed_at - close_requested_at)::float8 AS took_s
        FROM season WHERE slug = 'autumn'`) as [any]
        assert.isAtMost(took_s, 60)
        const { lease: name, ...result } = resultOf(work!)
        assert.deepStrictEqual(yield* say(`/leases/${name}/result`, result), { accepted: false, reason: "withdrawn" })
      }),
    120_000
  )
})
