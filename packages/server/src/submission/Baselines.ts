/**
 * Baselines: models that administrators bring into a season. Recorded by name, reviewed like
 * any other, switched on and off.
 */

import type { SeasonInPath, SignedIn, UnknownSeason } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { NotFound, type Unavailable } from "@agon/api/Problem.ts"
import type { StorageFull } from "@agon/api/submission/api.ts"
import {
  type Baseline,
  BaselineExists,
  BaselineNotAdmitted,
  type ImportBaselines,
  type ImportedBaselines,
  type Baselines as Page,
  type RecordedBaseline
} from "@agon/api/submission/baselines.ts"
import { SeasonClosed } from "@agon/api/version/refusals.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { auditOf } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { SharedClock } from "../database/SharedClock.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { Room } from "../object/Room.ts"
import { StoredObjects } from "../object/StoredObjects.ts"
import { Seasons } from "../season/Seasons.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { makeQueries } from "./queries.ts"
import { uploadsOf } from "./uploads.ts"

interface Named {
  readonly name: string
  readonly weights_hash: string
  readonly manifest_hash: string
}

export class Baselines extends Context.Service<
  Baselines,
  {
    readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<Page>
    /**
     * Answers where to send the two files. The same name with the same hashes again: the same version,
     * links for the rest of its window.
     */
    readonly record: (
      account: SignedIn,
      season: SeasonInPath,
      baseline: Named
    ) => Effect.Effect<typeof RecordedBaseline.Type, BaselineExists | SeasonClosed | StorageFull | Unavailable>
    readonly switch: (
      account: SignedIn,
      season: SeasonInPath,
      name: string,
      enabled: boolean
    ) => Effect.Effect<Baseline, NotFound | BaselineNotAdmitted | SeasonClosed | Unavailable>
    /**
     * Imports baselines of another season that the account may see: the same bytes, reviewed
     * again by this season's rules.
     */
    readonly import: (
      account: SignedIn,
      season: SeasonInPath,
      wanted: ImportBaselines
    ) => Effect.Effect<ImportedBaselines, UnknownSeason | SeasonClosed | Unavailable>
  }
>()("agon/Baselines") {
  static readonly layer: Layer.Layer<Baselines, never, SqlClient.SqlClient | ObjectStore | Room | StoredObjects | SeasonActors | Seasons> =
    Layer.effect(
      Baselines,
      Effect.suspend(() => makeBaselines)
    ).pipe(Layer.provide(SharedClock.layer))
}

/** The source of an imported baseline, with the sizes of its files, which the store has. */
interface From {
  readonly season: string
  readonly files: { readonly weights_bytes: number; readonly manifest_bytes: number }
}

const exists = (name: string) => new BaselineExists({ detail: `The season has a baseline ${name} of other files.` })

const over = new SeasonClosed({ detail: "The season plays its finals, or is closing: no baseline joins it any more." })

/** Enters a new candidate under the name, recorded or imported. */
const makeEnter = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors

  return Effect.fnUntraced(function* (account: SignedIn, { game, id: season_id }: SeasonInPath, baseline: Named, from?: From) {
    const { manifest_hash, name, weights_hash } = baseline
    const hashes = { weights_hash, manifest_hash }
    const now = yield* DateTime.nowAsDate
    const model = yield* Effect.orDie(queries.baselineModel({ id: yield* newId, game, season_id, name, now }))
    const { number } = yield* Effect.orDie(queries.nextNumber(model.id))
    const reply = yield* askedByPerson(actors, season_id, {
      _tag: "SubmitVersion",
      version: yield* newId,
      model: model.id,
      owner: null,
      number,
      ...hashes,
      note: null,
      eligible: true,
      retired: false,
      files: from?.files ?? null,
      audit: yield* from === undefined
        ? auditOf(account, "baseline.record", name, hashes)
        : auditOf(account, "baseline.import", name, { from: from.season, ...hashes })
    })
    if (!("refused" in reply)) return reply
    if (reply.refused[0]!.code === "season_closed") return yield* new SeasonClosed({ detail: "The season takes no more baselines." })
    return yield* exists(name) // since somebody else recorded it in the meantime
  })
})

