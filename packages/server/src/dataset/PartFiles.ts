/** Writes the files of one part of a day (DatasetMaker.ts). Memory holds a page of rows and a few replays. */

import { join } from "node:path"
import type { DatasetKind } from "@agon/api/dataset/api.ts"
import { Context, Duration, Effect, Option } from "effect"
import { newId } from "../database/newId.ts"
import { ObjectStore, type StoredFile } from "../object/ObjectStore.ts"
import { matchLine, replayOf, voidLine } from "./lines.ts"
import { patiently } from "./patience.ts"
import { type Due, makeQueries, type RatedRow } from "./queries.ts"
import * as tar from "./tar.ts"
import type { Unit } from "./unit.ts"
import * as ZstdFile from "./ZstdFile.ts"

const PAGE = 200
const REPLAYS_AT_ONCE = 4
const FETCH_TIMEOUT = "30 seconds"

/**
 * A part ends with the page, or the replays read at once, that reach one of these. Replays are
 * counted before they are compressed.
 */
export const Bounds = Context.Reference<{ readonly rows: number; readonly bytes: number }>("agon/dataset/Bounds", {
  defaultValue: () => ({ rows: 100_000, bytes: 256 * 1024 ** 2 })
})

/** The pause after a page, as a multiple of the time that the database took for it. Tests go on at once. */
export const PauseTimes = Context.Reference<number>("agon/dataset/PauseTimes", { defaultValue: () => 4 })

const PAUSE_MAX = Duration.seconds(10)

export type Written = StoredFile & { readonly kind: DatasetKind; readonly rows: number }

/** `through`: the number of the last match in it, or before it where it has none. */
export interface Contents {
  readonly through: number
  readonly last: boolean
  readonly written: ReadonlyArray<Written>
}

export interface Options {
  /** Which files are made: all, those without replays, or none. */
  readonly datasets: "all" | "matches" | "off"
  /** For files that are being written; nodes may share it. */
  readonly directory: string
}

interface Progress {
  through: number
  rows: number
  replays: number
  replay_bytes: number
}

export const makePartFiles = Effect.fnUntraced(function* ({ datasets, directory }: Options) {
  const queries = yield* makeQueries
  const bounds = yield* Bounds
  const pauseTimes = yield* PauseTimes
  const readReplays = yield* makeReadReplays(bounds.bytes)

  const newFile = Effect.flatMap(newId, (name) => ZstdFile.make(join(directory, name)))

  const voids = Effect.fnUntraced(function* ({ mark, season_id, through }: Due, { until }: Unit) {
    const file = yield* newFile
    let rows = 0
    for (let after = 0; ; ) {
      const page = yield* queries.voided({ season_id, after, mark, through, until, limit: PAGE })
      yield* file.write(page.map(voidLine).join(""))
      rows += page.length
      if (page.length < PAGE) return { rows, file }
      after = page.at(-1)!.seq
    }
  })

  const { rated } = queries
  /** The next page of matches, and the pause for which the database is left alone. */
  const next = Effect.fnUntraced(function* (asked: Parameters<typeof rated>[0]) {
    const [took, rows] = yield* Effect.timed(rated(asked))
    if (pauseTimes > 0) yield* Effect.sleep(Duration.min(Duration.times(took, pauseTimes), PAUSE_MAX))
    return rows
  })

  const write = Effect.fnUntraced(function* (due: Due, unit: Unit) {
    yield* ZstdFile.tidied(directory)
    const [matches, replays] = [yield* newFile, yield* newFile]
    const so: Progress = { through: due.through, rows: 0, replays: 0, replay_bytes: 0 }
    let last = false
    while (!last && so.rows < bounds.rows && so.replay_bytes < bounds.bytes) {
      const page = yield* next({ season_id: due.season_id, after: so.through, until: unit.until, limit: PAGE })
      const rows = datasets === "all" ? page.slice(0, yield* readReplays(page, replays, so)) : page
      yield* matches.write(rows.map((row) => matchLine(row, due)).join(""))
      so.rows += rows.length
      so.through = rows.at(-1)?.n ?? so.through
      last = rows.length < PAGE && rows.length === page.length
    }
    yield* replays.write(tar.END)
    const voided = yield* voids(due, unit)
    const all = [
      { kind: "matches" as const, rows: so.rows, file: matches },
      { kind: "replays" as const, rows: so.replays, file: replays },
      { kind: "voided" as const, ...voided }
    ]
    // A part that turned out to be empty has a file all the same: a day is made once.
    const some = all.some(({ rows }) => rows > 0) ? all.filter(({ rows }) => rows > 0) : all.slice(0, 1)
    const written = yield* Effect.forEach(some, ({ file, kind, rows }) => Effect.map(file.end, (of): Written => ({ ...of, kind, rows })))
    return { through: so.through, last, written } satisfies Contents
  })

  return { write }
})

/**
 * Appends the replays of matches to a tar, in their order, until it has `bytes_max`; answers for how many
 * matches. A replay that is not there any more is left out.
 */
const makeReadReplays = Effect.fnUntraced(function* (bytes_max: number) {
  const objects = yield* ObjectStore
  const read = Effect.fnUntraced(function* (row: RatedRow) {
    const of = replayOf(row)
    if (of === undefined) return []
    const found = yield* objects.get(of).pipe(
      Effect.timeout(FETCH_TIMEOUT),
      Effect.catchTag("ObjectTooLarge", () => Effect.succeed(Option.none<Uint8Array>())),
      patiently("read")
    )
    return Option.isNone(found) ? [] : [tar.entry(of.name, found.value, Math.floor(Date.parse(row.played_at) / 1000))]
  })

  return Effect.fnUntraced(function* (rows: ReadonlyArray<RatedRow>, file: ZstdFile.ZstdFile, so: Progress) {
    let at = 0
    while (at < rows.length && so.replay_bytes < bytes_max) {
      const entries = yield* Effect.forEach(rows.slice(at, at + REPLAYS_AT_ONCE), read, { concurrency: REPLAYS_AT_ONCE })
      for (const entry of entries.flat()) {
        yield* file.write(entry)
        so.replays += 1
        so.replay_bytes += entry.byteLength
      }
      at += REPLAYS_AT_ONCE
    }
    return Math.min(at, rows.length)
  })
})
