/**
 * Pages that are the same for everybody, by their canonical address.
 *
 *   asked ──▶ confirmed within the last second ──▶ shown
 *       └──▶ its reads are asked again with their tags ──▶ none has changed ──▶ shown
 *                                                    └──▶ rendered anew, kept, shown
 *
 * So a page is at most a second behind the reads beneath it, which the service drops with each write. Those who ask for a page that
 * is under way wait for it together. The reads count against the visitor who came first; who waited for one that was refused for that
 * asks once alone, on their own account. The bytes kept are limited (PageStore.ts), and so are the pages under way (PagesUnderWay.ts).
 */
import { Clock, Deferred, Effect, type Scope, Semaphore } from "effect"
import type { HttpClient, HttpClientError } from "effect/http"
import { CurrentReading, type Read, type Reading, unchanged } from "../Reads.ts"
import type { Rendered } from "../Rendered.ts"
import { type Kept, makePageStore } from "./PageStore.ts"
import { type Crowded, makePagesUnderWay } from "./PagesUnderWay.ts"

/** A page is confirmed by its reads at most this often. */
const CONFIRMED_FOR_MS = 1_000
/** Pages confirmed or rendered at once; others wait. */
const AT_ONCE_MAX = 64

/** A page with the reads that it was made of: another may be kept at its address before it is sent. */
export interface Made {
  readonly page: Rendered
  /** For how many milliseconds it is shown without asking for its reads again. */
  readonly fresh_ms: number
  readonly reads: ReadonlyArray<Read>
}

/** A page, or the refusal that its rendering ended in, which is shown and not kept. */
export interface PageCache<E> {
  readonly get: (address: string, visitor: string | undefined, render: Effect.Effect<Rendered, E>) => Effect.Effect<Made, E | Unmade>
}

/** Milliseconds. None for a page of later than now: the clock has been set back since. */
const freshFor = ({ confirmed_ms }: Pick<Kept, "confirmed_ms">, now_ms: number): number =>
  now_ms < confirmed_ms ? 0 : Math.max(0, Math.ceil(confirmed_ms + CONFIRMED_FOR_MS - now_ms))

/** Why no page is made, besides the reasons of the page itself. */
type Unmade = HttpClientError.HttpClientError | Crowded

/** `isRefusedForRate`: of a failure that says nothing about others who ask for the page. */
export const makePageCache = <E>(
  client: HttpClient.HttpClient,
  scope: Scope.Scope,
  isRefusedForRate: (error: E | Unmade) => boolean
): PageCache<E> => {
  type Flight = Deferred.Deferred<Kept, E | Unmade>
  const store = makePageStore()
  const bounded = makePagesUnderWay()
  const flights = new Map<string, Flight>()
  const underWay = Semaphore.makeUnsafe(AT_ONCE_MAX)

  const make = (address: string, visitor: string | undefined, render: Effect.Effect<Rendered, E>) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const old = store.get(address, visitor)
      const began_ms = clock.currentTimeMillisUnsafe()
      const of = (reading: Reading) => Effect.provideService(CurrentReading, reading)
      if (old !== undefined && (yield* of({ visitor, reads: [] })(unchanged(client, old.reads)))) {
        old.confirmed_ms = began_ms
        return old
      }
      const reading: Reading = { visitor, reads: [] }
      const kept: Kept = { page: yield* of(reading)(render), reads: reading.reads, visitor, confirmed_ms: began_ms }
      store.keep(address, kept)
      return kept
    }).pipe(underWay.withPermits(1), (made) => bounded(visitor, made))

  /** Goes on for the others when the one who came first goes away. Whoever runs it is not interrupted before it is on its way. */
  const fly = (address: string, visitor: string | undefined, render: Effect.Effect<Rendered, E>): Effect.Effect<Flight> => {
    const flight: Flight = Deferred.makeUnsafe()
    flights.set(address, flight)
    const flown = Effect.onExit(make(address, visitor, render), (exit) => {
      flights.delete(address)
      return Deferred.done(flight, exit)
    })
    return Effect.as(Effect.forkIn(Effect.exit(flown), scope), flight)
  }

  const find = (address: string, visitor: string | undefined, render: Effect.Effect<Rendered, E>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      const kept = store.get(address, visitor)
      if (kept !== undefined && freshFor(kept, now_ms) > 0) return Effect.succeed(kept)
      return Effect.uninterruptibleMask((restore) => {
        const joined = flights.get(address)
        return joined === undefined
          ? Effect.flatMap(fly(address, visitor, render), (flight) => restore(Deferred.await(flight)))
          : restore(Effect.catchIf(Deferred.await(joined), isRefusedForRate, () => make(address, visitor, render)))
      })
    })

  return {
    get: (address, visitor, render) =>
      Effect.zipWith(find(address, visitor, render), Clock.currentTimeMillis, ({ confirmed_ms, page, reads }, now_ms) => ({
        page,
        fresh_ms: freshFor({ confirmed_ms }, now_ms),
        reads
      }))
  }
}
