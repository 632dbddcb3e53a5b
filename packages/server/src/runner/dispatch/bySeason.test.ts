import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Holdings } from "../session/Holdings.ts"
import { bySeason } from "./bySeason.ts"

const lease = (n: number) => `019a0000-0000-7000-8000-00000000000${n}.1`
const season = (n: number) => (n < 4 ? "first" : "second")
const asking = { runner: "r1", max: 1, wait_s: 0, results: [] }

/** A runner that was given these leases, 1 to 3 of one season and others of another. */
const given = (...leases: ReadonlyArray<number>) => {
  const holdings = new Holdings()
  holdings.know(
    "r1",
    leases.map((n) => ({
      lease: lease(n),
      runner: "r1",
      key: "k1",
      season: season(n),
      seats: 2,
      max_turns: 500,
      strike_limit: 3,
      is_finals: false
    }))
  )
  return { holdings, seasonOf: () => Effect.undefined }
}

it.effect("leases that the runner does not name are lost, each named to its season beside all that the runner has", () =>
  Effect.gen(function* () {
    const calls = given(1, 2, 3, 4)
    const about = yield* bySeason(calls, "r1", { ...asking, holds: [lease(1), lease(9)] })
    const holds = [lease(1), lease(9)]
    assert.deepStrictEqual(Object.fromEntries(about), {
      first: { results: [], lost: { leases: [lease(2), lease(3)], holds } },
      second: { results: [], lost: { leases: [lease(4)], holds } }
    })
    assert.deepStrictEqual(
      calls.holdings.of("r1").map((each) => each.lease),
      [lease(1)]
    )
  })
)

it.effect("a lease whose result comes is not lost, and a request that says nothing of leases loses none", () =>
  Effect.gen(function* () {
    const results = [{ kind: "unheld", lease: lease(1) } as const]
    const reported = yield* bySeason(given(1, 4), "r1", { ...asking, holds: [lease(4)], results })
    assert.deepStrictEqual([...reported], [[undefined, { results }]])
    const silent = yield* bySeason(given(1, 4), "r1", asking)
    assert.strictEqual(silent.size, 0)
  })
)
