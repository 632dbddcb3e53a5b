/** A season's rules and weight classes (docs/contract.md#rules), in full as they are published. */
import { Schema } from "effect"
import { Count, Ladder } from "../Wire.ts"

export const Rules = Schema.Struct({
  max_models_per_owner: Count,
  max_versions_per_model: Count,
  cooldown_s: Count,
  note_max_length: Count,
  infer_us_max: Count,
  trial: Schema.Struct({ matches: Count }),
  match: Schema.Struct({ max_turns: Count, strike_limit: Count }),
  provisional_matches: Count,
  upload_window_s: Count,
  max_stored_bytes_per_owner: Count,
  learn_spread: Schema.optionalKey(Count)
}).annotate({ identifier: "Rules" })
export type Rules = typeof Rules.Type

/** `open` is a class too: the largest. */
export const WeightClass = Schema.Struct({
  class: Ladder,
  max_bytes: Count,
  memory_flat_bytes: Count,
  memory_cell_bytes: Count
}).annotate({ identifier: "WeightClass" })
export type WeightClass = typeof WeightClass.Type
