/** Who may do a season's work, and how the platform's runners are shared (docs/contract.md#fleets-and-runner-keys). */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { layer as administration, options, patch, post, read, remove, rows, season } from "../support/Administration.ts"
import { parked } from "../support/eventually.ts"
import { anotherBaseline, ofPlatform, playing, resultOf, runnerOf, type Work } from "../support/Fleet.ts"
import { allowed } from "../support/slack.ts"

layer(administration, options)("a season's choice of fleets", (it) => {
  it.effect("lets its own runners, the platform's or both at its matches, and at its candidates, whatever the other is", () =>
    Effect.gen(function* () {
      const { id, url } = yield* playing("spring")
      yield* anotherBaseline(id, "waiting", false)
      const uses = ["own", "platform", "both"] as const
      for (const matches of uses) {
        for (const admissions of uses) {
          yield* patch(url("/fleet"), { matches, admissions })
          // keys of their own each time: one that gives leases back at once is kept back after a few
          const own = { of: "own", ...(yield* runnerOf(url("/runner-keys"))) }
          const platform = { of: "platform", ...(yield* runnerOf(ofPlatform)) }
          for (const { lease, of, release } of [own, platform]) {
            const works = yield* lease({ max: 4 })
            const at = `${of} where matches are for ${matches} and admissions for ${admissions}`
            const kinds = new Set(works.map(({ kind }) => kind))
            assert.deepStrictEqual(kinds.has("match"), matches === of || matches === "both", at)
            assert.deepStrictEqual(kinds.has("admission"), admissions === of || admissions === "both", at)
            for (const work of works) yield* release(work)
          }
        }
      }
    })
  )
})

layer(administration, options)("the platform's runners", (it) => {
  it.effect("that take several pieces of work at once take them of every season that has some, and all where there is but one", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* season("one"), yield* season("two")]
      for (const { id } of [one, two]) for (const name of ["a", "b", "c", "d", "e"]) yield* anotherBaseline(id, name, false)
      const { lease } = yield* runnerOf(ofPlatform, { slots: 16, accepts: ["admission"] })
      const seasonsOf = (works: ReadonlyArray<Work>) =>
        Effect.forEach(works, ({ lease }) =>
          Effect.map(rows<any>`SELECT season_id AS id FROM version WHERE id = ${lease.split(".")[0]!}`, ([row]) => row.id)
        )
      const first = yield* seasonsOf(yield* lease({ max: 4 }))
      assert.deepStrictEqual(
        [one, two].map(({ id }) => first.filter((each) => each === id).length),
        [2, 2]
      )
      yield* post(one.url("/close"))
      const rest = yield* seasonsOf(yield* lease({ max: 10 }))
      assert.deepStrictEqual(rest, [two.id, two.id, two.id])
      yield* post(two.url("/close")) // its leases may run out while the next test plays
    })
  )

  it.effect("are shared alike by the seasons that have work, a new one included, and what a season's own do is not counted", () =>
    Effect.gen(function* () {
      const seasons = [yield* playing("old"), yield* playing("older")]
      const own = yield* runnerOf(seasons[0]!.url("/runner-keys"))
      const { lease } = yield* runnerOf(ofPlatform, { slots: 1 })
      const seasonOf = (match: string) => Effect.map(rows<any>`SELECT season_id AS id FROM match WHERE id = ${match}`, ([row]) => row.id)
      const served: Array<string> = []
      let last: Work | undefined
      const serve = Effect.fnUntraced(function* (times: number) {
        for (let i = 0; i < times; i++) {
          yield* Effect.sleep("20 millis") // of a busy fleet they are shared alike by the second
          const [work] = yield* lease(last === undefined ? {} : { results: [resultOf(last)] })
          if (last !== undefined) served.push(yield* seasonOf(last.match_id))
          last = work!
        }
      })
      yield* serve(40)
      for (let i = 0, results: ReadonlyArray<object> = []; i < 40; i++) results = (yield* own.lease({ results })).map(resultOf)
      seasons.push(yield* playing("new"))
      yield* serve(160)
      const ofEach = (from: number, to: number) => seasons.map(({ id }) => served.slice(from, to).filter((season) => season === id).length)
      assert.deepStrictEqual(ofEach(0, 40).toSorted(), [0, 20, 20])
      for (let from = 40; from + 12 <= served.length; from++) {
        const shares = ofEach(from, from + 12)
        assert.isAtMost(Math.max(...shares), 2 * Math.min(...shares), `leases ${from} to ${from + 12}: ${shares.join(", ")}`)
      }
      const after = ofEach(40, served.length)
      assert.isAtMost(Math.max(...after) - Math.min(...after), 2, after.join(", "))
    })
  )
})

