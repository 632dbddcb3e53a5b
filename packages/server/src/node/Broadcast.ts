/**
 * Broadcasts between the nodes on one database: words on a topic, by NOTIFY. `tell` returns at once; one fiber sends the
 * words gathered since its last statement, so that a thousand writes a second make a few notifications and no write waits
 * for one. A node ignores its own words.
 *
 *   disconnected ──LISTEN stands──▶ hearing ──the listener is lost, or nothing was received for half a minute──▶ disconnected
 *
 * While a node is disconnected it may miss any word, so listeners are told when this begins and ends and can act
 * safely in between. A silently cut connection raises no error: hence every node sends a heartbeat, and one that has not
 * received even its own counts itself as disconnected and listens on a new connection; that goes by a clock that nobody sets. The listener's connection is none
 * of a pool's: it can be closed without a word to the server, which UNLISTEN would wait for. Statements have a limit of
 * their own, since nothing else ends one on such a connection.
 */

import { randomUUID } from "node:crypto"
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Clock, Context, Data, Effect, Layer, Option, Queue, Schedule, Schema, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { NodeSql } from "../database/Database.ts"
import { restarts } from "../process/restarts.ts"
import { uptimeOf_ms } from "../process/uptime.ts"

const channel = "agon_nodes"
/** Postgres takes payloads under 8000 bytes. */
const PAYLOAD_BYTES_MAX = 7500
/** The pause between statements, to gather words: a season that plays hundreds of matches a second sends one for each. */
const GATHER = "2 millis"
/** The first and the longest wait between attempts to reach a database that is away. */
const retry = restarts("50 millis", "1 second")
/** Beyond it the words are replaced by `everything`. */
const PENDING_MAX = 10_000
/** LISTEN, and a statement with words. Words that were late are sent again. */
const STATEMENT_TIMEOUT = "5 seconds"
/** Sent in place of words; it stands for all of them. */
export const everything = "*"

/** How often a node sends a heartbeat, and after how long without a message it counts as disconnected. */
export interface Pulse {
  readonly beat_ms: number
  readonly disconnected_ms: number
}
const usual: Pulse = { beat_ms: 10_000, disconnected_ms: 30_000 }

class NothingHeard extends Data.TaggedError("NothingHeard")<{}> {}

export type Topic = "purge" | "work" | "seasons" | "suspended" | "served"

/** Words of all topics are told one after the other, so none of these may wait for the database. */
export interface Listener {
  readonly topic: Topic
  /** Words of another node have arrived. */
  readonly heard: (words: ReadonlyArray<string>) => Effect.Effect<void>
  /** From now on words may be missed. */
  readonly disconnected: Effect.Effect<void>
  /** From now on none is missed; earlier ones may have been. */
  readonly hearing: Effect.Effect<void>
}

export class Broadcast extends Context.Service<
  Broadcast,
  {
    readonly tell: (topic: Topic, words: ReadonlyArray<string>) => Effect.Effect<void>
    /** Registers a listener for as long as the node runs; it is told the current state at once. */
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

const NOTHING_HEARD = "nothing was heard of the nodes, this one included: it listens on a new connection"

const Message = Schema.Struct({ from: Schema.String, topic: Schema.String, words: Schema.Array(Schema.String) })
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Message))

