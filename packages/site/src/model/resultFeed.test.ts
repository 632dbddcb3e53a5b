import type { CardSeat, MatchCard } from "@agon/api/match/Match.ts"
import { assert, it } from "vitest"
import { entryOf } from "./resultFeed.ts"

const seat = (n: number, model: string, rank: number | null): CardSeat => ({
  ...{ seat: n, model_id: model, version_id: "v", model, owner: null, rank, score: 7 }
})

const titleOf = (...ranks: ReadonlyArray<number | null>) => {
  const card: MatchCard = {
    ...{ id: "01a21ea1-4154-7231-9542-4b3400000759", game: "snakes", season: "s", ladder: "open", map: "open-7", is_trial: false },
    ...{ status: "rated", turns: 9, reason: "all_out", played_at: "2026-11-27T20:10:14.694Z", comments: 0 },
    seats: ranks.map((rank, n) => seat(n, ["Alpha", "Beta", "Gamma"][n]!, rank))
  }
  return entryOf("Alpha")(card).map(({ title }) => title)
}

it("a result tells the place, and whether another has it too, as the page of the model does", () => {
  assert.deepStrictEqual(titleOf(1, 2), ["Place 1 of 2 against Beta"])
  assert.deepStrictEqual(titleOf(1, 1), ["Place 1 of 2, shared, against Beta"])
  assert.deepStrictEqual(titleOf(2, 1, 2), ["Place 2 of 3, shared, against Beta, Gamma"])
  assert.deepStrictEqual(titleOf(1, 2, 2), ["Place 1 of 3 against Beta, Gamma"])
})
