/**
 * Makes the daily files of public seasons in the background (docs/datasets.md):
 *
 *   every few minutes, each public season with a finished day that has no files yet (unit.ts)
 *     ─▶ its claim is taken ─▶ the files of one part are written beside the service, page by page (PartFiles.ts)
 *     ─▶ StoredObjects.taking(their keys) ─▶ they are put into the store ─▶ one commit: their rows, the voids that they list
 *
 * Nothing is listed before that commit. A store that fails meanwhile is asked again (patience.ts). Whatever ends a node
 * before it, the next run makes the part again, and the collector removes objects that got no row. Several nodes: the claim keeps two from making the same
 * part at once, and a node that lost it (it stood still for minutes) cannot commit. A part has the matches
 * after the last one of the part before, by number of rating, so each is in one part, whatever the clocks
 * say. A part is bounded, so no file is larger than a backup can carry.
 *
 * Only rows of the season are read, a page at a time, and after each page the run pauses for some times as
 * long as the read took. No lock of a season's commit is waited for, and none is held.
 */

import { existsSync } from "node:fs"
import { Context, DateTime, type Duration, Effect, Layer, Metric, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { newId } from "../database/newId.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { datasetsTag } from "../http/cache/tags.ts"
import { byLabel } from "../metric/byLabel.ts"
import { datasetKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { DATASET_FREE_SHARE_MIN } from "../object/Room.ts"
import { StoredObjects } from "../object/StoredObjects.ts"
import { type Contents, makePartFiles, type Options, type Written } from "./PartFiles.ts"
import { patiently } from "./patience.ts"
import { type Due, makeQueries } from "./queries.ts"
import { nextUnit, type Unit } from "./unit.ts"

const LOOK_EVERY = "5 minutes"
/** A node that is gone holds the others up for no longer; one that makes a part keeps its claim meanwhile. */
const CLAIM_S = 300
/** A page, or a file, may take the store longer than a claim lasts. */
export const KeptEvery = Context.Reference<Duration.Input>("agon/dataset/KeptEvery", { defaultValue: () => "1 minute" })

const partsBy = byLabel("agon_dataset_parts_total", "outcome", "Parts of datasets that this node made, or failed to make", [
  "made",
  "failed"
])

export class DatasetMaker extends Context.Service<
  DatasetMaker,
  {
    /** Makes what is due and answers how many parts that were. A season that fails is left for the next look. */
    readonly look: Effect.Effect<number>
  }
>()("agon/DatasetMaker") {
  static readonly layer = (
    options: Options
  ): Layer.Layer<DatasetMaker, never, SqlClient.SqlClient | ObjectStore | StoredObjects | ResponseCache> =>
    Layer.effect(
      DatasetMaker,
      Effect.gen(function* () {
        const look = yield* makeLook(options)
        if (options.datasets !== "off") yield* look.pipe(Effect.schedule(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
        return DatasetMaker.of({ look })
      })
    )
}

const makeLook = Effect.fnUntraced(function* (options: Options) {
  const queries = yield* makeQueries
  const objects = yield* ObjectStore
  const make = yield* makePart(options)
  const holder = yield* newId

  /** Whether the part was made: not where another node has the season. A claim that is not given back runs out after `CLAIM_S`. */
  const held = (season_id: string, part: Effect.Effect<boolean, unknown>) =>
    Effect.acquireUseRelease(
      queries.claim({ season_id, holder, for_s: CLAIM_S }),
      (taken) => (taken ? part : Effect.succeed(false)),
      (taken) => (taken ? Effect.ignoreCause(queries.release({ season_id, holder })) : Effect.void)
    )

  /**
   * One part of each season that has one to make. A season of which none was made is left
   * alone for the rest of the look.
   */
  const turn = Effect.fnUntraced(function* (over: Set<string>) {
    const { now } = yield* queries.now(yield* DateTime.nowAsDate)
    let made = 0
    for (const { season_id } of (yield* queries.due({ only: null })).filter(
      (one) => !over.has(one.season_id) && nextUnit(one, now.getTime())
    )) {
      if ((yield* objects.freeShare) < DATASET_FREE_SHARE_MIN)
        return yield* Effect.as(Effect.logWarning("no datasets: the disk is nearly full"), 0)
      const part = held(season_id, make(season_id, holder, now.getTime()))
      const failed = Effect.as(Metric.update(partsBy("failed"), 1), false)
      const done = yield* Effect.catchCause(part, (cause) =>
        Effect.andThen(Effect.logWarning("a dataset was not made", { season: season_id }, cause), failed)
      )
      if (!done) over.add(season_id)
      else {
        made += 1
        yield* Metric.update(partsBy("made"), 1)
      }
    }
    return made
  })

  return Effect.gen(function* () {
    const over = new Set<string>()
    let made = 0
    for (let more = yield* turn(over); more > 0; more = yield* turn(over)) made += more
    return made
  }).pipe(
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("datasets were not made", cause), 0)),
    Effect.withSpan("DatasetMaker.look")
  )
})

/** Somebody else makes the files of the season. */
class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", { season_id: Schema.String }) {}

/** Ends where somebody else has the season. A database that is away meanwhile ends nothing: the commit asks it again. */
const kept = (season_id: string, keep: Effect.Effect<boolean, SqlError.SqlError>, every: Duration.Input) =>
  Effect.andThen(
    Effect.sleep(every),
    Effect.orElseSucceed(keep, () => true)
  ).pipe(
    Effect.filterOrFail(
      (has) => has,
      () => new ClaimLost({ season_id })
    ),
    Effect.forever
  )

const makePart = Effect.fnUntraced(function* (options: Options) {
  const sql = yield* SqlClient.SqlClient
  const queries = yield* makeQueries
  const objects = yield* ObjectStore
  const stored = yield* StoredObjects
  const cache = yield* ResponseCache
  const files = yield* makePartFiles(options)

  /** Tries again while the file is there and the disk has room for it: the rest of the part is as good as it was. */
  const putFile = (file: Put) => {
    const goesOn = Effect.map(objects.freeShare, (share) => share >= DATASET_FREE_SHARE_MIN && existsSync(file.path))
    return patiently(
      "put",
      Effect.orElseSucceed(goesOn, () => true)
    )(objects.putFile(file.key, file))
  }

  /** Answers whether the rows are there: not where the claim was lost, or the season became private. */
  const publish = Effect.fnUntraced(function* (due: Due, unit: Unit, holder: string, contents: Contents, put: ReadonlyArray<Put>) {
    const { season_id } = due
    if (!(yield* queries.stands({ season_id, holder }))) return false
    const made_at = yield* DateTime.nowAsDate
    const part = { season_id, day: unit.day, part: unit.part, through: contents.through, last: contents.last }
    for (const file of put) yield* queries.add(part, file, made_at)
    yield* queries.settle({ season_id, mark: due.mark, before: due.through, through: contents.through, until: unit.until })
    return true
  }, sql.withTransaction)

  return Effect.fnUntraced(function* (season_id: string, holder: string, now: number) {
    const [due] = yield* queries.due({ only: season_id }) // as it is under the claim
    const unit = due === undefined ? undefined : nextUnit(due, now)
    if (due === undefined || unit === undefined) return false
    const keep = queries.claim({ season_id, holder, for_s: CLAIM_S })
    const making = Effect.gen(function* () {
      const contents = yield* files.write(due, unit)
      const put = contents.written.map((file): Put => ({ ...file, key: datasetKey(season_id, file.sha256, nameOf(unit, file)) }))
      yield* stored.taking(put.map(({ key }) => key))
      yield* Effect.forEach(put, putFile, { discard: true })
      return { contents, put }
    })
    const { contents, put } = yield* Effect.raceFirst(making, kept(season_id, keep, yield* KeptEvery))
    const listed = yield* Effect.onExit(publish(due, unit, holder, contents, put), () => cache.purge(datasetsTag(season_id)))
    if (listed) yield* Effect.logInfo("a dataset was made", { season: due.slug, day: unit.day, part: unit.part })
    return listed
  }, Effect.scoped)
})

type Put = Written & { readonly key: string }

const ENDINGS = { matches: "matches.jsonl.zst", replays: "replays.tar.zst", voided: "voided.jsonl.zst" } as const

const nameOf = ({ day, part }: Unit, { kind }: Written) => `${day}-${part}.${ENDINGS[kind]}`