const makeBroadcast = Effect.fnUntraced(function* (pulse: Pulse) {
  const pg = (yield* NodeSql) ?? (yield* PgClient.PgClient)
  const me = randomUUID()
  const listeners = new Set<Listener>()
  const tell = yield* makeTell(pg, me)
  const connection = yield* makeConnection(pg, me, listeners, pulse)
  return Broadcast.of({
    tell,
    listen: (listener) =>
      Effect.suspend(() => {
        listeners.add(listener)
        return connection.hears() ? listener.hearing : listener.disconnected
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
    if (gathered.size > PENDING_MAX) pending.set(topic, new Set([everything]))
  }
  const tell = (topic: Topic, words: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      gather(topic, words)
      return Effect.asVoid(Queue.offer(wake, undefined))
    })

  const send = Effect.suspend(() => {
    const topics = [...pending]
    pending.clear()
    return Effect.tapError(Effect.timeout(notified(pg, me, topics), STATEMENT_TIMEOUT), () =>
      // Words that could not be sent go with the next attempt; a repetition does no harm.
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

const makeConnection = Effect.fnUntraced(function* (pg: PgClient.PgClient, me: string, listeners: ReadonlySet<Listener>, pulse: Pulse) {
  const clock = yield* Clock.Clock
  let listens = false
  let heard_ms = uptimeOf_ms(clock)
  let hears = false

  const told = (which: "disconnected" | "hearing") => Effect.forEach([...listeners], (listener) => listener[which], { discard: true })
  /** Listeners are told only of a change. */
  const judge = Effect.suspend(() => {
    const now = listens && uptimeOf_ms(clock) - heard_ms <= pulse.disconnected_ms
    if (now === hears) return Effect.void
    hears = now
    return told(now ? "hearing" : "disconnected")
  })
  const stand = (stands: boolean) =>
    Effect.suspend(() => {
      listens = stands
      if (stands) heard_ms = uptimeOf_ms(clock)
      return judge
    })

  const pass = (payload: string) =>
    Effect.suspend(() => {
      heard_ms = uptimeOf_ms(clock)
      const message = Option.getOrUndefined(decode(payload))
      if (message === undefined || message.from === me) return judge
      const concerned = [...listeners].filter(({ topic }) => topic === message.topic)
      return Effect.andThen(
        judge,
        Effect.forEach(concerned, ({ heard }) => heard(message.words), { discard: true })
      )
    })

  const silence = Effect.suspend(() =>
    uptimeOf_ms(clock) - heard_ms > pulse.disconnected_ms
      ? Effect.andThen(Effect.logWarning(NOTHING_HEARD, { for_ms: pulse.disconnected_ms }), Effect.fail(new NothingHeard()))
      : Effect.void
  ).pipe(Effect.repeat(Schedule.spaced(pulse.beat_ms)))

  /** The connection is closed before the queue is, which then has nothing to say to the server. */
  const listen = Effect.scoped(
    Effect.flatMap(Effect.scope, (queues) =>
      Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* PgConnection.make(pg.config)
          const notifications = yield* Effect.timeout(Scope.provide(connection.listen(channel), queues), STATEMENT_TIMEOUT)
          const heard = Effect.forever(Effect.flatMap(Queue.take(notifications), ({ payload }) => pass(payload)))
          return yield* Effect.onExit(Effect.andThen(stand(true), Effect.raceFirst(heard, silence)), () => stand(false))
        })
      )
    )
  )

  /** One that is not sent is not heard either, which `judge` notices. */
  const beat = Effect.ignore(pg.notify(channel, JSON.stringify({ from: me, topic: "beat", words: [] })).pipe(Effect.timeout(pulse.beat_ms)))
  // Two fibers, since a heartbeat may be slow and `judge` must not.
  for (const each of [beat, judge]) yield* each.pipe(Effect.repeat(Schedule.spaced(pulse.beat_ms)), Effect.forkScoped)
  yield* listen.pipe(Effect.sandbox, Effect.retry(retry), Effect.forkScoped)
  return { hears: () => hears }
})

/**
 * Tells words to every node but `from`, in the caller's transaction or one of its own, whose end takes a lock that all who notify share.
 */
export const notified = (sql: SqlClient.SqlClient, from: string, topics: Iterable<readonly [Topic, Iterable<string>]>) => {
  const messages = [...topics].flatMap(([topic, words]) => payloads(from, topic, [...words]))
  return sql`SELECT pg_notify(${channel}, message) FROM json_array_elements_text(${JSON.stringify(messages)}::json) message`
}

/** Packs the words into as few notifications as possible. */
export const payloads = (from: string, topic: Topic, words: ReadonlyArray<string>): Array<string> => {
  const found: Array<string> = []
  const message = (words: ReadonlyArray<string>) => JSON.stringify({ from, topic, words })
  let rest: Array<string> = []
  let bytes = 0
  for (const word of words) {
    const size = Buffer.byteLength(JSON.stringify(word)) + 1
    if (bytes + size > PAYLOAD_BYTES_MAX - 100) {
      found.push(message(rest))
      rest = []
      bytes = 0
    }
    rest.push(word)
    bytes += size
  }
  return rest.length === 0 ? found : [...found, message(rest)]
}
