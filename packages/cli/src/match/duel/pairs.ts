/**
 * Plays pairs of matches between two models, whose course depends on the seed alone: the boards come
 * in turn, each pair has a seed of its own, and results are counted in the order of the pairs,
 * however many are played at once.
 *
 * In the first match of a pair the models have the seats in turn, the first model seat 0; in the second
 * they have exchanged them. On a board of more than two seats a model's result is the mean rank of its
 * seats. Moves are not charged for their time, since that would depend on the machine; a model that
 * hangs still gets its strikes.
 */
import { availableParallelism } from "node:os"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import type { BoardFile, MatchRules } from "@agon/engine/Engine.ts"
import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import type { MatchReport } from "@agon/sandbox/match/Match.ts"
import { Effect, Stream } from "effect"
import { Flag } from "effect/cli"
import { CouldNotRun } from "../../Answer.ts"
import { checkRule, checkSeed, inRange, numberFlag } from "../../numberFlag.ts"
import type { Contestant } from "../../version/contestant.ts"
import { NO_PAIRS, type Pentanomial, withPair } from "./Comparison.ts"

export interface Field {
  readonly game: string
  readonly boards: ReadonlyArray<BoardFile>
  readonly rules: MatchRules
  /** uint32. */
  readonly seed: number
  readonly slots: number
}

export interface Counted {
  readonly pairs: Pentanomial
  /** Strikes of the first model and of the second. */
  readonly strikes: readonly [number, number]
}

type Players = readonly [Contestant, Contestant]

const NOTHING: Counted = { pairs: NO_PAIRS, strikes: [0, 0] }
export const PAIRS_MAX = 100_000
const SLOTS_MAX = 64

export const fieldFlags = {
  seed: numberFlag("seed", "Seed, a uint32: the same seed plays the same matches", 0),
  max_turns: numberFlag("max-turns", "The rules' turn limit", DEFAULT_RULES.match.max_turns),
  slots: Flag.Int("slots").pipe(
    Flag.withDescription("Matches at once (default: one a core); changes no result"),
    Flag.withDefault(Math.min(SLOTS_MAX, availableParallelism()))
  )
}

export const checkField = ({ max_turns, seed, slots }: { readonly max_turns: number; readonly seed: number; readonly slots: number }) =>
  Effect.all([checkSeed(seed), checkRule("max-turns", max_turns), inRange("slots", slots, 1, SLOTS_MAX)])

/** Plays up to `most` pairs, and no more once `told` answers that it is enough. */
export const playPairs = Effect.fnUntraced(function* <E, R>(
  field: Field,
  players: Players,
  most: number,
  told: (counted: Counted) => Effect.Effect<boolean, E, R>
) {
  const seeds = new Mulberry32(field.seed)
  const starts = Array.from({ length: most }, (_, n) => ({ board: field.boards[n % field.boards.length]!, seed: seeds.next() }))
  if (field.boards.some(({ players }) => players < 2))
    return yield* new CouldNotRun({ message: "A duel needs boards of two seats or more." })
  let counted = NOTHING
  yield* Stream.fromIterable(starts).pipe(
    Stream.mapEffect((start) => playPair(field, players, start), { concurrency: field.slots }),
    Stream.mapEffect((pair) => {
      const [mine, theirs] = counted.strikes
      counted = { pairs: withPair(counted.pairs, pair.half_points), strikes: [mine + pair.strikes[0], theirs + pair.strikes[1]] }
      return told(counted)
    }),
    Stream.takeUntil((isEnough) => isEnough),
    Stream.runDrain
  )
  return counted
})

interface Start {
  readonly board: BoardFile
  readonly seed: number
}

const playPair = Effect.fnUntraced(function* ({ game, rules }: Field, players: Players, { board, seed }: Start) {
  const arena = yield* Arena
  let half_points = 0
  const strikes: [number, number] = [0, 0]
  for (const first of [0, 1] as const) {
    const playerOf = (seat: number): 0 | 1 => (seat % 2 === 0 ? first : first === 0 ? 1 : 0)
    const seats = Array.from({ length: board.players }, (_, seat) => players[playerOf(seat)].seat)
    const report = yield* Effect.mapError(
      arena.play({ game, board, seed, rules, seats }),
      ({ detail }) => new CouldNotRun({ message: detail })
    )
    half_points += halfPoints(report, playerOf)
    for (const seat of report.seats) strikes[playerOf(seat.seat)] += seat.strikes
  }
  return { half_points, strikes }
})

/** The first model's half points: 2 for the better mean rank, 1 for the same. */
const halfPoints = ({ seats }: Pick<MatchReport, "seats">, playerOf: (seat: number) => 0 | 1): number => {
  const [ranks, counts] = [
    [0, 0],
    [0, 0]
  ]
  for (const { rank, seat } of seats) {
    ranks[playerOf(seat)]! += rank
    counts[playerOf(seat)]!++
  }
  return 1 + Math.sign(ranks[1]! * counts[0]! - ranks[0]! * counts[1]!)
}
