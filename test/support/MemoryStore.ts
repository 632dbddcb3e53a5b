/** `SeasonStore` in memory: the same promises as the one on PostgreSQL, held to them by the same conformance suite. */

import { freshHead, head } from "@agon/domain/season/Head.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import type { Settings } from "@agon/domain/season/Rules.ts"
import { type InheritedRating, ratingNumber } from "@agon/domain/season/rating/LadderRating.ts"
import type { Snapshot, State } from "@agon/domain/season/State.ts"
import { answerAgain, type EndedWork } from "@agon/domain/season/scheduler/answerAgain.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import { copied } from "@agon/domain/season/testing/copied.ts"
import * as testLog from "@agon/domain/season/testing/testLog.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import { versionOf } from "@agon/domain/season/VersionCounts.ts"
import { SeasonClosed } from "@agon/server/actor/Mailbox.ts"
import { Fenced, type SeasonLog, SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { type Turn, WaitingRatings } from "@agon/server/actor/WaitingRatings.ts"
import { Clock, Effect, Layer } from "effect"
import { SECRET } from "./SeasonScript.ts"
import { Table } from "./Table.ts"

type Row<Name extends "ratings" | "boards" | "rounds" | "live" | "reviews" | "voiding"> = Snapshot[Name][number]

export interface Rows {
  epoch: number
  seq: number
  head: Snapshot["head"]
  settings: Settings
  readonly versions: Table<string, Version>
  readonly notes: Table<string, string | null>
  readonly ratings: Table<string, Row<"ratings">>
  readonly redo: Table<number, ReadonlyArray<Row<"ratings">>> // by commit: `rating_redo`
  readonly boards: Table<string, Row<"boards">>
  readonly files: Table<string, unknown>
  readonly periods: Array<State["writes"]["boardPeriods"][number]>
  readonly rounds: Table<number, Row<"rounds">>
  readonly live: Table<string, Row<"live">>
  readonly reviews: Table<string, Row<"reviews">>
  readonly voiding: Table<string, Row<"voiding">>
  readonly ended: Table<string, Ended>
  readonly seeds: Table<string, InheritedRating>
  readonly series: Table<string, State["writes"]["series"][number]>
  readonly audits: Table<string, State["writes"]["audits"][number]>
}
export type Memory = Map<string, Rows>

export const createSeason = (memory: Memory, season: string, settings: Settings): void => {
  memory.set(season, {
    epoch: 0,
    seq: 0,
    head: { ...freshHead(), secret: SECRET },
    settings,
    versions: new Table(),
    notes: new Table(),
    ratings: new Table(),
    redo: new Table(),
    boards: new Table(),
    files: new Table(),
    periods: [],
    rounds: new Table(),
    live: new Table(),
    reviews: new Table(),
    voiding: new Table(),
    ended: new Table(),
    seeds: new Table(),
    series: new Table(),
    audits: new Table()
  })
}

/** The rows that a claim reads: the same choice of rows as in claim.ts. */
export const snapshotOf = (id: string, rows: Rows): Snapshot => {
  const all = <A>(table: Map<unknown, A>): Array<A> => copied([...table.values()])
  const versions = all(rows.versions).sort((a, b) => a.ord - b.ord)
  const seated = new Set([...rows.live.values()].flatMap((match) => match.versions))
  const kept = keptOf(rows).last
  const wanted = (row: Row<"ratings">) => {
    const version = rows.versions.get(row.version)
    return row.active || seated.has(row.version) || version?.status === "disabled" || version?.status === "disqualified"
  }
  return {
    id,
    head: copied(rows.head),
    settings: rows.settings,
    versions: versions.filter(({ id, status }) => status !== "rejected" && (status !== "superseded" || seated.has(id))),
    left: versions
      .filter(({ id, status }) => status === "superseded" && !seated.has(id))
      .map(({ model, owner, weights_hash }) => ({ model, owner, weights_hash })),
    owners: ownersOf(versions, rows.head.now),
    ratings: all(rows.ratings)
      .filter(wanted)
      .map((row) => {
        const later = kept.get(ratingNumber(row))
        return later === undefined || !row.active || later.round < row.round ? row : copied(later)
      })
      .sort((a, b) => (a.ladder < b.ladder ? -1 : a.ladder > b.ladder ? 1 : a.ord - b.ord)),
    boards: all(rows.boards),
    rounds: all(rows.rounds),
    live: all(rows.live),
    reviews: all(rows.reviews).sort((a, b) => rows.versions.get(a.version)!.ord - rows.versions.get(b.version)!.ord),
    voiding: all(rows.voiding)
  }
}

const WITHOUT_COOLDOWN = ["admission_unavailable", "upload_expired"]
const ownersOf = (versions: ReadonlyArray<Version>, now: number): Snapshot["owners"] => {
  const last = new Map<string, number>()
  for (const { created_at, owner, reject_reason } of versions) {
    if (owner === null || created_at > now || WITHOUT_COOLDOWN.includes(reject_reason ?? "")) continue
    last.set(owner, Math.max(created_at, last.get(owner) ?? 0))
  }
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, last_submitted_at]) => ({ id, last_submitted_at }))
}

