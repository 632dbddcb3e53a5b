import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { replayUploadKey } from "../../object/keys.ts"
import { makeDropUploads } from "./dropUploads.ts"

const results = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ kind: "unheld", lease: `l${from + i}` }) as const)

it.effect("uploads of accepted results are removed beside the answer, eight at once, and what finds no place is left to the sweep", () =>
  Effect.gen(function* () {
    const removed: Array<string> = []
    const remove = (key: string) =>
      Effect.delay(
        Effect.sync(() => void removed.push(key)),
        "20 seconds"
      )
    const drop = yield* makeDropUploads({ remove })
    yield* drop(results(0, 10)) // on a clock that stands still: it waits for no removal
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(
      removed.toSorted(),
      results(0, 8).map(({ lease }) => replayUploadKey(lease))
    )
    yield* TestClock.adjust("20 seconds")
    assert.lengthOf(removed, 10)
    yield* drop(results(10, 5_000))
    yield* TestClock.adjust("2 hours")
    assert.isTrue(removed.length >= 1_010 && removed.length <= 1_018, `${removed.length}`)
  })
)
