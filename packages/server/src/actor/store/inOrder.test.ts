import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { LadderRatingRow } from "@agon/domain/season/rating/LadderRating.ts"
import { assert, it } from "@effect/vitest"
import { inOrder } from "./inOrder.ts"

/** In order; every fourth version is on no ladder. */
const rowsOf = (versions: number) =>
  LADDERS.toSorted().flatMap((ladder) =>
    Array.from({ length: versions }, (_, i) => ({ ord: 1 + i, ladder }) as LadderRatingRow).filter(({ ord }) => ord % 4 > 0)
  )

it("ratings are in the order of ladders and versions, in whatever order they were read", () => {
  const rows = rowsOf(1_000)
  const step = 1_009 // prime: every one comes once
  const shuffled = rows.map((_, i) => rows[(i * step) % rows.length]!)
  assert.notDeepEqual(shuffled, rows)
  for (const read of [rows, rows.toReversed(), shuffled]) assert.deepStrictEqual(inOrder(read), rows)
  assert.deepStrictEqual(inOrder([]), [])
})

it("so are those of a hundred thousand versions", () => {
  const rows = rowsOf(100_000)
  const ordered = inOrder(rows.toReversed())
  assert.isTrue(ordered.every((row, i) => row === rows[i]))
})