const write = (rows: Rows, state: State, turn: Turn): void => {
  const { writes } = state
  for (const [id, { note }] of writes.inserted) {
    if (rows.versions.has(id)) throw new Error(`version ${id} inserted twice`) // the primary key
    rows.notes.set(id, note)
  }
  for (const id of [...writes.inserted.keys(), ...writes.versions, ...writes.rejected.keys()])
    rows.versions.set(id, copied(versionOf(state, id)!))
  writeRatings(rows, turn)
  for (const [id, { file }] of writes.newBoards) rows.files.set(id, file)
  for (const id of [...writes.boards, ...writes.newBoards.keys()]) rows.boards.set(id, copied(state.boards.get(id)!))
  for (const round of state.rounds) if (writes.rounds.has(round.n)) rows.rounds.set(round.n, { ...round })
  writeOpen(rows.live, writes.live, state.live)
  writeOpen(rows.reviews, writes.reviews, state.reviews)
  writeOpen(rows.voiding, writes.voiding, state.voiding)
  testLog.writeEnded(rows, writes)
  for (const row of writes.audits) if (!rows.audits.has(row.id)) rows.audits.set(row.id, row)
  rows.periods.push(...writes.boardPeriods)
  if (writes.settings) rows.settings = state.settings
}

const ratingRow = ({ busy: _busy, key: _key, suspended: _suspended, ...row }: Turn["written"][number]): Row<"ratings"> => copied(row)
const writeRatings = (rows: Rows, { done, redo, written }: Turn): void => {
  for (const row of written.map(ratingRow)) rows.ratings.set(`${row.ladder} ${row.version}`, row)
  for (const seq of rows.redo.keys()) if (done !== null && seq < done) rows.redo.delete(seq)
  if (redo.length > 0) rows.redo.set(rows.seq + 1, redo.map(ratingRow))
}
/**
 * As SeasonStorePg: the last that was said of each rating that waited, and the first
 * commit that said something of it.
 */
const keptOf = ({ redo }: Rows) => {
  const first = new Map<number, number>()
  const last = new Map<number, Row<"ratings">>()
  for (const seq of [...redo.keys()].sort((a, b) => a - b)) {
    for (const row of redo.get(seq)!) {
      last.set(ratingNumber(row), row)
      if (!first.has(ratingNumber(row))) first.set(ratingNumber(row), seq)
    }
  }
  return { first, last }
}
const isBehind = ({ head, ratings }: Rows): boolean => [...ratings.values()].some(({ active, round }) => active && round < head.round)

const writeOpen = <A extends object>(table: Map<string, A>, ids: Iterable<string>, open: ReadonlyMap<string, A>): void => {
  for (const id of ids) {
    const row = open.get(id)
    if (row === undefined) table.delete(id)
    else table.set(id, { ...row })
  }
}

