import { hashOf } from "@agon/engine/hash.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { commandOf, faultsOf, takeReplays } from "./results.ts"
import { TakenReplays } from "./TakenReplays.ts"

const known = new Set(["v"])
const holding = { lease: "l", runner: "r", key: "k", season: "s", seats: 2, max_turns: 500, strike_limit: 3, is_finals: false }
const seat = (number: number, score: number, rank: number, strikes = 0) => ({ seat: number, score, rank, strikes })
const result = (...seats: ReadonlyArray<ReturnType<typeof seat>>) =>
  ({
    kind: "match",
    runtime_version: "v",
    reason: "last_standing",
    turns: 1,
    played_ms: 1,
    seats,
    state_sha256: "0",
    replay: { hash: `sha256:${"0".repeat(64)}`, bytes: 2 }
  }) as const

describe("a result on its way to a season", () => {
  it("is sound where its ranks follow from scores and forfeits, in whatever order the seats stand", () => {
    assert.deepStrictEqual(faultsOf(result(seat(1, 5, 2), seat(0, 9, 1)), holding, "", known), [])
    assert.deepStrictEqual(faultsOf(result(seat(0, 9, 2, 3), seat(1, 5, 1)), holding, "", known), []) // a forfeit comes last
    assert.deepStrictEqual(faultsOf({ ...result(seat(0, 9, 1), seat(1, 5, 2)), turns: 500 }, holding, "", known), []) // the last turn
  })
  const faults = [
    ["a rank that contradicts the scores", result(seat(0, 9, 2), seat(1, 5, 1))],
    ["a tie that is none", result(seat(0, 9, 1), seat(1, 5, 1))],
    ["a forfeit before the others", result(seat(0, 9, 1, 3), seat(1, 5, 2))],
    ["a seat too few", result(seat(0, 9, 1))],
    ["a seat that stands twice", result(seat(0, 9, 1), seat(0, 5, 2))],
    ["more turns than the rules have", { ...result(seat(0, 9, 1), seat(1, 5, 2)), turns: 501 }],
    ["more strikes than end a seat", result(seat(0, 9, 1), seat(1, 5, 2, 4))],
    ["a runtime that nobody knows", { ...result(seat(0, 9, 1), seat(1, 5, 2)), runtime_version: "mine" }],
    ["work of another kind", { kind: "admission", runtime_version: "v", verdict: "failed", detail: "" }]
  ] as const
  for (const [what, wrong] of faults) {
    it(`is refused for ${what}, with the place where it is wrong`, () => {
      assert.match(faultsOf(wrong, holding, "results.3.", known)[0]!.path, /^results\.3\./)
    })
  }
  it("of other work is refused with the kind that its lease is for", () => {
    const [fault] = faultsOf({ kind: "admission", runtime_version: "v", verdict: "failed", detail: "" }, holding, "", known)
    assert.deepStrictEqual(fault, { path: "kind", message: "The lease is for work of kind match, and not admission." })
  })
  it("reaches the machine with its seats in order", () => {
    const command = commandOf("k", { lease: "l", ...result(seat(1, 5, 2), seat(0, 9, 1)) })
    assert.deepInclude(command, { _tag: "ReportMatch", key: "k", lease: "l" })
    assert.deepStrictEqual(command?._tag === "ReportMatch" && command.outcome.seats.map(({ score }) => score), [9, 5])
  })
})

describe("a replay within its result", () => {
  /** Brings so many different replays of one lease; answers which objects are put, and how many replays are taken. */
  const brought = Effect.fnUntraced(function* (replays: number, areRows: boolean, more = 0, free = 1) {
    const put: Array<string> = []
    const objects = Layer.mock(ObjectStore, { freeShare: Effect.succeed(free), put: (key) => Effect.sync(() => void put.push(key)) })
    const taken = new TakenReplays()
    const uploads = { sweep: Effect.succeed(0), take: (lease: string, hash: string) => taken.take(lease, hash) }
    const take = (n: number) => {
      const inline = `replay ${n}`
      const replay = { hash: hashOf(Buffer.from(inline)), bytes: inline.length + more, inline }
      const told = { ...result(seat(0, 9, 1), seat(1, 5, 2)), lease: "01900000-0000-7000-8000-000000000001.1", replay }
      return ObjectStore.use((store) => Effect.exit(takeReplays({ objects: store, uploads, areRows }, [told], () => "")))
    }
    const exits = yield* Effect.forEach(
      Array.from({ length: replays }, (_, n) => n),
      take
    ).pipe(Effect.provide(objects))
    return { put: put.length, taken: exits.filter(({ _tag }) => _tag === "Success").length }
  })

  it.effect("is put where it is to be an object, of a lease as few as were uploaded for it, and only one of the size that was told", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* brought(20, true), { put: 0, taken: 20 })
      assert.deepStrictEqual(yield* brought(20, false), { put: 16, taken: 16 })
      assert.deepStrictEqual(yield* brought(3, false, 1), { put: 0, taken: 0 })
    })
  )

  it.effect("is not taken where the disk is nearly full, be it a row or an object", () =>
    Effect.gen(function* () {
      for (const areRows of [true, false]) {
        assert.strictEqual((yield* brought(3, areRows, 0, 0.019)).taken, 0)
        assert.strictEqual((yield* brought(3, areRows, 0, 0.02)).taken, 3)
      }
    })
  )
})
