/**
 * The way into a season actor, and the promise that nobody who asks waits for ever.
 *
 *   starting ──open──▶ running ──shut──▶ starting (reloading, moving)
 *       └───────────────┴──────close──▶ closed, for good
 *
 * Every ask is `held` from the moment it is offered until it is answered. `held` is non-empty only while the actor runs:
 * `shut` and `close` fail whatever is held, whether it is still in the queue, in a batch or between the two, and until
 * `open` is called again asking fails at once. Whoever would rather wait for the first life of a season, which has just been
 * woken, does so by `begun`.
 */

import type { Command, Reply, ReplyTo } from "@agon/domain/season/Command.ts"
import { Deferred, Duration, Effect, Exit, Queue, Schema } from "effect"

/** On the wire: 503 `unavailable` with Retry-After. Whether the command took effect is unknown; repeating it is safe. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { season: Schema.String, reason: Schema.String }) {}

/**
 * The season is closed, or there is none of this id: nothing can be done to it any more. To a result the answer follows
 * from the rows (`SeasonStore.answerOf`), to a lease request it is "no work", to an administrator the rows as they are.
 */
export class SeasonClosed extends Schema.TaggedError<SeasonClosed>()("SeasonClosed", { season: Schema.String }) {}

export type Refused = Unavailable | SeasonClosed

export const CAPACITY = 4096
/** What one ask may hold: more than a runner's slots and the results of as many. */
export const COMMANDS_MAX = 128

/** Longer than any but the largest seasons take to be read, shorter than whoever asks another node waits. */
const FIRST_LIFE_PATIENCE = Duration.seconds(5)

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
  /** Done when the first life has claimed the season, or could not. */
  readonly first: Deferred.Deferred<void>
  /** Those who wait for it. */
  waiting: number
}

export const make = (season: string): Effect.Effect<Mailbox> =>
  Effect.map(Queue.dropping<Held>(CAPACITY), (queue) => ({
    ...{ season, queue, held: new Set<Held>(), waiting: 0 },
    ...{ state: "starting", first: Deferred.makeUnsafe<void>() }
  }))

/** Until the first life of the season has begun or failed, for a few seconds at most, and not where too many wait already. */
export const begun = (mailbox: Mailbox): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (Deferred.isDoneUnsafe(mailbox.first) || mailbox.waiting >= CAPACITY) return Effect.void
    mailbox.waiting++
    return Effect.timeoutOption(Deferred.await(mailbox.first), FIRST_LIFE_PATIENCE).pipe(
      Effect.ensuring(Effect.sync(() => mailbox.waiting--)),
      Effect.asVoid
    )
  })

/** The replies, in order. All commands are in the same batch, with none of another caller between them. */
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
  stop(mailbox, "starting", new Unavailable({ season: mailbox.season, reason }))

export const close = (mailbox: Mailbox): Effect.Effect<void> => stop(mailbox, "closed", new SeasonClosed({ season: mailbox.season }))

const stop = (mailbox: Mailbox, state: "starting" | "closed", refusal: Refused): Effect.Effect<void> =>
  Effect.suspend(() => {
    mailbox.state = state
    Deferred.doneUnsafe(mailbox.first, Exit.void)
    const failed = Exit.fail(refusal)
    for (const held of mailbox.held) Deferred.doneUnsafe(held.reply, failed)
    mailbox.held.clear()
    return Effect.asVoid(Queue.clear(mailbox.queue))
  })

const unavailable = (mailbox: Mailbox, reason: string) => Effect.fail(new Unavailable({ season: mailbox.season, reason }))
