/**
 * Cached answers of `shared` routes, by their canonical URL (docs/contract.md#caching; cacheKey.ts).
 *
 * An entry is kept for 600 s at most, less where its answer expires sooner by the clock, and is dropped at once
 * when one of its tags is purged. The store is bounded; the oldest entries are evicted first. An entry is
 * compressed once, at the first request for that coding, and the compressed bytes count towards the bound.
 *
 * Requests that miss the same URL at the same time wait for one computation, a flight, which is made on behalf of
 * all of them (process/Caller.ts). A purge may fall between a flight's read of the database and its end: such a
 * flight answers the requests that wait already, takes no others, and is not kept if it named the tag. Requests
 * after the purge wait together for the next flight, which begins when that one has ended: a URL is never computed
 * twice at once, however many requests and purges come.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { readGauges } from "../../metric/gauge.ts"
import { type Caller, CurrentCaller } from "../../process/Caller.ts"
import type { Coding } from "../encodings.ts"
import { type Answer, type Entry, encode, makeEntry, maxAge_s, type Representation, representationOf, weightOf } from "./Entry.ts"

interface Flight {
  readonly done: Deferred.Deferred<Entry, any>
  /** Those who wait for it. */
  readonly caller: Caller | undefined
  /** Tags purged since the flight began. */
  readonly purged: Set<string>
}

const MAX_BYTES = 64 * 1024 * 1024
/** Bounds on aliases of canonical URLs, their number and length: 16 MiB with their overhead. */
const ALIASES_MAX = 16_384
const ALIAS_LENGTH_MAX = 512
/** The tag of a purge of everything; no answer has it. */
const everything = "*"

export class ResponseCache extends Context.Service<
  ResponseCache,
  {
    /** By the canonical URL or by an alias of it. */
    readonly getUnsafe: (url: string) => Entry | undefined
    /** Remembers the canonical URL of a URL. */
    readonly alias: (url: string, canonical: string) => void
    /** The entry in a coding; compresses it where that is not done yet. */
    readonly represent: (canonical: string, entry: Entry, coding: Coding) => Effect.Effect<Representation>
    /** The entry of a URL; on a miss `compute` runs once for all requests meanwhile, and to its end. */
    readonly getOrCompute: <E, R>(url: string, compute: Effect.Effect<Answer, E, R>) => Effect.Effect<Entry, E, R>
    /** Forgets every answer under these tags. Run it after the commit whatever its outcome, never inside the transaction. */
    readonly purge: (...tags: ReadonlyArray<string>) => Effect.Effect<void>
    /** Forgets everything. */
    readonly purgeAll: Effect.Effect<void>
    /** Turns caching on or off (off while purges of other nodes may be missed). Forgets everything either way. */
    readonly keeping: (kept: boolean) => Effect.Effect<void>
  }
>()("agon/ResponseCache") {
  static readonly layer = Layer.effect(
    ResponseCache,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { bytes, entries, ...cache } = makeCache(() => clock.currentTimeMillisUnsafe())
      yield* readGauges([
        { name: "agon_cache_entries", description: "Answers in the cache", read: entries },
        { name: "agon_cache_bytes", description: "Bytes of the cached answers, compressed forms included", read: bytes }
      ])
      return ResponseCache.of(cache)
    })
  )
}

interface Filled {
  readonly entries: () => number
  readonly bytes: () => number
}

const makeCache = (now: () => number): ResponseCache["Service"] & Filled => {
  const store = makeStore(now)
  const aliases = makeAliases()
  let keeps = true
  const flights = makeFlights(store, now, () => keeps)

  const purge = (...tags: ReadonlyArray<string>) =>
    Effect.sync(() => {
      for (const tag of tags) {
        flights.purge(tag)
        store.dropTag(tag)
      }
    })

  const purgeAll = Effect.andThen(purge(everything), Effect.sync(store.clear))

  return {
    entries: store.entries,
    bytes: store.bytes,
    getUnsafe: (url) => store.get(url) ?? store.get(aliases.get(url)),
    alias: aliases.add,
    represent: (url, entry, coding) =>
      Effect.suspend(() => {
        const ready = representationOf(entry, coding)
        return ready === undefined ? Effect.promise(() => encode(entry, coding, store.growing(url, entry))) : Effect.succeed(ready)
      }),
    getOrCompute: flights.getOrCompute,
    purge,
    purgeAll,
    keeping: (kept) =>
      Effect.suspend(() => {
        keeps = kept
        return purgeAll
      })
  }
}

