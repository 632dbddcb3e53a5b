/**
 * Replays in the object store: links for readers, and the picture of a replay's last state.
 *
 * A picture takes up to a second to make, from a replay that may not have been checked yet: it is made in a thread, once for all
 * concurrent requests, and kept in the bounded response cache under its match. Few are fetched at once and few wait in the queue;
 * further requests are told to come again.
 */

import { Unavailable } from "@agon/api/Problem.ts"
import { Context, Effect, Layer, Option } from "effect"
import { withAnswerTimeout } from "../http/AnswerTimeout.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { matchTag } from "../http/cache/tags.ts"
import { type ReplayOfMatch, storedReplayKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { makeShare } from "../process/Share.ts"
import { makeThread } from "../process/Thread.ts"

/**
 * The contract's hour (docs/contract.md#fields-of-a-match); an answer cached for ten minutes holds a URL that is valid for fifty
 * more.
 */
const URL_S = 3_600

/** The thread's heap: a replay of 4 MiB is 100 MB of objects once parsed. */
const HEAP_MB = 256
const THREAD_TIMEOUT = "10 seconds"
/** Includes the fetch. */
const VIEW_TIMEOUT_MS = 30_000
/** The next replay is fetched while the one before it is in the thread. */
const TURNS = { places: 2, waiting: 128, wait: "10 seconds", each: { places: 1, waiting: 32 } } as const

export class Replays extends Context.Service<
  Replays,
  {
    readonly urlOf: (match: ReplayOfMatch) => Effect.Effect<string>
    /** Null where there is no such replay, or where this build's rules do not produce the state that it names. */
    readonly lastViewOf: (match: ReplayOfMatch, bytes: number) => Effect.Effect<unknown, Unavailable>
  }
>()("agon/Replays") {
  static readonly layer: Layer.Layer<Replays, never, ObjectStore | ResponseCache> = Layer.effect(
    Replays,
    Effect.suspend(() => makeReplays)
  )
}

const away = new Unavailable({ detail: "The replays cannot be reached just now; try again in a second." })
const busy = new Unavailable({ detail: "Too many ask for pictures of matches just now; try again in a second." })
const undecided = new Unavailable({ detail: "The picture of this match could not be made just now; try again in a second." })

const makeReplays = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const objects = yield* ObjectStore
  const turns = makeShare(TURNS, () => busy)
  const thread = yield* makeThread<Uint8Array, string>({
    script: new URL("./viewThread.ts", import.meta.url),
    timeout: THREAD_TIMEOUT,
    heap_MB: HEAP_MB
  })

  const make = Effect.fnUntraced(function* (match: ReplayOfMatch, max_bytes: number) {
    const stored = yield* objects.get({ key: storedReplayKey(match), max_bytes }).pipe(
      Effect.catchTags({
        ObjectTooLarge: () => Effect.succeed(Option.none()), // not the replay that was reported
        ObjectsUnavailable: () => Effect.fail(away)
      })
    )
    if (Option.isNone(stored)) return "null"
    const outcome = yield* thread(stored.value)
    return outcome === "undecided" ? yield* undecided : outcome.reply
  })

  const inTurn = (match: ReplayOfMatch, max_bytes: number) => turns.use(withAnswerTimeout(VIEW_TIMEOUT_MS, make(match, max_bytes)))

  return Replays.of({
    urlOf: (match) => objects.presignGet({ key: storedReplayKey(match), expires_s: URL_S }),
    lastViewOf: Effect.fn("Replays.lastViewOf")(function* (match, bytes) {
      const key = storedReplayKey(match)
      const answer = Effect.map(inTurn(match, bytes), (text) => ({
        ...{ text, contentType: "application/json" },
        tags: new Set([matchTag(match.id)])
      }))
      // No request URL holds a space, so none matches this name.
      const { body } = yield* cache.getOrCompute(`view ${key}`, answer)
      return JSON.parse(body.toString()) as unknown
    })
  })
})