const makeImport = Effect.fnUntraced(function* (enter: Effect.Success<typeof makeEnter>) {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const seasons = yield* Seasons

  /** Imports one baseline of another season; answers why it was skipped, or that it was imported. */
  const importOne = Effect.fnUntraced(function* (account: SignedIn, season: SeasonInPath, from: FoundSeason, name: string) {
    const found = yield* Effect.orDie(queries.baseline({ season_id: from.id, name }))
    if (Option.isNone(found)) return { name, reason: "not_found" as const }
    const { manifest_bytes, status, weights_bytes } = found.value
    const admitted = status === "entered" || status === "disabled"
    if (!admitted || weights_bytes === null || manifest_bytes === null) return { name, reason: "baseline_not_admitted" as const }
    const here = yield* Effect.orDie(queries.baseline({ season_id: season.id, name }))
    if (Option.isSome(here) && here.value.status !== "rejected") return { name, reason: "baseline_exists" as const }
    return yield* enter(account, season, found.value, { season: from.record.slug, files: { weights_bytes, manifest_bytes } }).pipe(
      Effect.as(undefined),
      Effect.catchTag("baseline_exists", () => Effect.succeed({ name, reason: "baseline_exists" as const }))
    )
  })

  return Effect.fn("Baselines.import")(function* (account: SignedIn, season: SeasonInPath, { baselines, from }: ImportBaselines) {
    const source = yield* Effect.catchTag(seasons.find(season.game, from, account.id), "unknown_game", Effect.die)
    yield* askedByPerson(actors, season.id, { _tag: "Tick" }) // a closed season is refused even where there is nothing to import
    const names = baselines ?? (yield* Effect.orDie(queries.baselineNames(source.id))).map(({ name }) => name)
    const outcome: { readonly imported: Array<string>; readonly skipped: Array<ImportedBaselines["skipped"][number]> } = {
      imported: [],
      skipped: []
    }
    for (const name of new Set(names)) {
      const skipped = yield* importOne(account, season, source, name)
      if (skipped === undefined) outcome.imported.push(name)
      else outcome.skipped.push(skipped)
    }
    return outcome
  })
})

const makeBaselines = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const places = { objects: yield* ObjectStore, stored: yield* StoredObjects, shared: yield* SharedClock }
  const room = yield* Room
  const enter = yield* makeEnter

  const byName = Effect.fnUntraced(function* (season_id: string, name: string) {
    const found = yield* Effect.orDie(queries.baseline({ season_id, name }))
    return Option.isSome(found) ? found.value : yield* new NotFound({ detail: `The season has no baseline ${name}.` })
  })

  return Baselines.of({
    list: Effect.fn("Baselines.list")(function* ({ id }, { cursor, limit }) {
      const rows = yield* queries.baselines({ season_id: id, limit, offset: cursor })
      const total = rows[0]?.total ?? (yield* queries.baselineCount(id)).total
      return { baselines: rows.map(({ total: _, ...row }) => publish(row)), total, next_cursor: nextCursor(cursor, rows.length, total) }
    }, Effect.orDie),
    record: Effect.fn("Baselines.record")(function* (account, season, baseline) {
      const { manifest_hash, name, weights_hash } = baseline
      const known = yield* Effect.orDie(queries.baseline({ season_id: season.id, name }))
      const same = Option.filter(known, (row) => row.weights_hash === weights_hash && row.manifest_hash === manifest_hash)
      if (Option.isSome(known) && Option.isNone(same) && known.value.status !== "rejected") {
        return yield* exists(name)
      }
      if (Option.isNone(same)) yield* room.onDisk
      const entered = yield* enter(account, season, baseline)
      const { weights_max_bytes } = yield* Effect.orDie(queries.largestClass(season.id))
      const upload = yield* uploadsOf(places, entered, baseline, weights_max_bytes)
      return { ...publish(yield* Effect.orDie(byName(season.id, name))), upload }
    }),
    switch: Effect.fn("Baselines.switch")(function* (account, season, name, enabled) {
      const { id } = yield* byName(season.id, name)
      const audit = yield* auditOf(account, "baseline.switch", name, { enabled })
      const reply = yield* askedByPerson(actors, season.id, { _tag: "SwitchBaseline", version: id, enabled, audit })
      if ("refused" in reply && reply.refused === "season_closed") return yield* over
      if ("detail" in reply) return yield* new BaselineNotAdmitted({ detail: `${name} is over the season's limits. ${reply.detail}` })
      if ("refused" in reply) return yield* new BaselineNotAdmitted({ detail: `${name} is not admitted (yet); it cannot be switched.` })
      return publish(yield* byName(season.id, name))
    }),
    import: yield* makeImport(enter)
  })
})

interface Row extends Omit<Baseline, "version_id" | "enabled"> {
  readonly id: string
}

const publish = ({ class: held, id: version_id, name, reject_reason, status }: Row): Baseline => ({
  name,
  version_id,
  status,
  class: held,
  reject_reason,
  enabled: status === "entered"
})
