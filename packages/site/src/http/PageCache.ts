/**
 * Pages that are the same for everybody, by their canonical address.
 *
 *   asked ──▶ confirmed within the last second ──▶ shown
 *       └──▶ its reads are asked again with their tags ──▶ none has changed ──▶ shown
 *                                                    └──▶ rendered anew, kept, shown
 *
 * So a page is at most a second behind the reads beneath it, which the service drops with each write. Those who ask for a page that
 * is under way wait for it together. The reads count against the visitor who came first; who waited for one that was refused for that
 * asks once alone, on their own account. The bytes kept are limited (PageStore.ts), and so are the pages under way (Admission.ts).
 */
import { Clock, Deferred, Effect, type Scope, Semaphore } from "effect"
import type { HttpClient, HttpClientError } from "effect/http"
import { type Crowded, makeAdmission } from "./Admission.ts"
import { makePageStore } from "./PageStore.ts"
import { CurrentReading, type Read, type Reading, unchanged } from "./Reads.ts"
import type { Rendered } from "./Rendered.ts"

/** A page is confirmed by its reads at most this often. */
const CONFIRMED_FOR_MS = 1_000
/** Pages confirmed or rendered at once; others wait. */
const AT_ONCE_MAX = 64

export interface Standing {
  readonly fresh_ms: number
  readonly reads: ReadonlyArray<Read>
}

/** A page, or the refusal that its rendering ended in, which is shown and not kept. */
export interface PageCache<E> {
  readonly get: (address: string, visitor: string | undefined, render: Effect.Effect<Rendered, E>) => Effect.Effect<Rendered, E | Unmade>
  /** For how many milliseconds the page is shown without asking for its reads again, and these reads. */
  readonly standing: (address: string) => Effect.Effect<Standing>
}

/** Why no page is made, besides the reasons of the page itself. */
type Unmade = HttpClientError.HttpClientError | Crowded

/** `isRefusedForRate`: of a failure that says nothing about others who ask for the page. */
export const makePageCache = <E>(
  client: HttpClient.HttpClient,
  scope: Scope.Scope,
  isRefusedForRate: (error: E | Unmade) => boolean
): PageCache<E> => {
  type Flight = Deferred.Deferred<Rendered, E | Unmade>
  const store = makePageStore()
  const admitted = makeAdmission()
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
        return old.page
      }
      const reading: Reading = { visitor, reads: [] }
      const page = yield* of(reading)(render)
      store.keep(address, { page, reads: reading.reads, visitor, confirmed_ms: began_ms })
      return page
    }).pipe(underWay.withPermits(1), (made) => admitted(visitor, made))

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
    standing: (address) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const kept = store.peek(address)
        if (kept === undefined) return { fresh_ms: 0, reads: [] }
        return { fresh_ms: Math.max(0, Math.ceil(kept.confirmed_ms + CONFIRMED_FOR_MS - now_ms)), reads: kept.reads }
      }),
    get: (address, visitor, render) =>
      Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
        const kept = store.get(address, visitor)
        if (kept !== undefined && now_ms - kept.confirmed_ms < CONFIRMED_FOR_MS) return Effect.succeed(kept.page)
        const joined = flights.get(address)
        if (joined === undefined) return fly(address, visitor, render)
        return Effect.catchIf(Deferred.await(joined), isRefusedForRate, () => make(address, visitor, render))
      })
  }
}
