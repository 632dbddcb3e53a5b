/**
 * How often pairs of owners are said to agree more than chance allows: in fields where nobody colludes, and
 * in such where an entry loses to one other on purpose, in a share of their matches (a quarter as many
 * fields). The season's own pairing and ratings, known strengths.
 *
 *   node test/bench/collusion.ts [fields, 200] [entries, 20] [games, 200] [seats, 2] [field, static] [spread, 200] [entries an owner, 1] [class]
 *
 * With `class` the two are alone in a weight class, whose matches count on open as well.
 */

import { ranksOf } from "@agon/domain/match/Outcome.ts"
import { type OwnedSeat, OwnerPairs } from "@agon/domain/rating/OwnerPairs.ts"
import { draw } from "@agon/domain/season/Random.ts"
import { type FieldOptions, makeField, sourceOf } from "../../packages/cli/src/season/simulate/Field.ts"
import { machine } from "../../packages/cli/src/season/simulate/machine.ts"

const [fields = "200", entries = "20", games = "200", seats = "2", field = "static", spread = "200", each = "1", alone] =
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
  return { giver: order[middle]!, gainer: order[middle - 1]! }
}

/** A field in which `giver` lets `gainer` have the better of their two places in a share of their matches. */
const play = (seed: number, share: number) => {
  const truth = makeField(options, seed)
  const plot = conspirators(truth.strengths)
  const league = machine(options, seed, alone === "class" ? [plot.giver, plot.gainer] : [])
  const pairs = new OwnerPairs()
  const chance = sourceOf(seed, 21)
  let met = 0
  const matches = Math.round((options.games * options.entries) / options.seats)
  for (let n = 1; n <= matches; n++) {
    const slots = league.pair()
    const outcome = truth.play(slots)
    const scores = [...outcome.scores]
    const [giver, gainer] = [slots.indexOf(plot.giver), slots.indexOf(plot.gainer)]
    if (giver >= 0 && gainer >= 0) {
      met++
      const [more, less] = [Math.max(scores[giver]!, scores[gainer]!), Math.min(scores[giver]!, scores[gainer]!)]
      if (draw(chance) < share) Object.assign(scores, { [giver]: less, [gainer]: more })
    }
    const before = slots.map((slot) => league.rating(slot).mu)
    league.report({ ...outcome, scores })
    const ranks = ranksOf(scores, outcome.crashed)
    // As the service has it: the mean from before the match, the deviation from after it.
    pairs.add(
      slots.map((slot, i): OwnedSeat => ({ owner: ownerOf(slot), mu: before[i]!, sigma: league.rating(slot).sigma, rank: ranks[i]! }))
    )
    const renewed = truth.renewed(n)
    if (renewed !== undefined) league.renew(renewed)
  }
  const judgement = pairs.judge()
  const [giver, gainer] = [ownerOf(plot.giver), ownerOf(plot.gainer)]
  return {
    met,
    judgement,
    found: judgement.pairs.some((pair) => pair.giver === giver && pair.gainer === gainer),
    others: judgement.pairs.filter((pair) => !(pair.giver === giver && pair.gainer === gainer)).length
  }
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
console.log(
  `${fields} fields of ${entries} entries, ${games} games each, ${seats} seats, ${field}, spread ${spread}, ${each} an owner${alone === "class" ? ", two alone in a class" : ""}`
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
      `fields with another pair ${of(({ others }) => Number(others > 0)).toFixed(3)}`
    ].join("  ")
  )
}
