/** The site's word list, as those meet it who write (docs/contract.md#word-list); admin/WordList.ts is the other side. */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { NoteWordListed } from "@agon/api/version/refusals.ts"
import { wordsOf } from "./folding.ts"
import { makeQueries } from "./queries.ts"

export class Words extends Context.Service<
  Words,
  {
    /** The listed word that a text contains, as the list spells it, for the refusal; undefined where it contains none. */
    readonly listedIn: (text: string) => Effect.Effect<string | undefined>
  }
>()("agon/Words") {
  /** Nothing of the list is kept, so what is added on one node is in force on all with the next text. */
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

/** For what stands beside models and people: notes, bios and the names that they are shown by (docs/contract.md#word-list). */
export const refuseListed = Effect.fnUntraced(function* (words: Words["Service"], what: string, text: string) {
  const listed = yield* words.listedIn(text)
  if (listed !== undefined) return yield* new NoteWordListed({ detail: `The ${what} contains "${listed}", which is not allowed here.` })
})
