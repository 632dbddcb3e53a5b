/** Rounds and finals, as the platform's administrators plan them (docs/contract.md#rounds-and-finals). */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  layer as administration,
  changes,
  leaseMatch,
  log,
  options,
  patch,
  post,
  read,
  refusal,
  season,
  startRound
} from "../support/Administration.ts"
import { parked } from "../support/eventually.ts"
import { playing, resultOf, runnerOf, type Work } from "../support/Fleet.ts"

const year = (n: number) => `20${n}-01-01T00:00:00.000Z`
const plan = (n: number, change: object = {}) => ({ kind: "round", games: 20, starts_at: year(n), ...change })
const states = (url: string) => Effect.map(read(url), ({ json }) => json.rounds.map(({ n, state }: any) => [n, state]))

layer(administration, options)("rounds", (it) => {
  it.effect("are planned in order, moved and withdrawn while pending, listed and logged, and purge what shows them", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("spring")
      const rounds = url("/rounds")
      const first = { n: 1, kind: "round", games: 20, starts_at: year(50), started_at: null, ended_at: null, state: "pending" }
      yield* changes(
        ["/v1/games/snakes/seasons"],
        Effect.gen(function* () {
          const planned = yield* post(rounds, plan(50))
          assert.deepStrictEqual([planned.status, planned.json], [201, first])
        })
      )
      assert.strictEqual((yield* post(rounds, plan(60, { kind: "finals", games: 7 }))).json.n, 2)
      const [record] = (yield* read("/v1/games/snakes/seasons")).json
      assert.deepStrictEqual(record.next_round, { n: 1, kind: "round", games: 20, starts_at: year(50) })
      const moved = { ...first, games: 5, starts_at: year(55) }
      yield* changes(
        ["/v1/games/snakes/seasons"],
        Effect.gen(function* () {
          const answer = yield* patch(`${rounds}/1`, { games: 5, starts_at: year(55) })
          assert.deepStrictEqual([answer.status, answer.json], [200, moved])
        })
      )
      for (const same of [{}, { games: 5 }, { games: 5, starts_at: year(55) }]) {
        assert.deepStrictEqual((yield* patch(`${rounds}/1`, same)).json, moved, "what changes nothing is not logged")
      }
      assert.deepStrictEqual((yield* patch(`${rounds}/1`, { withdrawn: true })).json, { ...moved, state: "withdrawn" })
      assert.deepStrictEqual(yield* states(rounds), [
        [1, "withdrawn"],
        [2, "pending"]
      ])
      const page = (yield* read(`${rounds}?limit=1`)).json
      assert.deepStrictEqual([page.rounds.length, page.total, page.next_cursor], [1, 2, "1"])
      assert.deepStrictEqual(yield* log(id), [
        ["root", "round.patch", "1", { withdrawn: true }],
        ["root", "round.patch", "1", { games: 5, starts_at: year(55) }],
        ["root", "round.plan", "finals", { games: 7, starts_at: year(60) }],
        ["root", "round.plan", "round", { games: 20, starts_at: year(50) }]
      ])
    })
  )

  it.effect("start in the future and after every other; there is one finals and nothing after it", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("summer")
      const rounds = url("/rounds")
      yield* post(rounds, plan(50))
      const refused = (body: unknown) => Effect.map(post(rounds, body), refusal)
      for (const body of [
        plan(20),
        plan(50),
        plan(40),
        plan(60, { games: 0 }),
        plan(60, { kind: "cup" }),
        plan(60, { starts_at: "soon" }),
        {}
      ]) {
        assert.deepStrictEqual(yield* refused(body), [400, "invalid_request"], JSON.stringify(body))
      }
      assert.strictEqual((yield* post(rounds, plan(20))).json.errors[0].path, "starts_at")
      yield* post(rounds, plan(60, { kind: "finals" }))
      assert.deepStrictEqual(yield* refused(plan(70)), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* patch(`${rounds}/1`, { starts_at: year(65) })), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* patch(`${rounds}/1`, { withdrawn: false })), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* patch(`${rounds}/3`, { games: 5 })), [404, "not_found"])
      assert.lengthOf(yield* log(id), 2)
      yield* patch(`${rounds}/1`, { withdrawn: true })
      const again = [{ withdrawn: true }, { games: 5 }, { starts_at: year(55) }].map((body) => patch(`${rounds}/1`, body))
      assert.deepStrictEqual(
        (yield* Effect.all(again)).map(({ json }) => [json.code, json.errors[0].path]),
        [
          ["invalid_request", ""],
          ["invalid_request", ""],
          ["invalid_request", "starts_at"]
        ]
      )
      assert.lengthOf(yield* log(id), 3)
    })
  )

  it.effect("that have started stay as they are", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("autumn")
      const rounds = url("/rounds")
      const soon = new Date(Date.now() + 1_500).toISOString() // far enough for a busy machine to plan it in time
      assert.strictEqual((yield* post(rounds, plan(50, { starts_at: soon }))).status, 201)
      yield* Effect.repeat(Effect.delay(states(rounds), "50 millis"), { until: ([[, state]]) => state === "current" })
      assert.deepStrictEqual(refusal(yield* patch(`${rounds}/1`, { games: 5 })), [409, "round_started"])
      assert.lengthOf(yield* log(id), 1)
    })
  )

  it.effect("are planned in no season that is over", () =>
    Effect.gen(function* () {
      const { url } = yield* season("winter")
      yield* post(url("/rounds"), plan(50))
      yield* post(url("/close"))
      assert.deepStrictEqual(refusal(yield* post(url("/rounds"), plan(60))), [409, "season_closed"])
      assert.deepStrictEqual(refusal(yield* patch(url("/rounds/1"), { games: 3 })), [409, "season_closed"])
      assert.deepStrictEqual(yield* states(url("/rounds")), [[1, "pending"]])
      const closing = yield* season("closing")
      yield* post(closing.url("/rounds"), plan(50))
      yield* leaseMatch(closing.id)
      yield* post(closing.url("/close"))
      const record = (yield* patch(closing.url("/fill"), { enabled: true })).json
      assert.deepStrictEqual([record.state, record.closed_at], ["live", null]) // what is being played is waited for
      assert.deepStrictEqual(refusal(yield* post(closing.url("/rounds"), plan(60))), [409, "season_closed"])
      assert.deepStrictEqual(refusal(yield* patch(closing.url("/rounds/1"), { starts_at: year(61) })), [409, "season_closed"])
    })
  )
})

