/** Checks a note: its length by the season's rules, its words by the site's list. */

import { NoteTooLong } from "@agon/api/version/refusals.ts"
import { Effect } from "effect"
import { refuseListed, type Words } from "../account/Words.ts"

/** Lengths are in characters as people count them, not in UTF-16 units. */
export const checkNote = Effect.fnUntraced(function* (words: Words["Service"], max: number, note: string) {
  if ([...note].length > max) return yield* new NoteTooLong({ detail: `A note has at most ${max} characters.` })
  yield* refuseListed(words, "note", note)
})
