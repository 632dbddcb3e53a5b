/** Times two ways to the same answer in turn, so that the machine's moods meet both. */

import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import type { Asked } from "@agon/server/match/list/listing.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { type Context, Effect } from "effect"
import type { Question } from "./questions.ts"

export interface Times {
  readonly p50_ms: number
  readonly p99_ms: number
}
export interface Measured {
  readonly ours: Times
  readonly hand: Times
  /**
   * Ours for the first time, which finds out what later ones know already. Of a side's list the median of all that were
   * asked for, each another side's.
   */
  readonly first_ms: number
  /** How many of ours were refused, such as by the limit of a statement's time. Their times count. */
  readonly refused: number
  /** On a page of ours, on the average: a page that is fuller has more cards to make. */
  readonly rows: number
}

/** A database, the service's reads over it, and a bare connection to it. */
export interface Stand {
  readonly bare: PgClient
  readonly reads: Context.Context<Reads>
}
export type Reads = Matches | Leaderboards | Seasons

/** So many times each, or for as long, whichever ends first. */
const TIMES = 60
const LONGEST_MS = 1_200
/** A first page at least so many times, since SQL by hand may take seconds: then ours alone. */
const LEAST = 15
const VARIANTS = 16
/** Not counted: ours is asked for every variant once, or the median would be that of first reads where these take long. */
const WARM = VARIANTS

export const timesOf = (all: ReadonlyArray<number>): Times => {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { p50_ms: at(0.5), p99_ms: at(0.99) }
}

/** The read as a handler makes it. */
const readOf = ({ ask, cursor }: Question, variant: number) =>
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

/** Both answers name the same rows, or the comparison is void. Answers how many. */
const agree = (question: Question, ours: any, rows: ReadonlyArray<any>): number => {
  const names: ReadonlyArray<string> = (ours.matches ?? ours.entries).map((row: any) => row.id ?? row.version_id)
  const theirs = rows.slice(0, names.length).map((row) => row.id ?? row.version_id)
  if (JSON.stringify(names) !== JSON.stringify(theirs))
    throw new Error(
      `${question.name} from ${question.cursor}: ${JSON.stringify(names.slice(0, 3))} and ${JSON.stringify(theirs.slice(0, 3))}`
    )
  return names.length
}

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>, into: Array<number>) =>
  Effect.suspend(() => {
    const t0 = performance.now()
    return Effect.ensuring(
      effect,
      Effect.sync(() => void into.push(performance.now() - t0))
    )
  })

/** The answer, or none where the read was refused. */
const orRefused = <A, E, R>(read: Effect.Effect<A, E, R>, turn: Turn) =>
  Effect.catch(read, () =>
    Effect.sync(() => {
      turn.refused++
      return undefined
    })
  )

interface Turn {
  readonly stand: Stand
  readonly question: Question
  readonly ours: Array<number>
  readonly hand: Array<number>
  /** Of each answer that was compared. */
  readonly rows: Array<number>
  first_ms: number
  refused: number
}

const firstOf = ({ ours, question }: Turn) => (question.side ? timesOf(ours).p50_ms : ours[0]!)

/** Ours, the rows of which nobody compares. */
const oursAlone = (turn: Turn, i: number) => orRefused(timed(oursOf(turn, i), turn.ours), turn)
const variantOf = (i: number) => (i + WARM) % VARIANTS
const oursOf = ({ question, stand }: Turn, i: number) => Effect.provideContext(readOf(question, variantOf(i)), stand.reads)

/** Both ways over one database; which of them begins changes every time. */
const take = (turn: Turn, i: number) =>
  Effect.gen(function* () {
    const { hand, ours, question, stand } = turn
    const variant = variantOf(i)
    const read = orRefused(timed(oursOf(turn, i), ours), turn)
    const written = timed(byHand(stand.bare, question, variant), hand)
    const [answer, rows] = i % 2 === 0 ? [yield* read, yield* written] : [yield* written, yield* read].toReversed()
    if (i < 0 && answer !== undefined) turn.rows.push(agree(question, answer, rows as ReadonlyArray<any>))
  })

/** One question to several databases in turn, so that what grows is told from what the machine does meanwhile. */
export const measure = (asked: ReadonlyArray<Pick<Turn, "stand" | "question">>) =>
  Effect.gen(function* () {
    const turns = asked.map((one): Turn => ({ ...one, ours: [], hand: [], rows: [], first_ms: 0, refused: 0 }))
    let began = performance.now()
    const late = () => performance.now() - began > LONGEST_MS
    const least = asked[0]!.question.cursor === 0 ? LEAST : 1
    for (let i = -WARM; i < TIMES && (i < least || !late()); i++) {
      if (i === 0) {
        began = performance.now()
        for (const turn of turns) {
          turn.first_ms = firstOf(turn)
          turn.ours.length = turn.hand.length = 0
        }
      }
      for (const turn of turns) yield* i !== 0 && late() ? oursAlone(turn, i) : take(turn, i)
    }
    return turns.map(
      ({ first_ms, hand, ours, refused, rows }): Measured => ({
        ...{ ours: timesOf(ours), hand: timesOf(hand), first_ms, refused },
        rows: rows.reduce((sum, n) => sum + n, 0) / Math.max(1, rows.length)
      })
    )
  })
