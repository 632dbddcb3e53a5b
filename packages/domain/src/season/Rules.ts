/** The rules document of a season (docs/contract.md#rules) and its weight classes, as the season machine reads them. */

export const LADDERS = ["nano", "micro", "mini", "small", "large", "open"] as const
export type Ladder = (typeof LADDERS)[number]

/** Where matches are queued: a queue for each ladder, and one for trials. */
export const QUEUES = [...LADDERS, "trials"] as const
export const TRIALS = LADDERS.length // the place of trials among QUEUES

/** The place among QUEUES of a match that was made for this ladder; null: a trial. */
export const queueIndex = (ladder: Ladder | null): number => (ladder === null ? TRIALS : LADDERS.indexOf(ladder))

/** The ladders on which a match that was made for `made` is rated: that one, and open. */
export const laddersRated = (made: Ladder): ReadonlyArray<Ladder> => (made === "open" ? [made] : [made, "open"])

export interface Rules {
  readonly max_models_per_owner: number
  readonly max_versions_per_model: number
  readonly cooldown_s: number
  readonly note_max_length: number
  readonly infer_us_max: number
  readonly trial: { readonly matches: number }
  readonly match: { readonly max_turns: number; readonly strike_limit: number }
  readonly provisional_matches: number
  readonly upload_window_s: number
  /** Weights and manifests that the service keeps for one competitor, over all seasons; each content counts once. */
  readonly max_stored_bytes_per_owner: number
  /** 1: ratings start with the spread that the field turns out to have. 0 or absent, as in older seasons: with 200. */
  readonly learn_spread?: number
}

export const DEFAULT_RULES: Rules = {
  max_models_per_owner: 5,
  max_versions_per_model: 50,
  cooldown_s: 600,
  note_max_length: 280,
  infer_us_max: 20_000,
  trial: { matches: 4 },
  match: { max_turns: 500, strike_limit: 3 },
  provisional_matches: 10,
  upload_window_s: 1_800,
  max_stored_bytes_per_owner: 2 * 1024 ** 3
}

/**
 * A class takes versions of at most `max_bytes` (weights plus manifest). Its memory is a flat
 * part plus a part per board cell.
 */
export interface WeightClass {
  readonly class: Ladder
  readonly max_bytes: number
  readonly memory_flat_bytes: number
  readonly memory_cell_bytes: number
}

export type FleetUse = "own" | "platform" | "both"
export interface Fleet {
  readonly matches: FleetUse
  readonly admissions: FleetUse
}
/** Idle fill: extra counted matches once nobody is owed any. `max_per_hour` null is no limit. */
export interface Fill {
  readonly enabled: boolean
  readonly max_per_hour: number | null
}

/** The settings that administrators may edit; stored in columns of the season's row. Times are ms since 1970. */
export interface Settings {
  readonly submissions_open_at: number
  readonly submissions_close_at: number
  readonly rules: Rules
  readonly weight_classes: ReadonlyArray<WeightClass>
  readonly fleet: Fleet
  readonly fill: Fill
  readonly engine_digest: string
}

/** Whether a runner of this fleet may do work of this kind. */
export const mayServe = (use: FleetUse, fleet: "own" | "platform"): boolean => use === "both" || use === fleet
