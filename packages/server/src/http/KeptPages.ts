/**
 * Pages that the site has confirmed, kept in front of it for as long as the site says that they hold, which is a second at most: whoever
 * asks meanwhile costs the site nothing. Shared pages are asked for without a session, so that they are the same for everybody who
 * accepts the same codings. The site's own second has begun when a page comes here, and its rest is kept, so that a page is never
 * further behind the reads beneath it than without this.
 */
import type { IncomingMessage } from "node:http"
import { FRESH, isPersonal } from "@agon/api/Visitor.ts"

/** Most pages have 5 kB compressed. */
const KEPT_MAX_BYTES = 16 * 1024 * 1024
/** The memory of a page besides its body and its key. */
const OVERHEAD_BYTES = 2_048

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

interface Kept {
  readonly answer: Answered
  readonly until_ms: number
}

type Asked = Pick<IncomingMessage, "headers" | "method" | "url">

/** Undefined for a request whose answer is not kept. */
const keyOf = ({ headers, method, url }: Asked): string | undefined =>
  method === "GET" && !isPersonal(url!) ? `${headers["accept-encoding"] ?? ""}\n${url}` : undefined

/** Milliseconds for which the site says that the page holds. */
const freshFor = ({ headers, status }: Answered): number => {
  const told = headers[FRESH]
  const isShared = status === 200 && headers["cache-control"]?.startsWith("public") === true
  return isShared && typeof told === "string" && /^\d{1,5}$/.test(told) ? Number(told) : 0
}

const weightOf = (key: string, { body }: Answered) => key.length + body.length + OVERHEAD_BYTES

export const makeKeptPages = () => {
  const pages = new Map<string, Kept>()
  let bytes = 0
  const drop = (key: string) => {
    const old = pages.get(key)
    if (old !== undefined && pages.delete(key)) bytes -= weightOf(key, old.answer)
  }
  return {
    /** Whether the whole page is asked for, whatever the visitor has, so that it can be kept. */
    isKept: (request: Asked): boolean => keyOf(request) !== undefined,
    get: (request: Asked): Answered | undefined => {
      const key = keyOf(request)
      const kept = key === undefined ? undefined : pages.get(key)
      return kept !== undefined && performance.now() < kept.until_ms ? kept.answer : undefined
    },
    keep: (request: Asked, answer: Answered): void => {
      const key = keyOf(request)
      const fresh_ms = freshFor(answer)
      if (key === undefined || fresh_ms === 0) return
      drop(key)
      pages.set(key, { answer, until_ms: performance.now() + fresh_ms })
      bytes += weightOf(key, answer)
      for (const oldest of pages.keys()) {
        if (bytes <= KEPT_MAX_BYTES) break
        drop(oldest)
      }
    }
  }
}
