import type { Frame, Seat } from "@agon/api/match/Match.ts"
import { assert, describe, it } from "vitest"
import { inPublic } from "../html/links.ts"
import { change, seatTable } from "./seats.ts"

const seat = (n: number, model: string, rank: number): Seat => ({
  ...{ seat: n, model_id: model, version_id: "v", model, owner: null, rank, score: 1, version: 1, class: "nano" },
  ...{ strikes: 0, outcome: rank === 1 ? "win" : "loss", rating_change: { open: rank === 1 ? 3 : -3 } }
})
const match = { game: "snakes", seats: [seat(0, "Alpha", 2), seat(1, "Beta", 1)] }

/** A view of the snakes engine in which the seats have gone out by these causes. */
const frameOf = (...outs: ReadonlyArray<string | null>): Frame => ({
  ...{ match: "m", turn: 9, seats: [] },
  view: {
    ...{ format: "snakes-view/1", rows: 5, cols: 5, turn: 9, walls: [], food: [] },
    seats: outs.map((out) => ({ body: [], health: 50, length: 4, out }))
  }
})

describe("the seats of a match", () => {
  it("stand with the winner first, and say why the others went out", () => {
    const rows = String(seatTable(inPublic, match, frameOf("wall", null)))
    assert.isBelow(rows.indexOf("Beta"), rows.indexOf("Alpha"))
    assert.include(rows, '<th scope="col">Out by</th>')
    assert.match(rows, /Alpha[\s\S]*<td>hit a wall<\/td>/)
  })

  it("colour a change of rating that shows, and none that is shown as nothing", () => {
    const colours = [3, -3, 0.04, -0.04, 0].map((by) => /class="(\w+)"/.exec(String(change(by)))?.[1])
    assert.deepStrictEqual(colours, ["good", "bad", undefined, undefined, undefined])
  })

  it("say nothing of it where the last position is not known, or nobody went out", () => {
    for (const frame of [undefined, { ...frameOf(), view: null }, { ...frameOf(), view: { format: "none" } }, frameOf(null, null)])
      assert.notInclude(String(seatTable(inPublic, match, frame)), "Out by")
  })
})
