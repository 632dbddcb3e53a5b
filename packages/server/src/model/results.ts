/**
 * A model's latest results in a season, its best and its worst. Finding the best grows with its
 * matches, so the first of each order are kept as lists of matches are (match/list/KeptLists.ts), and a
 * read asks what has come since.
 */
import { Effect } from "effect"
import { BEGINNING } from "../database/rows.ts"
import { type Came, KeptLists, type Since } from "../match/list/KeptLists.ts"
import { WholeCounts } from "../match/list/WholeCounts.ts"
import { type CameResults, makeQueries, ORDERS, type Order, RESULT_ROWS } from "./resultQueries.ts"

export interface Of {
  readonly id: string
  readonly season_id: string
  readonly ladder: string
}

/** Rows kept of all models, some 100 bytes each. */
const ROWS_MAX = 100_000
/** Seats that are read within a request: a second where nothing of them is in memory. */
const LARGE = 20_000

const orders = Object.keys(ORDERS) as ReadonlyArray<Order>

/** The three orders stand for three seasons of one list. */
const cameOf = ({ edge, marks, ...found }: CameResults): ReadonlyArray<Came> =>
  orders.map((order) => {
    const rows = found[order].map(([id, figure, ended_us]) => ({ id, figure, ended_us }))
    const early = edge === null ? 0 : rows.filter(({ ended_us }) => ended_us < edge.getTime() * 1_000).length
    return { season_id: order, marks, edge, rows, whole: rows.length < RESULT_ROWS, total: rows.length, early, last_trial: null }
  })

export const makeResults = Effect.gen(function* () {
  const queries = yield* makeQueries
  const whole = yield* WholeCounts
  const kept = new KeptLists({ rows: RESULT_ROWS, all: ROWS_MAX })

  const came = (of: Of, since: Since) => {
    const from = (order: Order) => since.get(order) ?? BEGINNING
    return Effect.map(Effect.orDie(queries.came(of, { newest: from("newest"), best: from("best"), worst: from("worst") })), cameOf)
  }

  return Effect.fnUntraced(function* (of: Of) {
    const name = `results ${of.id} ${of.season_id} ${of.ladder}`
    const { each } = yield* kept.read(
      name,
      (since) => came(of, since),
      (everything) => Effect.flatMap(Effect.orDie(queries.seats(of)), (seats) => (seats < LARGE ? everything : whole(name, everything)))
    )
    const matches = [...new Set(orders.flatMap((order) => each.get(order)!.rows.map(({ id }) => id)))]
    return matches.length === 0 ? [] : yield* Effect.orDie(queries.results({ ...of, matches }))
  })
})
