/**
 * Views, counted for each day. A request only adds to this node's memory, which costs no statement and reveals
 * nothing to the caller: a private season is counted like any other.
 *
 *   count ──▶ gathered ──▶ written: every ten seconds, when an administrator reads, and when the service stops
 *
 * The memory is bounded, and so are the rows written (queries.ts), however many views are sent. Unknown ids
 * are dropped when they are written, all in one statement. A write that failed or timed out is retried
 * together with newer views; if it was committed after all, its views count twice. A kill loses the views
 * since the last write: ten seconds at most.
 */

import { cutTo, oneMoreThan } from "@agon/api/Page.ts"
import { seldomFailed } from "@agon/api/program/seldom.ts"
import type { View, ViewCounts, ViewQuery } from "@agon/api/view/api.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { engines } from "@agon/engine/registry.ts"
import { Clock, Context, Effect, Layer, Schedule, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { DAY_MS, dayAt } from "../day.ts"
import { type Gathered, makeQueries, VIEWS_KEPT_DAYS } from "./queries.ts"

const WRITE_EVERY = "10 seconds"
/** How long a write may delay the service's stop, or an administrator's read, while the database is away. */
const WRITE_PATIENCE = "3 seconds"
/** Distinct things counted between two writes, some 300 bytes each; views of further ones are dropped until then. */
const GATHERED_MAX = 10_000

export class Views extends Context.Service<
  Views,
  {
    readonly count: (view: View) => Effect.Effect<void>
    /** Includes this node's counts up to now; of other nodes, those that they have written. */
    readonly list: (query: ViewQuery) => Effect.Effect<ViewCounts>
  }
>()("agon/Views") {
  static readonly layer: Layer.Layer<Views, never, SqlClient.SqlClient> = Layer.effect(
    Views,
    Effect.suspend(() => makeViews)
  )
}

const games = engines.map(({ slug }) => slug)

/** The counts since the last write. */
const makeGathering = () => {
  let rows = new Map<string, Gathered>()
  let passedOver = 0

  const add = (row: Gathered) => {
    const key = `${row.day} ${row.kind} ${row.game} ${row.id}`
    const held = rows.get(key)
    if (held === undefined && rows.size >= GATHERED_MAX) passedOver += row.views
    else rows.set(key, held === undefined ? row : { ...row, views: held.views + row.views })
  }

  const take = () => {
    const taken = { rows: [...rows.values()], passedOver }
    rows = new Map()
    passedOver = 0
    return taken
  }

  return { add, take }
}

const rowOf = ({ game = "", id, kind }: View, now_ms: number): Gathered | undefined => {
  const hasUuid = kind === "model" || kind === "match"
  if (hasUuid && !isUuid(id)) return undefined
  return { day: dayAt(now_ms), kind, game: kind === "season" ? game : "", id, uuid: hasUuid ? id : null, views: 1 }
}

const makeViews = Effect.gen(function* () {
  const gathering = makeGathering()
  const one = yield* Semaphore.make(1)
  const queries = yield* makeQueries

  const write = Effect.gen(function* () {
    const { passedOver, rows } = gathering.take()
    if (rows.length === 0) return
    if (passedOver > 0) yield* Effect.logWarning(`${passedOver} views were not counted: too many things were looked at`)
    const now_ms = yield* Clock.currentTimeMillis
    const oldest = dayAt(now_ms - VIEWS_KEPT_DAYS * DAY_MS)
    yield* Effect.onError(queries.add({ rows, games, oldest, now: new Date(now_ms) }), () => Effect.sync(() => rows.forEach(gathering.add)))
  }).pipe(
    one.withPermit,
    Effect.timeout(WRITE_PATIENCE),
    Effect.catchCause(seldomFailed("views were not written")),
    Effect.withSpan("Views.write")
  )

  const list = Effect.fn("Views.list")(function* ({ cursor, limit, ...which }: ViewQuery) {
    yield* write
    const page = { cursor, limit }
    const { next_cursor, shown } = cutTo(page, yield* queries.page({ kind: null, from: null, to: null, ...which, ...oneMoreThan(page) }))
    return { events: shown, next_cursor }
  }, Effect.orDie)

  yield* write.pipe(Effect.schedule(Schedule.spaced(WRITE_EVERY)), Effect.forkScoped)
  yield* Effect.addFinalizer(() => write)

  return Views.of({
    count: (view) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const row = rowOf(view, now_ms)
        if (row !== undefined) gathering.add(row)
      }),
    list
  })
})
