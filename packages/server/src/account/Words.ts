/** Checks users' texts against the site's word list (docs/contract.md#word-list); admin/WordList.ts edits the list. */

import { NoteWordListed } from "@agon/api/version/refusals.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { wordsOf } from "./folding.ts"
import { makeQueries } from "./queries.ts"

export class Words extends Context.Service<
  Words,
  {
    /**
     * The listed word that a text contains, as the list spells it, for the refusal;
     * undefined where it contains none.
     */
    readonly listedIn: (text: string) => Effect.Effect<string | undefined>
  }
>()("agon/Words") {
  /** The list is not cached, so a word added on one node is in force on all with the next text. */
  static readonly layer: Layer.Layer<Words, never, SqlClient.SqlClient> = Layer.effect(
    Words,
    Effect.map(makeQueries, (queries) => ({
      listedIn: (text) =>
        queries.listed(wordsOf(text)).pipe(
          Effect.orDie,
          Effect.map((found) => Option.getOrUndefined(found)?.word)
        )
    }))
  )
}

/** Refuses listed words in notes, bios and display names (docs/contract.md#word-list). */
export const refuseListed = Effect.fnUntraced(function* (words: Words["Service"], what: string, text: string) {
  const listed = yield* words.listedIn(text)
  if (listed !== undefined) return yield* new NoteWordListed({ detail: `The ${what} contains "${listed}", which is not allowed here.` })
})
