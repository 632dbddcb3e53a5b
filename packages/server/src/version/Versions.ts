/**
 * Reading versions. Everybody sees those in contention, superseded or disabled, of seasons that they may see;
 * the owner sees each of theirs in any state, with the reason for a rejection.
 */

import type { VersionInPath } from "@agon/api/Authorization.ts"
import { cutTo, nextCursor, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import type { ListedState } from "@agon/api/version/admin.ts"
import type { NoteTooLong, NoteWordListed } from "@agon/api/version/refusals.ts"
import type { AdministeredVersion } from "@agon/api/version/Version.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { isProvisional } from "@agon/domain/rating/Rating.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { Words } from "../account/Words.ts"
import type { Viewer } from "../database/visibility.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { versionTag } from "../http/cache/tags.ts"
import { shown, twoDecimals } from "../rating/shown.ts"
import { checkNote } from "../submission/note.ts"
import { makeQueries, type VersionRow } from "./queries.ts"

/** A version by its rows; its season adds why it waits (Forecasts.ts). */
export type StoredVersion = Omit<AdministeredVersion, "waiting" | "next_match_eta_s">

/** A version and its season, for the tags of the answer. */
export interface ReadVersion {
  readonly version: StoredVersion
  readonly season_id: string
}

/** A page of an owner's candidates. */
interface Listed {
  readonly candidates: ReadonlyArray<StoredVersion>
  readonly total: number
  readonly next_cursor: string | null
}

/** Which of a season's versions are listed. */
interface Which {
  readonly state: ListedState
  /** The beginning of the model's name or of its owner's; all of them where it is undefined or blank. */
  readonly name?: string
}

/** A page of a season's versions. */
interface ListedOfSeason {
  readonly versions: ReadonlyArray<StoredVersion>
  readonly next_cursor: string | null
}

export class Versions extends Context.Service<
  Versions,
  {
    /** The fields that the viewer may see, without `reject_detail`. */
    readonly get: (id: string, viewer: Viewer) => Effect.Effect<ReadVersion, NotFound>
    /** In any state; ask `ownedBy` first. */
    readonly own: (id: string) => Effect.Effect<StoredVersion, NotFound>
    /** Writes the note; ask `ownedBy` first. */
    readonly annotate: (id: string, note: string | null) => Effect.Effect<StoredVersion, NotFound | NoteTooLong | NoteWordListed>
    /** Newest first. */
    readonly ofModel: (model_id: string, viewer: Viewer) => Effect.Effect<ReadonlyArray<ReadVersion>>
    readonly candidates: (account_id: string, page: PageOf) => Effect.Effect<Listed>
    /** For the season's administrators, newest first. */
    readonly ofSeason: (season_id: string, which: Which, page: PageOf) => Effect.Effect<ListedOfSeason>
    readonly ownedBy: (account_id: string, id: string) => Effect.Effect<Option.Option<VersionInPath>>
  }
>()("agon/Versions") {
  static readonly layer: Layer.Layer<Versions, never, SqlClient.SqlClient | ResponseCache | Words> = Layer.effect(
    Versions,
    Effect.suspend(() => makeVersions)
  )
}

const unknown = new NotFound({ detail: "There is no such version." })

const makeVersions = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const words = yield* Words

  const get = Effect.fn("Versions.get")(function* (id: string, viewer: Viewer) {
    const row = yield* Effect.orDie(queries.publicById({ id, viewer }))
    return Option.isSome(row) ? read(row.value) : yield* unknown
  })

  const own = Effect.fn("Versions.own")(function* (id: string) {
    const row = yield* Effect.orDie(queries.byId(id))
    return Option.isSome(row) ? read(row.value).version : yield* unknown
  })

  const annotate = Effect.fn("Versions.annotate")(function* (id: string, note: string | null) {
    const { note_max_length } = yield* Effect.orDie(queries.noteRule(id))
    if (note !== null) yield* checkNote(words, note_max_length, note)
    yield* Effect.orDie(queries.setNote(id, note)).pipe(Effect.ensuring(cache.purge(versionTag(id))))
    return yield* own(id)
  })

  const ofModel = (model_id: string, viewer: Viewer) =>
    queries.publicOfModel({ model_id, viewer }).pipe(
      Effect.map((rows) => rows.map(read)),
      Effect.orDie
    )

  const candidates = Effect.fn("Versions.candidates")(function* (owner_id: string, { cursor, limit }: PageOf) {
    const rows = yield* queries.candidates({ owner_id, limit, offset: cursor })
    const { total } = yield* queries.candidateCount(owner_id)
    return { candidates: rows.map((row) => read(row).version), total, next_cursor: nextCursor(cursor, rows.length, total) }
  }, Effect.orDie)

  const ofSeason = Effect.fn("Versions.ofSeason")(function* (season_id: string, { name = "", state }: Which, page: PageOf) {
    const start = name.trim()
    // The database cannot store this character, so nothing has such a name.
    if (start.includes("\0")) return { versions: [], next_cursor: null }
    const asked = { season_id, state, ...oneMoreThan(page) }
    const { next_cursor, shown } = cutTo(page, yield* start === "" ? queries.ofSeason(asked) : queries.ofSeasonNamed({ ...asked, start }))
    return { versions: shown.map((row) => read(row).version), next_cursor }
  }, Effect.orDie)

  const ownedBy = (account_id: string, id: string) =>
    isUuid(id) ? Effect.orDie(queries.ownedBy({ id, account_id })) : Effect.succeed(Option.none())

  return Versions.of({ get, own, annotate, ofModel, candidates, ofSeason, ownedBy })
})

const read = ({ provisional_matches, ratings, season_id, ...row }: VersionRow): ReadVersion => ({
  season_id,
  version: {
    ...row,
    ratings: Object.fromEntries(
      Object.entries(ratings).map(([ladder, { matches, mu, rank, round_matches, sigma }]) => [
        ladder,
        {
          rating: shown(mu),
          deviation: twoDecimals(sigma),
          provisional: isProvisional({ mu, sigma }, round_matches, provisional_matches),
          matches,
          rank
        }
      ])
    )
  }
})
