/**
 * Pages that are the same for everybody, by their canonical address.
 *
 *   asked ──▶ confirmed within the last second ──▶ shown
 *       └──▶ its reads are asked again with their tags ──▶ none has changed ──▶ shown
 *                                                    └──▶ rendered anew, kept, shown
 *
 * So a page is at most a second behind the reads beneath it, which the service drops with each write. Those who ask for a page that
 * is under way wait for it together. The reads count against the visitor who came first; who waited for one that was refused for that
 * asks once alone, on their own account. Number of bytes and of pages under way are limited.
 */
import { Clock, Deferred, Effect, type Scope, Semaphore } from "effect"
import type { HttpClient, HttpClientError } from "effect/http"
import { CurrentReading, type Read, type Reading, unchanged } from "./Reads.ts"
import type { Rendered } from "./Rendered.ts"

/** A page is confirmed by its reads at most this often. */
const CONFIRMED_FOR_MS = 1_000
const CACHE_MAX_BYTES = 32 * 1024 * 1024
/** The memory of a page besides its body and its address: its reads and headers. */
const OVERHEAD_BYTES = 16_384
/** Both compressed forms together are smaller than the plain one. */
const FORMS = 2
/** Pages confirmed or rendered at once. */
const UNDER_WAY_MAX = 64

interface Kept {
  readonly page: Rendered
  readonly reads: ReadonlyArray<Read>
  confirmed_ms: number
}

/** A page, or the refusal that its rendering ended in, which is shown and not kept. */
export interface PageCache<E> {
  readonly get: (
    address: string,
    visitor: string | undefined,
    render: Effect.Effect<Rendered, E>
  ) => Effect.Effect<Rendered, E | HttpClientError.HttpClientError>
  readonly bytes: () => number
}

const weightOf = (address: string, { page }: Kept) => FORMS * page.body.length + address.length + OVERHEAD_BYTES

const makeStore = () => {
  const pages = new Map<string, Kept>()
  let bytes = 0
  const drop = (address: string, kept: Kept) => {
    pages.delete(address)
    bytes -= weightOf(address, kept)
  }
  const keep = (address: string, kept: Kept) => {
    const old = pages.get(address)
    if (old !== undefined) drop(address, old)
    pages.set(address, kept)
    bytes += weightOf(address, kept)
    for (const [oldest, gone] of pages) {
      if (bytes <= CACHE_MAX_BYTES) break
      drop(oldest, gone)
    }
  }
  return { get: (address: string) => pages.get(address), keep, bytes: () => bytes }
}

/** `isRefusedForRate`: of a failure that says nothing about others who ask for the page. */
export const makePageCache = <E>(
  client: HttpClient.HttpClient,
  scope: Scope.Scope,
  isRefusedForRate: (error: E | HttpClientError.HttpClientError) => boolean
): PageCache<E> => {
  type Flight = Deferred.Deferred<Rendered, E | HttpClientError.HttpClientError>
  const store = makeStore()
  const flights = new Map<string, Flight>()
  const underWay = Semaphore.makeUnsafe(UNDER_WAY_MAX)

  const make = (address: string, visitor: string | undefined, render: Effect.Effect<Rendered, E>) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const old = store.get(address)
      const began_ms = clock.currentTimeMillisUnsafe()
      const of = (reading: Reading) => Effect.provideService(CurrentReading, reading)
      if (old !== undefined && (yield* of({ visitor, reads: [] })(unchanged(client, old.reads)))) {
        old.confirmed_ms = began_ms
        return old.page
      }
      const reading: Reading = { visitor, reads: [] }
      const page = yield* of(reading)(render)
      store.keep(address, { page, reads: reading.reads, confirmed_ms: began_ms })
      return page
    }).pipe(underWay.withPermits(1))

  /** Goes on for the others when the one who came first goes away. */
  const fly = (address: string, visitor: string | undefined, render: Effect.Effect<Rendered, E>) => {
    const flight: Flight = Deferred.makeUnsafe()
    flights.set(address, flight)
    const flown = Effect.onExit(make(address, visitor, render), (exit) => {
      flights.delete(address)
      return Deferred.done(flight, exit)
    })
    return Effect.andThen(Effect.forkIn(Effect.exit(flown), scope), Deferred.await(flight))
  }

  return {
    bytes: store.bytes,
    get: (address, visitor, render) =>
      Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
        const kept = store.get(address)
        if (kept !== undefined && now_ms - kept.confirmed_ms < CONFIRMED_FOR_MS) return Effect.succeed(kept.page)
        const joined = flights.get(address)
        if (joined === undefined) return fly(address, visitor, render)
        return Effect.catchIf(Deferred.await(joined), isRefusedForRate, () => make(address, visitor, render))
      })
  }
}
