/** The site's word list (DECISIONS.md section 12): whole words, after NFKC, case folding and removal of diacritics. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { makeQueries } from "./queries.ts"

/** Letters and digits make a word; everything else stands between words. */
const fold = (text: string) =>
  text
    .normalize("NFKC")
    .toUpperCase() // folds what lower case keeps apart, such as ß and ss
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .normalize("NFKC")

const spaced = (text: string) =>
  ` ${fold(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `

/** The first word of the list that the text contains. */
export const listedWord = (text: string, list: ReadonlyArray<string>): string | undefined => {
  const haystack = spaced(text)
  return list.find((word) => {
    const needle = spaced(word)
    return needle.trim() !== "" && haystack.includes(needle)
  })
}

export class Words extends Context.Service<
  Words,
  {
    /** The listed word that a text contains, for the refusal; undefined where it contains none. */
    readonly listedIn: (text: string) => Effect.Effect<string | undefined>
  }
>()("agon/Words") {
  static readonly layer: Layer.Layer<Words, never, SqlClient.SqlClient> = Layer.effect(
    Words,
    Effect.map(makeQueries, (queries) => ({
      listedIn: (text) =>
        Effect.orDie(
          Effect.map(queries.words(undefined), (rows) =>
            listedWord(
              text,
              rows.map(({ word }) => word)
            )
          )
        )
    }))
  )
}
