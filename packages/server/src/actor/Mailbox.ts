/**
 * The way into a season actor, and the guarantee that no caller waits for ever.
 *
 *   starting ──open──▶ running ──shut──▶ starting (reloading, moving)
 *       └───────────────┴──────close──▶ closed, for good
 *
 * Every ask is `held` from the moment it is offered until it is answered. `held` is non-empty only while the
 * actor runs: `shut` and `close` fail every held ask, whether it is still in the queue, in a batch or between
 * the two, and until `open` is called again asking fails at once. A caller that prefers to wait for the first
 * incarnation of a season that has just been woken uses `begun`.
 */

import type { Command, Reply, ReplyTo } from "@agon/domain/season/Command.ts"
import type { Forecast, Reach } from "@agon/domain/season/waiting/Forecast.ts"
import { Deferred, Duration, Effect, Exit, Queue, Schema } from "effect"

/**
 * On the wire: 503 `unavailable` with Retry-After. Whether the command took effect is
 * unknown; repeating it is safe.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { season: Schema.String, reason: Schema.String }) {}

/**
 * The season is closed or does not exist: no command can change it any more. The caller then answers
 * a result from the rows (`SeasonStore.answerOf`), a lease request with "no work", and an
 * administrator with the rows as they are.
 */
export class SeasonClosed extends Schema.TaggedError<SeasonClosed>()("SeasonClosed", { season: Schema.String }) {}

export type Refused = Unavailable | SeasonClosed

export const CAPACITY = 4096
/** The most commands in one ask: more than a runner's slots and the results of as many. */
export const COMMANDS_MAX = 128

/** Long enough for all but the largest seasons to be read, shorter than the timeout of a caller on another node. */
const FIRST_INCARNATION_TIMEOUT = Duration.seconds(5)

/** Commands of one caller, which land in one commit and are answered together. */
export interface Held {
  readonly commands: ReadonlyArray<Command>
  readonly reply: Deferred.Deferred<ReadonlyArray<Reply>, Refused>
}
export interface Mailbox {
  readonly season: string
  readonly queue: Queue.Queue<Held>
  readonly held: Set<Held>
  state: "starting" | "running" | "closed"
  /** Done when the first incarnation has claimed the season, or failed to. */
  readonly first: Deferred.Deferred<void>
  /** The number of callers that wait for it. */
  waiting: number
  /** Reads the state as it is, between two steps; absent while no incarnation runs. */
  forecast?: ((versions: ReadonlyArray<string>, reach: Reach) => ReadonlyArray<Forecast>) | undefined
}

export const make = (season: string): Effect.Effect<Mailbox> =>
  Effect.map(Queue.dropping<Held>(CAPACITY), (queue) => ({
    ...{ season, queue, held: new Set<Held>(), waiting: 0 },
    ...{ state: "starting", first: Deferred.makeUnsafe<void>() }
  }))

/**
 * Waits until the first incarnation of the season has begun or failed, for a few seconds at most; returns at
 * once where too many wait already.
 */
export const begun = (mailbox: Mailbox): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (Deferred.isDoneUnsafe(mailbox.first) || mailbox.waiting >= CAPACITY) return Effect.void
    mailbox.waiting++
    return Effect.timeoutOption(Deferred.await(mailbox.first), FIRST_INCARNATION_TIMEOUT).pipe(
      Effect.ensuring(Effect.sync(() => mailbox.waiting--)),
      Effect.asVoid
    )
  })

/** Answers the replies in order. All commands are in the same batch, with no other caller's command between them. */
export const askAll = (mailbox: Mailbox, commands: ReadonlyArray<Command>): Effect.Effect<ReadonlyArray<Reply>, Refused> =>
  Effect.suspend(() => {
    if (commands.length > COMMANDS_MAX) return Effect.die(new Error(`${commands.length} commands in one ask`))
    if (mailbox.state === "closed") return Effect.fail(new SeasonClosed({ season: mailbox.season }))
    if (mailbox.state === "starting") return unavailable(mailbox, "the season is starting or moving")
    const held: Held = { commands, reply: Deferred.makeUnsafe() }
    if (!Queue.offerUnsafe(mailbox.queue, held)) return unavailable(mailbox, "the mailbox is full")
    mailbox.held.add(held)
    return Deferred.await(held.reply)
  })

export const ask = <C extends Command>(mailbox: Mailbox, command: C): Effect.Effect<ReplyTo<C>, Refused> =>
  Effect.map(askAll(mailbox, [command]), (replies) => replies[0] as ReplyTo<C>)

export const answer = (mailbox: Mailbox, held: Held, replies: ReadonlyArray<Reply>): void => {
  mailbox.held.delete(held)
  Deferred.doneUnsafe(held.reply, Exit.succeed(replies))
}

export const open = (mailbox: Mailbox): Effect.Effect<void> =>
  Effect.sync(() => {
    mailbox.state = "running"
    Deferred.doneUnsafe(mailbox.first, Exit.void)
  })

export const shut = (mailbox: Mailbox, reason: string): Effect.Effect<void> =>
  stop(mailbox, "starting", () => new Unavailable({ season: mailbox.season, reason }))

export const close = (mailbox: Mailbox): Effect.Effect<void> => stop(mailbox, "closed", () => new SeasonClosed({ season: mailbox.season }))

const stop = (mailbox: Mailbox, state: "starting" | "closed", refusal: () => Refused): Effect.Effect<void> =>
  Effect.suspend(() => {
    mailbox.state = state
    mailbox.forecast = undefined
    Deferred.doneUnsafe(mailbox.first, Exit.void)
    if (mailbox.held.size > 0) {
      const failed = Exit.fail(refusal())
      for (const held of mailbox.held) Deferred.doneUnsafe(held.reply, failed)
      mailbox.held.clear()
    }
    return Effect.asVoid(Queue.clear(mailbox.queue))
  })

const unavailable = (mailbox: Mailbox, reason: string) => Effect.fail(new Unavailable({ season: mailbox.season, reason }))