/** Answers that are being computed; `keeps` says whether one may be kept when it is there. */
const makeFlights = ({ get, keep }: Pick<ReturnType<typeof makeStore>, "get" | "keep">, now: () => number, keeps: () => boolean) => {
  const flights = new Map<string, Flight>()
  const flying = new Set<Flight>()

  const compute = <E, R>(url: string, flight: Flight, answer: Effect.Effect<Answer, E, R>) =>
    Effect.suspend(() => {
      flying.add(flight)
      return answer
    }).pipe(
      Effect.map((answer) => {
        const entry = makeEntry(answer, now())
        if (keeps() && !flight.purged.has(everything) && entry.tags.isDisjointFrom(flight.purged)) keep(url, entry)
        return entry
      }),
      Effect.onExit((exit) => {
        flying.delete(flight)
        if (flights.get(url) === flight) flights.delete(url)
        return Deferred.done(flight.done, exit)
      })
    )

  /** Begins when the flight `before` it, if any, has ended, successfully or not. A client that disconnects must not fail the others. */
  const fly = <E, R>(url: string, answer: Effect.Effect<Answer, E, R>, before: Flight | undefined, caller: Caller | undefined) => {
    const flight: Flight = { done: Deferred.makeUnsafe(), caller, purged: new Set() }
    flights.set(url, flight)
    const turn = before === undefined ? Effect.void : Effect.exit(Deferred.await(before.done))
    return Effect.andThen(turn, compute(url, flight, answer))
  }

  return {
    getOrCompute: <E, R>(url: string, answer: Effect.Effect<Answer, E, R>) =>
      Effect.flatMap(CurrentCaller, (caller) =>
        Effect.uninterruptibleMask((restore): Effect.Effect<Entry, E, R> => {
          const hit = get(url)
          if (hit !== undefined) return Effect.succeed(hit)
          const joined = flights.get(url)
          joined?.caller?.join(caller) // also where only its end is waited for
          return joined !== undefined && joined.purged.size === 0 ? restore(Deferred.await(joined.done)) : fly(url, answer, joined, caller)
        })
      ),
    purge: (tag: string): void => {
      for (const flight of flying) flight.purged.add(tag)
    }
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

  const get = (url: string | undefined) => {
    const entry = url === undefined ? undefined : entries.get(url)
    if (url === undefined || entry === undefined) return entry
    const left_ms = entry.expires_ms - now()
    if (left_ms > 0 && left_ms <= maxAge_s * 1000) return entry // it has more where the clock was set back
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
    makeRoom()
  }

  const makeRoom = () => {
    for (const [oldest, gone] of entries) {
      if (bytes <= MAX_BYTES) break
      drop(oldest, gone)
    }
  }

  /** To be called when an entry has grown by `grown` bytes; it may have been dropped by then. */
  const growing = (url: string, entry: Entry) => (grown: number) => {
    if (entries.get(url) !== entry) return
    bytes += grown
    makeRoom()
  }

  const dropTag = (tag: string) => {
    for (const url of urlsByTag.get(tag) ?? []) drop(url, entries.get(url)!)
  }

  const clear = () => {
    entries.clear()
    urlsByTag.clear()
    bytes = 0
  }

  return { get, keep, growing, dropTag, clear, entries: () => entries.size, bytes: () => bytes }
}

const makeAliases = () => {
  const names = new CappedMap<string, string>(ALIASES_MAX)
  return {
    get: (url: string) => names.get(url),
    add: (url: string, canonical: string) => {
      if (url !== canonical && url.length <= ALIAS_LENGTH_MAX) names.set(url, canonical)
    }
  }
}
