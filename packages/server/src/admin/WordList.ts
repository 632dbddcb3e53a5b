/**
 * The site's word list for administrators; account/Words.ts applies it. Words are matched in
 * any case, width and diacritics.
 */

import type { SignedIn } from "@agon/api/Authorization.ts"
import type { Word, Words } from "@agon/api/admin/Word.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { type InvalidRequest, invalidField, NotFound } from "@agon/api/Problem.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { wordOf } from "../account/folding.ts"
import { auditOf, makeAuditLog, nowhere } from "../audit/auditLog.ts"
import { makeQueries } from "./wordQueries.ts"

export class WordList extends Context.Service<
  WordList,
  {
    readonly list: (page: PageOf) => Effect.Effect<Words>
    /** Answers the new row, or the existing one where the word is on the list already. */
    readonly add: (account: SignedIn, spelled: string) => Effect.Effect<Word, InvalidRequest>
    /** Answers the removed row. */
    readonly remove: (account: SignedIn, spelled: string) => Effect.Effect<Word, NotFound>
  }
>()("agon/WordList") {
  static readonly layer: Layer.Layer<WordList, never, SqlClient.SqlClient> = Layer.effect(
    WordList,
    Effect.suspend(() => makeWordList)
  )
}

const NO_WORD = "A word is made of letters and digits, with nothing between them."

const makeWordList = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const queries = yield* makeQueries

  const list = Effect.fn("WordList.list")(function* ({ cursor, limit }: PageOf) {
    const words = yield* queries.words({ limit, offset: cursor })
    const { total } = yield* queries.count(undefined)
    return { words, total, next_cursor: nextCursor(cursor, words.length, total) }
  }, Effect.orDie)

  /** Tries again where the word is removed at the same moment. */
  const put = Effect.fnUntraced(function* (word: string, spelled: string) {
    const now = yield* DateTime.nowAsDate
    for (;;) {
      const added = yield* queries.add({ word, spelled, now })
      if (Option.isSome(added)) return { row: added.value, isNew: true }
      const found = yield* queries.word(word)
      if (Option.isSome(found)) return { row: found.value, isNew: false }
    }
  })

  const add = Effect.fn("WordList.add")(function* (account: SignedIn, spelled: string) {
    const word = wordOf(spelled)
    if (word === undefined) return yield* invalidField("word", NO_WORD)
    const { row } = yield* auditLog.logged(nowhere, put(word, spelled), ({ isNew }) =>
      isNew ? auditOf(account, "word.add", spelled) : undefined
    )
    return row
  })

  const take = Effect.fnUntraced(function* (word: string | undefined) {
    const taken = word === undefined ? Option.none() : yield* queries.remove(word)
    return Option.isSome(taken) ? taken.value : yield* new NotFound({ detail: "The word is not on the list." })
  })

  const remove = Effect.fn("WordList.remove")(function* (account: SignedIn, spelled: string) {
    return yield* auditLog.logged(nowhere, take(wordOf(spelled)), ({ word }) => auditOf(account, "word.remove", word))
  })

  return WordList.of({ list, add, remove })
})
