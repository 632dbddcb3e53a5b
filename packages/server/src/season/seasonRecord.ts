/** The season record of docs/contract.md#season-record, and the other columns of a season's row that reads need. */

import { Season } from "@agon/api/season/Season.ts"
import { Schema } from "effect"
import { Instant } from "../database/rows.ts"

const { entries: _, ...fields } = Season.fields

/** A row of `seasonColumns`. `podium` holds version ids by ladder once the season is closed. */
export const SeasonRow = Schema.Struct({
  ...fields,
  id: Schema.String,
  submissions_open_at: Instant,
  submissions_close_at: Instant,
  close_requested_at: Schema.NullOr(Instant),
  closed_at: Schema.NullOr(Instant),
  podium: Schema.NullOr(Schema.Record(Schema.String, Schema.Array(Schema.String)))
})
export type SeasonRow = typeof SeasonRow.Type

export interface FoundSeason {
  readonly id: string
  readonly record: Season
  readonly podium: SeasonRow["podium"]
}

/** A model has at most one entered version, so models in the field and versions on the ladder are equally many. */
export const found = ({ id, podium, ...row }: SeasonRow): FoundSeason => ({
  id,
  podium,
  record: { ...row, entries: row.active_versions }
})
