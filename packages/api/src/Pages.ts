/** Reading lists page by page with the client (Page.ts is what the service makes of such a query). */
import { Effect, Option, Stream } from "effect"

/** The part of a list's query that says which rows; beside it stand the list's own filters. */
export interface PageQuery {
  readonly limit: number
  readonly cursor: number
}

/** Most lists show so many rows where nobody asks for more or less. */
const ROWS = 25

export const firstPage = (limit = ROWS): PageQuery => ({ limit, cursor: 0 })

/** The page that an answer's `next_cursor` leads to. */
export const pageAfter = (next_cursor: string, limit = ROWS): PageQuery => ({ limit, cursor: Number(next_cursor) })

/**
 * Every page of a list, each asked for when it is wanted: `pages((page) => client.match.matches({ query: { sort: "newest", ...page } }))`.
 * Rows that move between two requests, as on a ladder in play, may come twice or not at all.
 */
export const pages = <Answer extends { readonly next_cursor: string | null }, E, R>(
  ask: (page: PageQuery) => Effect.Effect<Answer, E, R>,
  limit = ROWS
): Stream.Stream<Answer, E, R> =>
  Stream.paginate(firstPage(limit), (page) =>
    Effect.map(ask(page), (answer) => {
      const next = Option.fromNullOr(answer.next_cursor)
      return [[answer], Option.map(next, (cursor) => pageAfter(cursor, limit))] as const
    })
  )
