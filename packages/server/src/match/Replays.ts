/** Replays in the object store: where a reader fetches one, and the picture of its last state. */
import { Context, Effect, Layer, Option } from "effect"
import { Unavailable } from "@agon/api/Problem.ts"
import { lastView } from "@agon/engine/replay/verify.ts"
import { type ReplayOfMatch, storedReplayKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"

/** The contract's hour (http-api.md 2.7); an answer that is kept for ten minutes holds a URL that is good for fifty more. */
const URL_S = 3_600

export class Replays extends Context.Service<
  Replays,
  {
    readonly urlOf: (match: ReplayOfMatch) => Effect.Effect<string>
    /** Null where there is no such replay, or the rules of this build do not make of it the state that it names. */
    readonly lastViewOf: (match: ReplayOfMatch, bytes: number) => Effect.Effect<unknown, Unavailable>
  }
>()("agon/Replays") {
  static readonly layer: Layer.Layer<Replays, never, ObjectStore> = Layer.effect(
    Replays,
    Effect.map(ObjectStore, (objects) => ({
      urlOf: (match) => objects.presignGet({ key: storedReplayKey(match), expires_s: URL_S }),
      lastViewOf: Effect.fn("Replays.lastViewOf")(function* (match, bytes) {
        const stored = yield* objects.get({ key: storedReplayKey(match), max_bytes: bytes }).pipe(
          Effect.catchTags({
            ObjectTooLarge: () => Effect.succeed(Option.none()), // not the replay that was reported
            ObjectsUnavailable: () => Effect.fail(away)
          })
        )
        return Option.isNone(stored) ? null : viewOf(stored.value)
      })
    }))
  )
}

const away = new Unavailable({ detail: "The replays cannot be reached just now; try again in a second." })

const viewOf = (bytes: Uint8Array): unknown => {
  const replay = Option.liftThrowable(JSON.parse)(new TextDecoder().decode(bytes))
  return Option.isSome(replay) ? lastView(replay.value) : null
}
