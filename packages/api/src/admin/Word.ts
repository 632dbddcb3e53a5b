/** The site's list of words that notes, bios, comments and stories may not contain (docs/contract.md#word-list). */
import { Schema } from "effect"
import { compared } from "../Name.ts"
import * as page from "../Page.ts"
import { Instant } from "../Wire.ts"

const WORD_MAX = 64

/** `word` as it was first written; it also matches words that differ only in case, width and diacritics. */
export const Word = Schema.Struct({ word: Schema.String, added_at: Instant }).annotate({ identifier: "Word" })
export type Word = typeof Word.Type

/** In alphabetical order. */
export const Words = page.listOf("Words", "words", Word)
export type Words = typeof Words.Type

/** One word of letters and digits: any other character in it is refused as `invalid_request`. */
export const AddWord = Schema.Struct({ word: compared(WORD_MAX) }).annotate({ identifier: "AddWord" })
