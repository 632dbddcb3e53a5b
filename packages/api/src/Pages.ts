/** Reading lists page by page with the client (Page.ts decodes such a query in the service). */
import { Effect, Option, Stream } from "effect"

/** The page of a list's query, without the list's own filters. */
export interface PageQuery {
  readonly limit: number
  readonly cursor: number
}

/** The default page size of most lists. */
const ROWS = 25

export const firstPage = (limit = ROWS): PageQuery => ({ limit, cursor: 0 })

/** The page that an answer's `next_cursor` leads to. */
export const pageAfter = (next_cursor: string, limit = ROWS): PageQuery => ({ limit, cursor: Number(next_cursor) })

/**
 * Every page of a list, each fetched on demand: `pages((page) => client.match.matches({ query: {
 * sort: "newest", ...page } }))`. Rows that move between two requests, as on a ladder in play,
 * may appear twice or not at all.
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
