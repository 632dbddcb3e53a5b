/**
 * Pages of the site (HTML), kept by the service for all visitors: whoever asks for one that is kept costs the site nothing. Answers of the
 * API are kept by ResponseCache.ts. Shared pages are asked for without a session, so that they are the same for everybody who accepts the
 * same codings. A page is shown
 *
 *   - for as long as the site says that it holds, which is the rest of its own second
 *   - then for ten seconds, while this node would answer every read beneath it from its cache with the tag that the site has had
 *
 * so it is never further behind the reads beneath it than the site's own second. Otherwise the site is asked.
 */
import type { IncomingMessage } from "node:http"
import { ownBytes } from "@agon/api/ownBytes.ts"
import { FRESH, isPersonal, READS } from "@agon/api/Visitor.ts"

/** Most pages have 5 kB compressed. */
const KEPT_MAX_BYTES = 16 * 1024 * 1024
/** The site's own second. */
const FRESH_MAX_MS = 1_000
/** A page that the site draws otherwise after an upgrade, over the same reads, is shown for this long. */
const HELD_MS = 10_000
/** The memory of a page besides its body, its key and its reads. */
const OVERHEAD_BYTES = 2_048

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

interface Read {
  readonly etag: string
  readonly url: string
}

interface Kept {
  readonly answer: Answered
  /** The end of the site's own second. */
  readonly fresh_until_ms: number
  readonly held_until_ms: number
  readonly reads: ReadonlyArray<Read>
}

type Asked = Pick<IncomingMessage, "headers" | "method" | "url">

/** Undefined for a request whose answer is not kept. */
const keyOf = ({ headers, method, url }: Asked): string | undefined =>
  method === "GET" && !isPersonal(url!) ? `${headers["accept-encoding"] ?? ""}\n${url}` : undefined

/** Milliseconds for which the site says that the page holds. */
const freshFor = ({ headers, status }: Answered): number => {
  const told = headers[FRESH]
  const isShared = status === 200 && headers["cache-control"]?.startsWith("public") === true
  return isShared && typeof told === "string" && /^\d{1,5}$/.test(told) ? Math.min(FRESH_MAX_MS, Number(told)) : 0
}

/** The reads beneath the page, none where the site does not name them. */
const readsOf = ({ headers: { [READS]: told } }: Answered): ReadonlyArray<Read> => {
  const words = typeof told === "string" ? told.split(" ") : []
  return Array.from({ length: Math.floor(words.length / 2) }, (_, i) => ({ etag: words[2 * i]!, url: words[2 * i + 1]! }))
}

const weightOf = (key: string, { body, headers }: Answered) => key.length + body.length + (headers[READS]?.length ?? 0) + OVERHEAD_BYTES

export interface Around {
  /** The tag of the answer that this node keeps for a URL of the API, if any. */
  readonly tagOf: (url: string) => string | undefined
  /** A clock that never goes back, ms. */
  readonly now?: () => number
}

export const makeKeptPages = ({ now = () => performance.now(), tagOf }: Around) => {
  const pages = new Map<string, Kept>()
  let bytes = 0
  const drop = (key: string) => {
    const old = pages.get(key)
    if (old !== undefined && pages.delete(key)) bytes -= weightOf(key, old.answer)
  }
  const holds = ({ fresh_until_ms, held_until_ms, reads }: Kept) => {
    const now_ms = now()
    if (now_ms < fresh_until_ms) return true
    return now_ms < held_until_ms && reads.length > 0 && reads.every(({ etag, url }) => tagOf(url) === etag)
  }
  return {
    /** Whether the whole page is asked for, whatever the visitor has, so that it can be kept. */
    isKept: (request: Asked): boolean => keyOf(request) !== undefined,
    get: (request: Asked): Answered | undefined => {
      const key = keyOf(request)
      const kept = key === undefined ? undefined : pages.get(key)
      return kept !== undefined && holds(kept) ? kept.answer : undefined
    },
    keep: (request: Asked, answer: Answered): void => {
      const key = keyOf(request)
      const fresh_ms = freshFor(answer)
      if (key === undefined || fresh_ms === 0) return
      drop(key)
      const now_ms = now()
      pages.set(key, {
        answer: { ...answer, body: ownBytes(answer.body) },
        fresh_until_ms: now_ms + fresh_ms,
        held_until_ms: now_ms + HELD_MS,
        reads: readsOf(answer)
      })
      bytes += weightOf(key, answer)
      for (const oldest of pages.keys()) {
        if (bytes <= KEPT_MAX_BYTES) break
        drop(oldest)
      }
    }
  }
}
