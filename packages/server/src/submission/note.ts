/** Checks a note: its length by the season's rules, its words by the site's list. */

import { NoteTooLong } from "@agon/api/version/refusals.ts"
import { isOfCharacters } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { refuseListed, type Words } from "../account/Words.ts"

export const checkNote = Effect.fnUntraced(function* (words: Words["Service"], max: number, note: string) {
  if (!isOfCharacters(0, max)(note)) return yield* new NoteTooLong({ detail: `A note has at most ${max} characters.` })
  yield* refuseListed(words, "note", note)
})
