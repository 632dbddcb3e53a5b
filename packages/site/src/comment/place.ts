/**
 * The part of a thread that a page shows: from a number on, or the one that has a comment, named by its id and by the time at which it was
 * written. No link can name a comment's number for good: one that was written before it may be approved after it.
 */
import type { Client } from "@agon/api/Client.ts"
import type { Comment, Thread } from "@agon/api/comment/Comment.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { offsetOf } from "../html/pager.ts"

export const COMMENT_ROWS = 50

type Named = Pick<Comment, "id" | "created_at">

export type ThreadPlace = { readonly offset: number } | Named

/** The parameters of a page with a thread. */
export const THREAD_QUERY = ["cursor", "comment", "written"] as const

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Undefined where the address is ill. */
export const placeIn = (query: Readonly<Record<string, string>>): ThreadPlace | undefined => {
  const { comment: id, cursor, written: created_at } = query
  if (id !== undefined || created_at !== undefined)
    return id !== undefined && isUuid(id) && created_at !== undefined && INSTANT.test(created_at) ? { id, created_at } : undefined
  const offset = offsetOf(cursor)
  return offset === undefined ? undefined : { offset }
}

/** Threads are in this order. */
const isBefore = (one: Named, other: Named) => (one.created_at === other.created_at ? one.id < other.id : one.created_at < other.created_at)

export interface ThreadPart {
  readonly read: Thread
  readonly offset: number
}

/**
 * Reads the part. To find a comment it reads pages twice as far on each time, until one does not end before it, and then halves the pages
 * between: some twenty reads in a thread of ten thousand. A comment that is no more leads to where it was.
 */
export const readThread = Effect.fnUntraced(function* (
  client: Client,
  about: { readonly match: string } | { readonly model: string },
  place: ThreadPlace
) {
  const readFrom = (offset: number) => client.community.thread({ query: { ...about, limit: COMMENT_ROWS, cursor: offset } })
  if ("offset" in place) return { read: yield* readFrom(place.offset), offset: place.offset }
  const endsBefore = ({ comments, next_cursor }: Thread) => next_cursor !== null && isBefore(comments.at(-1)!, place)
  let [low, high] = [0, 0]
  let read = yield* readFrom(0)
  while (endsBefore(read)) {
    low = high + 1
    high = 2 * high + 1
    read = yield* readFrom(high * COMMENT_ROWS)
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const between = yield* readFrom(middle * COMMENT_ROWS)
    if (endsBefore(between)) low = middle + 1
    else {
      high = middle
      read = between
    }
  }
  return { read, offset: high * COMMENT_ROWS }
})
