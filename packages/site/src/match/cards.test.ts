import type { CardSeat, MatchCard } from "@agon/api/match/Match.ts"
import { assert, describe, it } from "vitest"
import { inPublic } from "../html/links.ts"
import { matchTable } from "./cards.ts"

const seat = (n: number, model: string, rank: number, score: number): CardSeat => ({
  ...{ seat: n, model_id: model, version_id: "v", model, owner: null, rank, score }
})

const card = (seats: ReadonlyArray<CardSeat>, more: Partial<MatchCard> = {}): MatchCard => ({
  ...{ id: "m", game: "snakes", season: "s", ladder: "open", map: "open-7", is_trial: false, status: "rated", turns: 9 },
  ...{ reason: "all_out", played_at: null, comments: 0, seats, ...more }
})

const shown = (cards: ReadonlyArray<MatchCard>, of?: string) => String(matchTable(inPublic, "Matches", cards, (_, season) => season, of))
const words = (text: string) => text.replaceAll(/<[^>]*>/g, "")

describe("a list of matches", () => {
  it("has the winner in front and bold, and a sign of equality between models of the same rank", () => {
    const rows = shown([card([seat(0, "Alpha", 2, 50), seat(1, "Beta", 1, 1_200), seat(2, "Gamma", 2, 50)])])
    assert.include(rows, "<b><bdi>Beta</bdi></b> <small>1,200</small>")
    assert.notInclude(rows, "<b><bdi>Alpha")
    assert.include(words(rows), "Beta 1,200 – Alpha 50 = Gamma 50")
  })

  it("has columns only for what differs: seasons, comments", () => {
    const one = card([seat(0, "Alpha", 1, 2), seat(1, "Beta", 2, 1)])
    assert.notMatch(shown([one, one]), /Season|Comments/)
    assert.include(shown([one, { ...one, season: "t" }]), '<a href="/games/snakes/seasons/t">')
    assert.include(words(shown([one, { ...one, comments: 3 }])), "3 comments")
  })

  it("has figures with their words, one in the singular, for where it has no headings", () => {
    const seats = [seat(0, "Alpha", 1, 2), seat(1, "Beta", 2, 1)]
    const of = (more: Partial<MatchCard>) => words(shown([card(seats, more)]))
    assert.match(of({ turns: 9, comments: 2 }), /9 turns\n[\s\S]*2 comments\n/)
    assert.match(of({ turns: 1, comments: 1 }), /1 turn\n[\s\S]*1 comment\n/)
    assert.notMatch(of({ turns: null }), /turns\n/)
  })

  it("tells the place of one model, and whether it shared it", () => {
    const of = (alpha: number, beta: number) => words(shown([card([seat(0, "Alpha", alpha, 2), seat(1, "Beta", beta, 2)])], "Alpha"))
    assert.include(of(1, 2), "1 of 2, won")
    assert.include(of(2, 1), "2 of 2, lost")
    assert.include(of(1, 1), "1 of 2, shared")
  })
})