layer(administration, options)("runners that wait", (it) => {
  it.effect("are told as soon as there is work, whatever brought it about", () =>
    Effect.gen(function* () {
      const { id, url } = yield* playing("waits")
      const held = yield* runnerOf(url("/runner-keys"))
      const works = yield* held.lease({ max: 4 }) // all that there is: each baseline is in a match on each ladder
      const { lease } = yield* runnerOf(ofPlatform)
      assert.deepStrictEqual(yield* lease(), [])
      /** How long after the cause was answered the runner that waits has its lease; it is given back. */
      const wakes = Effect.fnUntraced(function* <E, R>(what: string, cause: Effect.Effect<unknown, E, R>) {
        const runner = yield* runnerOf(ofPlatform)
        const polling = yield* Effect.forkChild(Effect.map(runner.lease({ wait_s: 25 }), (works) => ({ works, at: performance.now() })))
        yield* parked(1)
        assert.isUndefined(polling.pollUnsafe(), what)
        yield* cause
        const caused = performance.now()
        const { at, works } = yield* Fiber.join(polling)
        assert.lengthOf(works, 1, what)
        assert.isBelow(at - caused, allowed(1_500), what)
        return { ...runner, work: works[0]! }
      })
      const taken = yield* wakes("a lease given back", held.release(works[0]!))
      const again = yield* wakes("a lease lost on the way", taken.say("/leases", { runner: taken.runner, max: 0, wait_s: 0, holds: [] }))
      yield* patch(url("/maps/plain"), { enabled: false })
      yield* again.release(again.work) // withdrawn: its board is out of play
      yield* wakes("a candidate", anotherBaseline(id, "candidate", false))
      yield* wakes("a board in play", patch(url("/maps/plain"), { enabled: true }))
      yield* wakes("a key revoked", remove(url(`/runner-keys/${held.key_id}`)))
      const other = yield* season("other")
      yield* wakes("a candidate of another season", anotherBaseline(other.id, "elsewhere", false))
    })
  )

  it.effect("are told of the work of a season that was made while they waited", () =>
    Effect.gen(function* () {
      const { lease } = yield* runnerOf(ofPlatform)
      const polling = yield* Effect.forkChild(Effect.map(lease({ wait_s: 25 }), (works) => ({ works, at: performance.now() })))
      yield* parked(1)
      yield* anotherBaseline((yield* season("made")).id, "first", false)
      const caused = performance.now()
      const { at, works } = yield* Fiber.join(polling)
      assert.deepStrictEqual(
        works.map(({ kind }) => kind),
        ["admission"]
      )
      assert.isBelow(at - caused, allowed(1_500))
    })
  )

  it.effect("get nothing once they are stopped or their key is revoked, and the next one gets it instead, at once", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("stops")
      const runners = [
        yield* runnerOf(url("/runner-keys")),
        yield* runnerOf(url("/runner-keys")),
        yield* runnerOf(url("/runner-keys"))
      ] as const
      let waiting = 0
      const polls = yield* Effect.forEach(runners, ({ lease }) =>
        Effect.tap(
          Effect.forkChild(Effect.map(lease({ wait_s: 25 }), (works) => ({ works, at: performance.now() }))),
          parked((waiting += 1))
        )
      )
      yield* remove(url(`/runners/${runners[0].runner}`))
      yield* remove(url(`/runner-keys/${runners[1].key_id}`))
      yield* anotherBaseline(id, "wanted", false)
      const caused = performance.now()
      const { at, works } = yield* Fiber.join(polls[2]!)
      assert.lengthOf(works, 1)
      assert.isBelow(at - caused, allowed(1_500))
      const [first, second] = [yield* Fiber.join(polls[0]!), yield* Fiber.join(polls[1]!)]
      assert.deepStrictEqual([first.works, second.works], [[], undefined]) // the answer to a key that has ended is 401
    })
  )
})

layer(administration, options)("what is said of play and admission", (it) => {
  it.effect("is true after every step: how many matches are played, what waits, and who could examine it", () =>
    Effect.gen(function* () {
      const { id, url } = yield* playing("counted")
      const own = yield* runnerOf(url("/runner-keys"))
      const platform = yield* runnerOf(ofPlatform)
      let [ownAdmitters, platformAdmitters] = [1, 1]
      const now = Effect.gen(function* () {
        const { playing } = (yield* read(url("/playing"))).json
        const { admissions } = (yield* read(url("/runner-keys"))).json
        const status = (yield* read("/v1/status")).json
        assert.deepStrictEqual(
          [status.playing, status.admitters],
          [playing, platformAdmitters + ownAdmitters],
          "the platform's status agrees"
        )
        return [playing, admissions.queued, admissions.admitters, admissions.reach]
      })
      const is = Effect.fnUntraced(function* (what: string, ...expected: ReadonlyArray<unknown>) {
        assert.deepStrictEqual(yield* now, [...expected], what)
      })
      yield* is("at first", 0, 0, 2, "both")
      const [first, second] = yield* own.lease({ max: 2 })
      yield* is("two are leased", 2, 0, 2, "both")
      yield* own.lease({ max: 0, results: [resultOf(first!)] })
      yield* is("one is reported", 1, 0, 2, "both")
      yield* own.release(second!)
      yield* is("the other is given back", 0, 0, 2, "both")
      yield* anotherBaseline(id, "waiting", false)
      yield* is("a candidate waits", 0, 1, 2, "both")
      const [review] = yield* own.lease()
      yield* is("it is examined", 0, 0, 2, "both")
      yield* own.release(review!)
      yield* is("it waits again", 0, 1, 2, "both")
      yield* patch(url("/fleet"), { admissions: "platform" })
      yield* is("its own may not examine it", 0, 1, 1, "platform")
      yield* patch(url("/fleet"), { admissions: "both" })
      const [third] = yield* own.lease({ max: 2 }).pipe(Effect.map((works) => works.filter(({ kind }) => kind === "match")))
      assert.isDefined(third)
      yield* remove(url(`/runner-keys/${own.key_id}`))
      ownAdmitters = 0
      yield* is("its key is revoked in the middle of a match and a review", 0, 1, 1, "platform")
      yield* remove(`/v1/runners/${platform.runner}`)
      platformAdmitters = 0
      yield* is("the platform's is stopped", 0, 1, 0, "none")
      const fresh = yield* runnerOf(ofPlatform)
      platformAdmitters = 1
      yield* is("another comes", 0, 1, 1, "platform")
      yield* fresh.lease()
      yield* post(url("/close"))
      assert.deepStrictEqual((yield* read(url("/playing"))).json.playing, 0)
    })
  )
})
