import { assert, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { restore, type Snapshot, snapshot } from "../State.ts"
import { heapKeyOf } from "../TurnOrder.ts"
import { lease, owner, season, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

/** Their keys are equal once they are owed nothing: what that adds rounds them to the same number. */
const [FIRST, SECOND] = [10_952, 11_217]
const ordOf = (id: string): number | undefined => new Map([version(4), version(5)].map((one, i) => [one, [FIRST, SECOND][i]])).get(id)

/** A round in which one entry is owed a game, two more of its owner are owed none, and neither are two of others with equal keys. */
const rows = (): { readonly at: number; readonly rows: Snapshot } => {
  const { now, state } = season(5)
  const at = now + 1_000
  step(state, { _tag: "PlanRound", kind: "round", games: 7, starts_at: at }, now)
  step(state, { _tag: "Tick" }, at)
  committed(state)
  const { ratings, versions, ...rest } = structuredClone(snapshot(state))
  const games = (id: string) => (id === version(1) ? 6 : 7)
  return {
    at,
    rows: {
      ...rest,
      versions: versions.map((row) => ({ ...row, ord: ordOf(row.id) ?? row.ord, owner: ordOf(row.id) ? row.owner : owner(1) })),
      ratings: ratings.map((row) => ({
        ...row,
        ord: ordOf(row.version) ?? row.ord,
        ladder_games: 7,
        virtual_games: games(row.version),
        failed: ordOf(row.version) ? 1 : 0
      }))
    }
  }
}

it("of strangers with equal keys the same one plays, in whatever order the ratings were read", () => {
  const [one, other] = [FIRST, SECOND].map((ord) => heapKeyOf({ ord, ladder_games: 7, virtual_games: 7, failed: 1 }) + 2 ** 24)
  assert.strictEqual(one, other)
  const { at, rows: read } = rows()
  const seats = (ratings: Snapshot["ratings"]) => {
    const [work] = lease(restore(structuredClone({ ...read, ratings })), at + 1)
    return work?.kind === "match" ? work.versions.toSorted() : []
  }
  assert.deepStrictEqual(seats(read.ratings), [version(1), version(4)])
  assert.deepStrictEqual(seats(read.ratings.toReversed()), [version(1), version(4)])
})