const endedWork = (rows: Rows | undefined, work: string): EndedWork | undefined => {
  const match = rows?.ended.get(work)
  const version = rows?.versions.get(work)
  if (match !== undefined) return { kind: "match", ...match }
  return version === undefined ? undefined : { kind: "admission", ...version }
}

/** As log.ts. */
const logOf = (memory: Memory): SeasonLog => {
  const rows = (season: string) => memory.get(season)!
  return {
    ended: (season, matches) => Effect.sync(() => matches.flatMap((match) => testLog.endedOf(rows(season), match) ?? [])),
    place: (season, round) => Effect.sync(() => testLog.placeOf(rows(season), round)),
    page: (season, place, limit, end) => Effect.sync(() => testLog.pageOf(rows(season), place, limit, end)),
    earlier: (season, ladder, versions, after) => Effect.sync(() => testLog.earlierOf(rows(season), ladder, versions, after)),
    left: (season, versions) => Effect.sync(() => testLog.leftOf(rows(season), versions)),
    rewrite: ({ epoch, season }, changes) =>
      Effect.suspend(() => {
        if (rows(season).epoch !== epoch) return Effect.fail(new Fenced({ season }))
        return Effect.sync(() => testLog.writeChanges(rows(season), copied(changes)))
      })
  }
}

/** As many as there are: a test's clock may stand still for thousands of matches. */
const ALL = 1e9

/** `ratings_per_s`: see `WaitingRatings`. Its own clock is the one that it was made under. */
export const layer = (memory: Memory, ratings_per_s = ALL) =>
  Layer.effect(
    SeasonStore,
    Clock.clockWith((own) => Effect.succeed(storeOf(memory, ratings_per_s, own)))
  )

/** As Postgres's clock is read: with microseconds. */
const read = (clock: Clock.Clock): number => clock.currentTimeMillisUnsafe() + 0.375

const storeOf = (memory: Memory, ratings_per_s: number, own: Clock.Clock) =>
  SeasonStore.of({
    claim: (season) =>
      Effect.suspend(() => {
        const rows = memory.get(season)
        if (rows === undefined || rows.head.closed_at !== null) return Effect.fail(new SeasonClosed({ season }))
        rows.epoch++
        const fence = {
          season,
          epoch: rows.epoch,
          seq: rows.seq,
          at: read(own),
          waiting: new WaitingRatings(ratings_per_s, { kept: keptOf(rows).first, behind: isBehind(rows), rescaled: rows.head.rescaled })
        }
        return Effect.succeed({ name: { id: season, game: "snakes", slug: "spring" }, fence, snapshot: snapshotOf(season, rows) })
      }),
    commit: (fence, state) =>
      Effect.clockWith((clock) => {
        const rows = memory.get(fence.season)!
        if (rows.epoch !== fence.epoch || rows.seq !== fence.seq) return Effect.fail(new Fenced({ season: fence.season }))
        write(rows, state, fence.waiting.turn(state, fence.seq + 1, clock.currentTimeMillisUnsafe()))
        rows.seq++
        rows.head = copied(head(state))
        return Effect.succeed({ ...fence, seq: rows.seq, at: read(own) })
      }),
    answerOf: (season, lease, key) =>
      Effect.sync(() => {
        const name = parseLease(lease)
        return name === undefined
          ? { accepted: false, reason: "unknown" }
          : answerAgain(endedWork(memory.get(season), name.id), { n: name.n, key })
      }),
    log: logOf(memory),
    removed: () => Effect.succeed(new Set()),
    written: (season, ids) =>
      Effect.sync(() => {
        const { audits, versions } = memory.get(season)!
        return new Set(ids.filter((id) => audits.has(id) || versions.has(id)))
      }),
    open: Effect.sync(() => [...memory].filter(([, rows]) => rows.head.closed_at === null).map(([id]) => id))
  })
