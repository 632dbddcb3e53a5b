/**
 * Matches a second of the whole season machine on one core, nothing durable: pairing, lease, result, rating and place
 * of every match, 1,000 entries and 100,000 matches. Beside it the ratings a second of openskill alone, which pairs
 * nobody and keeps nothing, and of our own rating alone.
 *
 *   node test/bench/pairing/speed.ts [matches, 100000] [entries, 1000] [turns, 3]
 */

import { makeField } from "@agon/cli/season/simulate/Field.ts"
import { machine } from "@agon/cli/season/simulate/machine.ts"
import { rated, START } from "@agon/domain/rating/Rating.ts"
import { rate, rating } from "openskill"

const [matches = 100_000, entries = 1_000, turns = 3] = process.argv.slice(2).map(Number)

/** Who meets whom and who wins is drawn beforehand; only what is compared is measured. */
const drawn = () => {
  const field = makeField({ entries, games: 80, seats: 2, field: "static", draws: 0 }, 1)
  let seed = 1
  const draw = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed
  }
  return Array.from({ length: matches }, () => {
    const a = draw() % entries
    const b = (a + 1 + (draw() % (entries - 1))) % entries
    return { a, b, first: field.play([a, b]).scores[0] === 2 }
  })
}

const seasonMachine = (): number => {
  const options = { entries, games: 80, seats: 2, field: "static", draws: 0 } as const
  const { play } = makeField(options, 1)
  const league = machine(options, 1)
  let taken_ms = 0
  for (let i = 0; i < matches; i++) {
    const t0 = performance.now()
    const slots = league.pair()
    const t1 = performance.now()
    const outcome = play(slots)
    const t2 = performance.now()
    league.report(outcome)
    taken_ms += performance.now() - t2 + t1 - t0
  }
  return taken_ms
}

const openskillAlone = (): number => {
  const list = drawn()
  const players = Array.from({ length: entries }, () => rating())
  const started = performance.now()
  for (const { a, b, first } of list) {
    const [[after_a], [after_b]] = rate([[players[a]!], [players[b]!]], { rank: first ? [1, 2] : [2, 1] }) as any
    players[a] = after_a
    players[b] = after_b
  }
  return performance.now() - started
}

const ratingAlone = (): number => {
  const list = drawn()
  const players = Array.from({ length: entries }, () => ({ ...START }))
  const started = performance.now()
  for (const { a, b, first } of list) {
    const [after_a, after_b] = rated([players[a]!, players[b]!], first ? [1, 2] : [2, 1])
    players[a] = after_a!
    players[b] = after_b!
  }
  return performance.now() - started
}

const contestants = {
  "season machine, pairing and rating": seasonMachine,
  "openskill's rate alone": openskillAlone,
  "our rating alone": ratingAlone
}
const taken = new Map<string, Array<number>>()
for (let turn = 0; turn < turns; turn++) {
  for (const [name, run] of Object.entries(contestants)) taken.set(name, [...(taken.get(name) ?? []), run()])
}
console.log(`${entries} entries, ${matches} matches, best of ${turns}`)
for (const [name, all_ms] of taken) {
  const best_ms = Math.min(...all_ms)
  console.log(`  ${name.padEnd(38)}${Math.round((matches * 1000) / best_ms)} a second, ${((best_ms * 1000) / matches).toFixed(1)} us each`)
}
