/**
 * What the nodes on one database tell each other: words on a topic, by NOTIFY. Whoever tells is answered at once; one fiber
 * sends what has gathered since its last statement, so that a thousand writes a second make a few notifications and no
 * write waits for one. A node does not hear itself.
 *
 *   deaf ──LISTEN stands──▶ hearing ──the listener is lost, or nothing was heard for half a minute──▶ deaf
 *
 * A node that is deaf may miss any word. So those who listen are told when it begins and when it ends, to be on the safe
 * side in between. A line that is cut in silence loses nothing: hence every node says now and then that it is there, and
 * one that has not heard even itself takes itself for deaf.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Queue, Schedule, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { NodeSql } from "../database/Database.ts"
import { restarts } from "../process/restarts.ts"

const channel = "agon_nodes"
/** Postgres takes payloads under 8000 bytes. */
const maxPayloadBytes = 7500
/** What is told within it after a statement goes with the next: a season that plays hundreds of matches a second tells of each. */
const GATHER = "2 millis"
/** A database that is away is asked again this often, at first and from then on. */
const retry = restarts("50 millis", "1 second")
/** Over it words are not listed any more: everybody is told `everything`. */
const maxPending = 10_000
/** In the place of words: any of them may be meant. */
export const everything = "*"

/** How often a node says that it is there, and after how long without a word it is deaf. */
export interface Pulse {
  readonly beat_ms: number
  readonly deaf_ms: number
}
const usual: Pulse = { beat_ms: 10_000, deaf_ms: 30_000 }

export type Topic = "purge" | "work" | "seasons" | "suspended"

export interface Listener {
  readonly topic: Topic
  /** What another node has said. */
  readonly heard: (words: ReadonlyArray<string>) => Effect.Effect<void>
  /** From now on words may be missed. */
  readonly deaf: Effect.Effect<void>
  /** From now on none is; what was said before may have been missed. */
  readonly hearing: Effect.Effect<void>
}

export class Broadcast extends Context.Service<
  Broadcast,
  {
    readonly tell: (topic: Topic, words: ReadonlyArray<string>) => Effect.Effect<void>
    /** For as long as the node lives; told at once whether it hears. */
    readonly listen: (listener: Listener) => Effect.Effect<void>
  }
>()("agon/Broadcast") {
  static readonly layerOf = (pulse: Pulse): Layer.Layer<Broadcast, never, PgClient.PgClient> =>
    Layer.effect(
      Broadcast,
      Effect.suspend(() => makeBroadcast(pulse))
    )

  static readonly layer: Layer.Layer<Broadcast, never, PgClient.PgClient> = Broadcast.layerOf(usual)
}

const Message = Schema.Struct({ from: Schema.String, topic: Schema.String, words: Schema.Array(Schema.String) })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Message))

const makeBroadcast = Effect.fnUntraced(function* (pulse: Pulse) {
  const pg = (yield* NodeSql) ?? (yield* PgClient.PgClient)
  const me = randomUUID()
  const listeners = new Set<Listener>()
  const tell = yield* makeTell(pg, me)
  const ear = yield* makeEar(pg, me, listeners, pulse)
  return Broadcast.of({
    tell,
    listen: (listener) =>
      Effect.suspend(() => {
        listeners.add(listener)
        return ear.hears() ? listener.hearing : listener.deaf
      })
  })
})

const makeTell = Effect.fnUntraced(function* (pg: PgClient.PgClient, me: string) {
  const pending = new Map<Topic, Set<string>>()
  const wake = yield* Queue.dropping<void>(1)

  const gather = (topic: Topic, words: ReadonlyArray<string>) => {
    const gathered = pending.get(topic) ?? new Set()
    pending.set(topic, gathered)
    for (const word of words) gathered.add(word)
    if (gathered.size > maxPending) pending.set(topic, new Set([everything]))
  }
  const tell = (topic: Topic, words: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      gather(topic, words)
      return Effect.asVoid(Queue.offer(wake, undefined))
    })

  const send = Effect.suspend(() => {
    const topics = [...pending]
    pending.clear()
    const messages = topics.flatMap(([topic, words]) => payloads(me, topic, [...words]))
    // One transaction, whose end takes a lock that all who notify share.
    const notified = pg`SELECT pg_notify(${channel}, message) FROM json_array_elements_text(${JSON.stringify(messages)}::json) message`
    return Effect.tapError(notified, () =>
      // What could not be sent is sent with the next try; twice does no harm.
      Effect.forEach(topics, ([topic, words]) => tell(topic, [...words]), { discard: true })
    )
  })
  yield* Queue.take(wake).pipe(
    Effect.andThen(send),
    Effect.retry(retry),
    Effect.andThen(Effect.sleep(GATHER)),
    Effect.forever,
    Effect.forkScoped
  )
  return tell
})

const makeEar = Effect.fnUntraced(function* (pg: PgClient.PgClient, me: string, listeners: ReadonlySet<Listener>, pulse: Pulse) {
  const clock = yield* Clock.Clock
  let listens = false
  let heard_ms = clock.currentTimeMillisUnsafe()
  let hears = false

  const told = (which: "deaf" | "hearing") => Effect.forEach([...listeners], (listener) => listener[which], { discard: true })
  /** Nobody is told twice what it knows. */
  const judge = Effect.suspend(() => {
    const now = listens && clock.currentTimeMillisUnsafe() - heard_ms <= pulse.deaf_ms
    if (now === hears) return Effect.void
    hears = now
    return told(now ? "hearing" : "deaf")
  })
  const stand = (stands: boolean) =>
    Effect.suspend(() => {
      listens = stands
      if (stands) heard_ms = clock.currentTimeMillisUnsafe()
      return judge
    })

  const pass = (payload: string) =>
    Effect.suspend(() => {
      heard_ms = clock.currentTimeMillisUnsafe()
      const message = Option.getOrUndefined(decode(payload))
      if (message === undefined || message.from === me) return judge
      const concerned = [...listeners].filter(({ topic }) => topic === message.topic)
      return Effect.andThen(
        judge,
        Effect.forEach(concerned, ({ heard }) => heard(message.words), { discard: true })
      )
    })

  const listen = Effect.scoped(
    Effect.gen(function* () {
      const notifications = yield* pg.listen(channel)
      yield* stand(true)
      return yield* Effect.forever(Effect.flatMap(Queue.take(notifications), ({ payload }) => pass(payload)))
    })
  ).pipe(Effect.onExit(() => stand(false)))

  const beat = Effect.ignore(pg.notify(channel, JSON.stringify({ from: me, topic: "beat", words: [] })))
  // A beat may hang, the judge may not.
  for (const each of [beat, judge]) yield* each.pipe(Effect.repeat(Schedule.spaced(pulse.beat_ms)), Effect.forkScoped)
  yield* listen.pipe(Effect.sandbox, Effect.retry(retry), Effect.forkScoped)
  return { hears: () => hears }
})

/** Words in as few notifications as hold them. */
export const payloads = (from: string, topic: Topic, words: ReadonlyArray<string>): Array<string> => {
  const found: Array<string> = []
  const message = (words: ReadonlyArray<string>) => JSON.stringify({ from, topic, words })
  let rest: Array<string> = []
  let bytes = 0
  for (const word of words) {
    const size = Buffer.byteLength(JSON.stringify(word)) + 1
    if (bytes + size > maxPayloadBytes - 100) {
      found.push(message(rest))
      rest = []
      bytes = 0
    }
    rest.push(word)
    bytes += size
  }
  return rest.length === 0 ? found : [...found, message(rest)]
}
