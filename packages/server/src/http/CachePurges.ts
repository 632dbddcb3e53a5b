/**
 * The response cache of a node among others: what one purges, all purge (DECISIONS.md section 14).
 *
 * Here a purge is immediate, as without others. To the rest it goes by NOTIFY from one fiber that sends
 * what has gathered since its last statement, so that a thousand writes a second make a few notifications
 * and no write waits for one. A node that was deaf for a while may have missed any of them: it forgets
 * everything when it loses its listener, and again once it has a new one. A line that is cut in silence
 * loses nothing: so every node says now and then that it is there, and one that has not heard even itself for
 * half a minute takes itself for deaf, and forgets everything as long as that lasts.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option, Queue, Schedule, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { ResponseCache } from "./ResponseCache.ts"

const channel = "agon_purge"
/** Postgres takes payloads under 8000 bytes. */
const maxPayloadBytes = 7500
/** A database that is away is asked again this often. */
const retry = Schedule.spaced("1 second")
/** Over it tags are not listed any more: everybody forgets everything. */
const maxPending = 10_000
const everything = "*"

/** How often a node says that it is there, and after how long without a word it is deaf. */
export interface Pulse {
  readonly beat_ms: number
  readonly deaf_ms: number
}
const usual: Pulse = { beat_ms: 10_000, deaf_ms: 30_000 }

const Purge = Schema.Struct({ from: Schema.String, tags: Schema.Array(Schema.String) })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Purge))

const makeShared = Effect.fnUntraced(function* ({ beat_ms, deaf_ms }: Pulse) {
  const clock = yield* Clock.Clock
  const local = yield* ResponseCache
  const pg = yield* PgClient.PgClient
  const me = randomUUID()
  let heard_ms = clock.currentTimeMillisUnsafe()
  const pending = new Set<string>()
  const wake = yield* Queue.dropping<void>(1)

  const tell = (tags: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      for (const tag of tags) pending.add(tag)
      if (pending.size > maxPending) {
        pending.clear()
        pending.add(everything)
      }
      return Queue.offer(wake, undefined)
    })

  const forget = (tags: ReadonlyArray<string>) => (tags.includes(everything) ? local.purgeAll : local.purge(...tags))

  const send = Effect.suspend(() => {
    const tags = [...pending]
    pending.clear()
    const notifications = Effect.forEach(payloads(me, tags), (payload) => pg.notify(channel, payload), { discard: true })
    return Effect.tapError(notifications, () => tell(tags)) // the next try sends them again; twice does no harm
  })

  const listen = Effect.scoped(
    Effect.gen(function* () {
      const notifications = yield* pg.listen(channel)
      yield* local.purgeAll
      return yield* Effect.forever(
        Effect.flatMap(Queue.take(notifications), ({ payload }) => {
          heard_ms = clock.currentTimeMillisUnsafe()
          const purge = Option.getOrUndefined(decode(payload))
          return purge === undefined || purge.from === me ? Effect.void : forget(purge.tags)
        })
      )
    })
  ).pipe(Effect.tapCause(() => local.purgeAll))

  const beat = Effect.ignore(pg.notify(channel, JSON.stringify({ from: me, tags: [] })))
  const watch = Effect.suspend(() => (clock.currentTimeMillisUnsafe() - heard_ms > deaf_ms ? local.purgeAll : Effect.void))
  for (const each of [beat, watch]) yield* each.pipe(Effect.repeat(Schedule.spaced(beat_ms)), Effect.forkScoped) // a beat may hang, the watch may not

  yield* Queue.take(wake).pipe(Effect.andThen(send), Effect.retry(retry), Effect.forever, Effect.forkScoped)
  yield* listen.pipe(Effect.sandbox, Effect.retry(retry), Effect.forkScoped)

  return {
    ...local,
    purge: (...tags: ReadonlyArray<string>) => Effect.andThen(local.purge(...tags), Effect.asVoid(tell(tags))),
    purgeAll: Effect.andThen(local.purgeAll, Effect.asVoid(tell([everything])))
  } satisfies ResponseCache["Service"]
})

/** Tags in as few notifications as hold them. */
export const payloads = (from: string, tags: ReadonlyArray<string>): Array<string> => {
  const found: Array<string> = []
  let rest: Array<string> = []
  let bytes = 0
  for (const tag of tags) {
    const size = Buffer.byteLength(JSON.stringify(tag)) + 1
    if (bytes + size > maxPayloadBytes - 100) {
      found.push(JSON.stringify({ from, tags: rest }))
      rest = []
      bytes = 0
    }
    rest.push(tag)
    bytes += size
  }
  return rest.length === 0 ? found : [...found, JSON.stringify({ from, tags: rest })]
}

export const layerOf = (pulse: Pulse): Layer.Layer<ResponseCache, never, PgClient.PgClient> =>
  Layer.effect(ResponseCache, makeShared(pulse)).pipe(Layer.provide(ResponseCache.layer))

/** Takes the place of `ResponseCache.layer` where several nodes share one database. */
export const layer = layerOf(usual)
