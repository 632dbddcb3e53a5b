/** Daily files with the matches of public seasons (docs/datasets.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { UnknownGame, UnknownSeason } from "../Authorization.ts"
import { Cached } from "../Boundary.ts"
import { cursor, limit, listOf } from "../Page.ts"

export const DatasetKind = Schema.Literals(["matches", "replays", "voided"])
export type DatasetKind = typeof DatasetKind.Type

/** A file that never changes. A day with many matches has several parts. */
export const Dataset = Schema.Struct({
  /** The UTC day, as in 2026-11-20. */
  day: Schema.String.annotate({ format: "date" }),
  /** Counted from 1. */
  part: Schema.Int,
  kind: DatasetKind,
  /** Signed, valid for an hour. */
  url: Schema.String,
  /** Of the file as it is downloaded, in hexadecimal digits. */
  sha256: Schema.String,
  bytes: Schema.Int,
  /** Lines of a JSON Lines file, entries of a tar. */
  rows: Schema.Int
}).annotate({ identifier: "Dataset" })
export type Dataset = typeof Dataset.Type

export const Datasets = listOf("Datasets", "datasets", Dataset)
export type Datasets = typeof Datasets.Type

const LIMIT_MAX = 1_000

/**
 * Oldest first: later files come after those that were there. There is no private twin:
 * private seasons have no datasets.
 */
const datasets = HttpApiEndpoint.get("datasets", "/v1/games/:game/seasons/:slug/datasets", {
  params: { game: Schema.String, slug: Schema.String },
  query: { limit: limit(LIMIT_MAX, LIMIT_MAX), cursor },
  success: Datasets,
  error: [UnknownGame, UnknownSeason]
})

export class DatasetGroup extends HttpApiGroup.make("dataset").add(datasets.middleware(Cached)) {}
