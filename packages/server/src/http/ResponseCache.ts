/**
 * Ready answers of `shared` routes, by URL (DECISIONS.md section 14).
 *
 * An entry lives 600 s at most, less where its answer says that the clock will change it sooner, and goes at once when one of
 * its tags is purged. Those who miss the
 * same URL at the same time wait for one computation (a flight). A purge may fall between a flight's
 * read of the database and its end: such a flight answers those who already wait, is joined by
 * nobody, and is not kept if it named the tag. Those who come after the purge wait together for the next flight, which
 * begins when that one has ended: a URL is never computed twice at once, however many ask and however
 * much is purged. The store is bounded; the oldest entries leave first.
 */
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { SECURITY_HEADERS_FLAT } from "./securityHeaders.ts"

export interface Answer {
  readonly text: string
  readonly contentType: string
  readonly tags: ReadonlySet<string>
  /** When it stops being true, where it does so without a write. */
  readonly until_ms?: number | undefined
}

export interface Entry {
  readonly body: Buffer
  readonly etag: string
  readonly headers: { readonly [name: string]: string }
  /** The same headers flat, as node writes them fastest; the last slot is the request id of each answer. */
  readonly rawHeaders: Array<string>
  readonly tags: ReadonlySet<string>
  readonly expires_ms: number
}

interface Flight {
  readonly done: Deferred.Deferred<Entry, any>
  /** Since it took off. */
  readonly purged: Set<string>
}

export const maxAge_s = 600
const cacheControlOf = (seconds: number) => `public, max-age=0, s-maxage=${seconds}`
export const cacheControl = cacheControlOf(maxAge_s)
const maxBytes = 64 * 1024 * 1024
/** What the store keeps of an entry besides its body, its URL and its tags, so that many small ones are bounded as well. */
const overheadBytes = 1024
/** Of a tag: its text, and its places in two maps. */
const tagBytes = 200
/** Purges of everything carry this tag; no answer names it. */
const everything = "*"

export class ResponseCache extends Context.Service<
  ResponseCache,
  {
    readonly getUnsafe: (url: string) => Entry | undefined
    /** The entry of a URL; on a miss `compute` runs once for all who ask meanwhile, and to its end. */
    readonly getOrCompute: <E, R>(url: string, compute: Effect.Effect<Answer, E, R>) => Effect.Effect<Entry, E, R>
    /** Forgets every answer under these tags. Run it after the commit whatever its outcome, never inside the transaction. */
    readonly purge: (...tags: ReadonlyArray<string>) => Effect.Effect<void>
    /** Forgets everything. */
    readonly purgeAll: Effect.Effect<void>
    /** Whether answers are kept from now on: not while purges of other nodes may be missed. Forgets everything either way. */
    readonly keeping: (kept: boolean) => Effect.Effect<void>
  }
>()("agon/ResponseCache") {
  static readonly layer = Layer.effect(
    ResponseCache,
    Effect.map(Clock.Clock, (clock) => makeCache(() => clock.currentTimeMillisUnsafe()))
  )
}

