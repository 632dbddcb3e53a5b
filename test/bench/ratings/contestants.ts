/** Ratings of the same field by other methods, from the same matches in the same order. */
import { type Rating, START } from "@agon/domain/rating/Rating.ts"
import { type Rating as OpenSkill, rate, rating } from "openskill"
import { type Match, refit } from "./refit.ts"

export interface Contestant {
  readonly name: string
  readonly rate: (entries: number, matches: ReadonlyArray<Match>) => ReadonlyArray<Rating>
}

/** With its own constants; its scale (a start of 25 and 25/3) is stretched to ours. */
const openskill: Contestant = {
  name: "openskill",
  rate: (entries, matches) => {
    const players: Array<OpenSkill> = Array.from({ length: entries }, () => rating())
    for (const { ranks, slots } of matches) {
      const after = rate(
        slots.map((slot) => [players[slot]!]),
        { rank: [...ranks] }
      )
      slots.forEach((slot, i) => {
        players[slot] = after[i]![0]!
      })
    }
    const stretch = START.sigma / rating().sigma
    return players.map(({ mu, sigma }) => ({ mu: (mu - rating().mu) * stretch, sigma: sigma * stretch }))
  }
}

/**
 * Every pair of a match's seats is a game; K is shared among a seat's pairs. It has no deviation;
 * that of START stands for it.
 */
const elo = (k: number): Contestant => ({
  name: `Elo, K ${k}`,
  rate: (entries, matches) => {
    const mus = new Float64Array(entries)
    for (const { ranks, slots } of matches) {
      const before = slots.map((slot) => mus[slot]!)
      slots.forEach((slot, i) =>
        slots.forEach((_, j) => {
          if (i === j) return
          const score = ranks[i]! < ranks[j]! ? 1 : ranks[i] === ranks[j] ? 0.5 : 0
          mus[slot]! += (k / (slots.length - 1)) * (score - 1 / (1 + 10 ** ((before[j]! - before[i]!) / 400)))
        })
      )
    }
    return Array.from(mus, (mu) => ({ mu, sigma: START.sigma }))
  }
})

export const CONTESTANTS: ReadonlyArray<Contestant> = [
  openskill,
  elo(16),
  elo(32),
  { name: "whole history", rate: (entries, matches) => refit(entries, matches, START.sigma).ratings },
  { name: "refit", rate: (entries, matches) => refit(entries, matches).ratings }
]
