/** Times two ways to the same answer in turn, so that the machine's moods meet both. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import type { Asked } from "@agon/server/match/listing.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import type { Question } from "./questions.ts"

export interface Times {
  readonly p50_ms: number
  readonly p99_ms: number
}
export interface Measured {
  readonly ours: Times
  readonly hand: Times
  /** Ours for the first time: what later ones know already is found out. */
  readonly first_ms: number
  /** Of the medians. */
  readonly ratio: number
}

/** So many times each, or for as long, whichever ends first; and the first ones are not counted. */
const TIMES = 100
const LONGEST_MS = 1_500
const WARM = 12
const VARIANTS = 16

export const timesOf = (all: ReadonlyArray<number>): Times => {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { p50_ms: at(0.5), p99_ms: at(0.99) }
}

/** The read as a handler makes it. */
export const readOf = ({ ask, cursor }: Question, variant: number) =>
  Effect.gen(function* () {
    if (ask.of === "matches") return (yield* (yield* Matches).list(ask.query(variant) as Asked, null)).list
    const season = yield* (yield* Seasons).find("snakes", "big", null)
    const leaderboards = yield* Leaderboards
    return yield* leaderboards.page(season, ask.ladder as "open", { limit: ask.limit, cursor })
  })

const byHand = (bare: PgClient, question: Question, variant: number) =>
  Effect.gen(function* () {
    const said = question.hand(variant)
    let rows: ReadonlyArray<any> = []
    for (const { params, text } of said) rows = yield* bare.unsafe<any>(text, params)
    return rows
  })

/** Both answers name the same rows, or the comparison is void. */
const agree = (question: Question, ours: any, rows: ReadonlyArray<any>) => {
  const names = (ours.matches ?? ours.entries).map((row: any) => row.id ?? row.version_id)
  const theirs = rows.slice(0, names.length).map((row) => row.id ?? row.version_id)
  if (JSON.stringify(names) !== JSON.stringify(theirs))
    throw new Error(
      `${question.name} from ${question.cursor}: ${JSON.stringify(names.slice(0, 3))} and ${JSON.stringify(theirs.slice(0, 3))}`
    )
}

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>, into: Array<number>) =>
  Effect.gen(function* () {
    const t0 = performance.now()
    const answer = yield* effect
    into.push(performance.now() - t0)
    return answer
  })

export const measure = (bare: PgClient, question: Question) =>
  Effect.gen(function* () {
    const [ours, hand]: [Array<number>, Array<number>] = [[], []]
    let began = performance.now()
    let first_ms = 0
    for (let i = -WARM; i < TIMES && (i < 0 || performance.now() - began < LONGEST_MS); i++) {
      if (i === 0) {
        began = performance.now()
        ours.length = hand.length = 0
      }
      const variant = (i + WARM) % VARIANTS
      const read = timed(readOf(question, variant), ours)
      const written = timed(byHand(bare, question, variant), hand)
      const [answer, rows] = i % 2 === 0 ? [yield* read, yield* written] : [yield* written, yield* read].toReversed()
      if (i === -WARM) first_ms = ours[0]!
      if (i < 0) agree(question, answer, rows as ReadonlyArray<any>)
    }
    const [of, by] = [timesOf(ours), timesOf(hand)]
    return { ours: of, hand: by, first_ms, ratio: of.p50_ms / by.p50_ms } satisfies Measured
  })