const makeCache = (now: () => number): ResponseCache["Service"] => {
  const store = makeStore(now)
  const flights = new Map<string, Flight>()
  const flying = new Set<Flight>()
  let keeps = true

  const compute = <E, R>(url: string, flight: Flight, answer: Effect.Effect<Answer, E, R>) =>
    Effect.suspend(() => {
      flying.add(flight)
      return answer
    }).pipe(
      Effect.map((answer) => {
        const entry = makeEntry(answer, now())
        if (keeps && !flight.purged.has(everything) && entry.tags.isDisjointFrom(flight.purged)) store.keep(url, entry)
        return entry
      }),
      Effect.onExit((exit) => {
        flying.delete(flight)
        if (flights.get(url) === flight) flights.delete(url)
        return Deferred.done(flight.done, exit)
      })
    )

  /** Takes off when the flight `before` it, if there is one, has landed, well or not. */
  const fly = <E, R>(url: string, answer: Effect.Effect<Answer, E, R>, before: Flight | undefined) => {
    const flight: Flight = { done: Deferred.makeUnsafe(), purged: new Set() }
    flights.set(url, flight)
    const turn = before === undefined ? Effect.void : Effect.exit(Deferred.await(before.done))
    return Effect.uninterruptible(Effect.andThen(turn, compute(url, flight, answer))) // who hangs up must not fail those who wait with it
  }

  const purge = (...tags: ReadonlyArray<string>) =>
    Effect.sync(() => {
      for (const tag of tags) {
        for (const flight of flying) flight.purged.add(tag)
        store.dropTag(tag)
      }
    })

  const purgeAll = Effect.andThen(purge(everything), Effect.sync(store.clear))

  return {
    getUnsafe: store.get,
    getOrCompute: <E, R>(url: string, answer: Effect.Effect<Answer, E, R>) =>
      Effect.suspend((): Effect.Effect<Entry, E, R> => {
        const hit = store.get(url)
        if (hit !== undefined) return Effect.succeed(hit)
        const joined = flights.get(url)
        return joined !== undefined && joined.purged.size === 0 ? Deferred.await(joined.done) : fly(url, answer, joined)
      }),
    purge,
    purgeAll,
    keeping: (kept) =>
      Effect.suspend(() => {
        keeps = kept
        return purgeAll
      })
  }
}

const makeStore = (now: () => number) => {
  const entries = new Map<string, Entry>()
  const urlsByTag = new Map<string, Set<string>>()
  let bytes = 0

  const drop = (url: string, entry: Entry) => {
    entries.delete(url)
    bytes -= weightOf(url, entry)
    for (const tag of entry.tags) {
      const urls = urlsByTag.get(tag)
      if (urls?.delete(url) && urls.size === 0) urlsByTag.delete(tag)
    }
  }

  const get = (url: string) => {
    const entry = entries.get(url)
    if (entry === undefined || entry.expires_ms > now()) return entry
    drop(url, entry)
  }

  const keep = (url: string, entry: Entry) => {
    const old = entries.get(url)
    if (old !== undefined) drop(url, old)
    entries.set(url, entry)
    bytes += weightOf(url, entry)
    for (const tag of entry.tags) {
      const urls = urlsByTag.get(tag)
      if (urls === undefined) urlsByTag.set(tag, new Set([url]))
      else urls.add(url)
    }
    for (const [oldest, gone] of entries) {
      if (bytes <= maxBytes) break
      drop(oldest, gone)
    }
  }

  const dropTag = (tag: string) => {
    for (const url of urlsByTag.get(tag) ?? []) drop(url, entries.get(url)!)
  }

  const clear = () => {
    entries.clear()
    urlsByTag.clear()
    bytes = 0
  }

  return { get, keep, dropTag, clear }
}

const weightOf = (url: string, { body, tags }: Entry) => body.length + url.length + tags.size * tagBytes + overheadBytes

const makeEntry = ({ contentType, tags, text, until_ms = Infinity }: Answer, now_ms: number): Entry => {
  const body = Buffer.from(text)
  const etag = `"${hash("sha256", body, "base64url").slice(0, 22)}"`
  const life_ms = Math.max(0, Math.min(maxAge_s * 1000, until_ms - now_ms))
  const cacheControl = cacheControlOf(Math.floor(life_ms / 1000)) // caches further on do not outlive it either
  const headers = { "content-type": contentType, "cache-control": cacheControl, etag }
  const rawHeaders = [
    ...["Content-Type", contentType, "Content-Length", String(body.length)],
    ...SECURITY_HEADERS_FLAT,
    ...["Cache-Control", cacheControl, "ETag", etag, "X-Request-Id", ""]
  ]
  return { body, etag, headers, rawHeaders, tags, expires_ms: now_ms + life_ms }
}

/** Whether an If-None-Match names the entry: weak comparison, a list, or `*` (RFC 9110, 13.1.2). */
export const matches = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch === etag || ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === etag))
