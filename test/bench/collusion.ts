/**
 * How often pairs of owners are said to agree more than chance allows: in fields where nobody colludes, and
 * in such where an entry loses to one other on purpose, in a share of their matches (a quarter as many
 * fields). The season's own pairing and ratings, known strengths.
 *
 *   node test/bench/collusion.ts [fields, 200] [entries, 20] [games, 200] [seats, 2] [field, static] [spread, 200] [entries an owner, 1] [how]
 *
 * With `class` the two are alone in a weight class, whose matches count on open as well. With `hinders` the strongest entry
 * puts the second one place lower in the share of their matches, and falls a place itself.
 */

import { ranksOf } from "@agon/domain/match/Outcome.ts"
import { Companions } from "@agon/domain/rating/coincidence/Companions.ts"
import { type OwnedSeat, OwnerPairs } from "@agon/domain/rating/coincidence/OwnerPairs.ts"
import { draw } from "@agon/domain/season/Random.ts"
import { type FieldOptions, makeField, sourceOf } from "../../packages/cli/src/season/simulate/Field.ts"
import { machine } from "../../packages/cli/src/season/simulate/machine.ts"

const [fields = "200", entries = "20", games = "200", seats = "2", field = "static", spread = "200", each = "1", how] =
  process.argv.slice(2)
const options: FieldOptions = {
  ...{ entries: Number(entries), games: Number(games), seats: Number(seats), spread: Number(spread) },
  ...{ field: field as FieldOptions["field"], draws: 0 }
}
const ownerOf = (slot: number) => `owner ${Math.floor(slot / Number(each))}`
/** In the middle of the order by strength, one place apart: they meet often. */
const conspirators = (strengths: ReadonlyArray<number>) => {
  const order = strengths.map((_, slot) => slot).sort((a, b) => strengths[a]! - strengths[b]!)
  const middle = Math.floor(order.length / 2)
  return how === "hinders" ? { giver: order.at(-1)!, gainer: order.at(-2)! } : { giver: order[middle]!, gainer: order[middle - 1]! }
}

/** The first lets the second have the better of their two places. */
const throwTo = (scores: ReadonlyArray<number>, giver: number, gainer: number) => {
  const [more, less] = [Math.max(scores[giver]!, scores[gainer]!), Math.min(scores[giver]!, scores[gainer]!)]
  return scores.with(giver, less).with(gainer, more)
}

/** Each of the two changes places with the next below that is neither of them. */
const hinder = (scores: ReadonlyArray<number>, ...two: [number, number]) =>
  two.reduce((left, seat) => {
    const below = left.flatMap((score, at) => (score < left[seat]! && !two.includes(at) ? [{ at, score }] : []))
    const [next] = below.sort((a, b) => b.score - a.score)
    return next === undefined ? left : left.with(seat, next.score).with(next.at, left[seat]!)
  }, scores)

/** A field in which the two collude in a share of their matches. */
const play = (seed: number, share: number) => {
  const truth = makeField(options, seed)
  const plot = conspirators(truth.strengths)
  const league = machine(options, seed, how === "class" ? [plot.giver, plot.gainer] : [])
  const pairs = new OwnerPairs()
  const companions = new Companions()
  const chance = sourceOf(seed, 21)
  let met = 0
  const matches = Math.round((options.games * options.entries) / options.seats)
  for (let n = 1; n <= matches; n++) {
    const slots = league.pair()
    const outcome = truth.play(slots)
    let scores = outcome.scores
    const [giver, gainer] = [slots.indexOf(plot.giver), slots.indexOf(plot.gainer)]
    if (giver >= 0 && gainer >= 0) {
      met++
      if (draw(chance) < share) scores = how === "hinders" ? hinder(scores, gainer, giver) : throwTo(scores, giver, gainer)
    }
    const before = slots.map((slot) => league.rating(slot).mu)
    league.report({ ...outcome, scores })
    const ranks = ranksOf(scores, outcome.crashed)
    // As the service has it: the mean from before the match, the deviation from after it.
    const seats = slots.map(
      (slot, i): OwnedSeat => ({ owner: ownerOf(slot), mu: before[i]!, sigma: league.rating(slot).sigma, rank: ranks[i]! })
    )
    pairs.add(seats)
    companions.add(seats)
    const renewed = truth.renewed(n)
    if (renewed !== undefined) league.renew(renewed)
  }
  const judgement = pairs.judge()
  const beside = companions.judge()
  const [giver, gainer] = [ownerOf(plot.giver), ownerOf(plot.gainer)]
  const better = truth.strengths.filter((_, slot) => league.rating(slot).mu > league.rating(plot.gainer).mu)
  return {
    met,
    judgement,
    found: judgement.pairs.some((pair) => pair.giver === giver && pair.gainer === gainer),
    others: judgement.pairs.filter((pair) => !(pair.giver === giver && pair.gainer === gainer)).length,
    beside,
    hindered: beside.pairs.some(({ companion, owner, z }) => owner === gainer && companion === giver && z < 0),
    on_podium: better.length < PODIUM
  }
}

const PODIUM = 3
const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
console.log(
  `${fields} fields of ${entries} entries, ${games} games each, ${seats} seats, ${field}, spread ${spread}, ${each} an owner${how === "class" ? ", two alone in a class" : ""}`
)
for (const share of [0, 1, 0.5, 0.2]) {
  const played = Array.from({ length: Math.ceil(Number(fields) / (share === 0 ? 1 : 4)) }, (_, i) => play(i + 1, share))
  const of = (what: (one: ReturnType<typeof play>) => number) => mean(played.map(what))
  console.log(
    [
      `thrown ${share.toFixed(1)}`,
      `met ${of(({ met }) => met).toFixed(0)}`,
      `judged ${of(({ judgement }) => judgement.judged).toFixed(0)}`,
      `inflation ${of(({ judgement }) => judgement.inflation).toFixed(2)}`,
      `found ${of(({ found }) => Number(found)).toFixed(3)}`,
      `fields with another pair ${of(({ others }) => Number(others > 0)).toFixed(3)}`,
      `beside each other: judged ${of(({ beside }) => beside.judged).toFixed(0)}`,
      `fields with one ${of(({ beside }) => Number(beside.pairs.length > 0)).toFixed(3)}`,
      ...(how === "hinders"
        ? [
            `hindered found ${of(({ hindered }) => Number(hindered)).toFixed(3)}`,
            `on the podium ${of(({ on_podium }) => Number(on_podium)).toFixed(3)}`
          ]
        : [])
    ].join("  ")
  )
}
