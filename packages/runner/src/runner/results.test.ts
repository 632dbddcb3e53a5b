import type { Result, Work } from "@agon/api/runner/protocol.ts"
import { assert, describe, it } from "@effect/vitest"
import { type Done, requestOf } from "./results.ts"

const done = (lease: number, bytes?: number): Done => {
  const replay = { hash: "", bytes: bytes ?? 1_000_000, ...(bytes === undefined ? {} : { inline: "x".repeat(bytes) }) }
  return { work: { lease: String(lease) } as Work, result: { kind: "match", replay } as unknown as Result }
}
const leasesOf = (results: ReadonlyArray<Done>) => results.map(({ work }) => work.lease)

describe("the results of one request", () => {
  it("are no more than the runner has slots, in their order", () => {
    assert.deepStrictEqual(leasesOf(requestOf([done(1), done(2), done(3)], 2)), ["1", "2"])
    assert.deepStrictEqual(leasesOf(requestOf([done(1)], 2)), ["1"])
    assert.deepStrictEqual(requestOf([], 2), [])
  })

  it("have replays of 128 KiB at most, uploaded ones not counted, and at least one is among them", () => {
    const all = [done(1, 65_536), done(2), done(3, 65_536), done(4, 1), done(5)]
    assert.deepStrictEqual(leasesOf(requestOf(all, 9)), ["1", "2", "3"])
    assert.deepStrictEqual(leasesOf(requestOf([done(1, 200_000), done(2, 1)], 9)), ["1"])
  })
})