layer(administration, options)("idle fill", (it) => {
  it.effect("lets a season play on that rests, as often an hour as it may, and rest again when it is switched off", () =>
    Effect.gen(function* () {
      const { id, url } = yield* playing("rests")
      const { lease } = yield* runnerOf(url("/runner-keys"))
      const playOn = Effect.fnUntraced(function* (works: ReadonlyArray<Work>) {
        let played = 0
        for (let next = works; next.length > 0; next = yield* lease({ max: played < 20 ? 1 : 0, results: next.map(resultOf) })) {
          played += next.length
        }
        return played
      })
      assert.strictEqual(yield* playOn(yield* lease()), 20, "without a round there is no end of it")
      yield* startRound(id, 1)
      const counted = Effect.map(read("/v1/games/snakes/leaderboard?season=rests"), ({ json }) =>
        json.entries.map((entry: any) => entry.round_matches)
      )
      assert.isBelow(yield* playOn(yield* lease()), 20)
      const owed = yield* counted
      assert.deepStrictEqual([owed.every((games: number) => games >= 1), yield* lease()], [true, []], "everybody has their games")

      const waiting = yield* Effect.forkChild(lease({ wait_s: 25 }))
      yield* parked(1)
      yield* patch(url("/fill"), { enabled: true, max_per_hour: null })
      const works = yield* Fiber.join(waiting)
      assert.lengthOf(works, 1, "a runner that waits is woken by it")
      assert.strictEqual(yield* playOn(works), 20)
      assert.isAbove((yield* counted)[0], owed[0], "what fills counts in the round")
      yield* patch(url("/fill"), { max_per_hour: 1 })
      assert.isAtMost(yield* playOn(yield* lease()), 1, "this hour has had more than that; the next would have one")
      yield* patch(url("/fill"), { enabled: false, max_per_hour: null })
      assert.deepStrictEqual(yield* lease(), [])
    })
  )
})
