/**
 * Hosting: the cluster decides which node hosts a season; the fence ensures that only one node writes it.
 *
 * The entity owns the actor's lifetime, and few asks go through it. `SeasonActors.ask` finds the mailbox of a season that lives on
 * this node in a map (about 1 us). It asks another node directly if that is known to host the season (DirectAsks.ts), and calls the entity
 * otherwise, whose handler asks the same mailbox.
 *
 * Entity messages are not stored: when a node dies, its messages in flight fail at the callers, which repeat them. On a lost connection the
 * library itself may send a message again. So a command may come twice: it does the same thing again without harm, or it is known by the
 * row that it has left, and answered as it was at first (domain/season/Repeats.ts).
 *
 * A season that is not closed is woken when the service starts and when it is created, and kept alive from then on; where its node ends,
 * by the next one (Takeovers.ts). When it closes, its actor ends and the entity may rest: until then, and whenever it is asked again, it answers `SeasonClosed`.
 */

import type { Command, Reply, ReplyTo } from "@agon/domain/season/Command.ts"
import type { Forecast, Reach } from "@agon/domain/season/waiting/Forecast.ts"
import { type Cause, Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { PeerLink } from "../node/PeerLink.ts"
import { makeDirectAsks } from "./DirectAsks.ts"
import { LocalMailboxes, onceBegun, onceKnown } from "./LocalMailboxes.ts"
import * as Mailbox from "./Mailbox.ts"
import * as SeasonActor from "./SeasonActor.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import * as SeasonMetrics from "./SeasonMetrics.ts"
import { SeasonStore } from "./SeasonStore.ts"

/**
 * Commands and replies are plain JSON that only our own nodes write, of one release or of two that follow each other. So these calls,
 * commands and replies are only added to: a field that is new may be missing, and nobody looks at one that is not known.
 */
export const SeasonEntity = Entity.make("Season", [
  Rpc.make("Wake", {}),
  /** The address of its node for the others; empty where there is one node. */
  Rpc.make("Where", { success: Schema.String }),
  Rpc.make("Ask", {
    payload: { commands: Schema.Array(Schema.Any) },
    success: Schema.Array(Schema.Any),
    error: Schema.Union([Mailbox.Unavailable, Mailbox.SeasonClosed])
  }),
  Rpc.make("Forecast", { payload: { versions: Schema.Array(Schema.String), reach: Schema.Any }, success: Schema.Array(Schema.Any) })
])

/** Longer than a hand-over takes: the pause of a fenced actor that is still hosted here after the node owns the season again. */
const FENCED_PAUSE = Duration.seconds(5)
/** Nobody waits longer for a page's sake; it is shown without. */
const FORECAST_TIMEOUT = Duration.seconds(1)
const ASK_TIMEOUT = Duration.seconds(10)
/** Seasons woken side by side when the service starts: each holds a connection while it reads all its rows. */
export const WAKE_CONCURRENCY = 2
const WAKE_PAUSE = Duration.seconds(1)

const layerEntity = SeasonEntity.toLayer(
  Effect.gen(function* () {
    const season = (yield* Entity.CurrentAddress).entityId
    const store = yield* SeasonStore
    const events = yield* SeasonEvents
    const mailboxes = yield* LocalMailboxes
    const self = (yield* PeerLink)?.self ?? ""
    const mailbox = yield* Mailbox.make(season)
    yield* Entity.keepAlive(true)
    yield* SeasonMetrics.stayOf(mailbox)
    yield* Effect.acquireRelease(
      Effect.sync(() => mailboxes.set(season, mailbox)),
      () =>
        Effect.suspend(() => {
          if (mailboxes.get(season) !== mailbox) return Effect.void
          mailboxes.delete(season)
          return Effect.logInfo("season left this node", { season })
        })
    )
    yield* SeasonActor.supervised(mailbox).pipe(
      Effect.provideService(SeasonStore, store),
      Effect.provideService(SeasonEvents, events),
      Effect.tapError(() => Effect.logWarning("another node took the season; services on one database need an AGON_NODE each", { season })),
      Effect.retry(Schedule.spaced(FENCED_PAUSE)),
      Effect.andThen(Entity.keepAlive(false)),
      Effect.forkScoped
    )
    return SeasonEntity.of({
      Wake: () => Mailbox.begun(mailbox),
      Where: () => Effect.succeed(self),
      Ask: ({ payload }) => onceKnown(mailbox, payload.commands as ReadonlyArray<Command>),
      Forecast: ({ payload }) => Effect.sync(() => mailbox.forecast?.(payload.versions, payload.reach) ?? [])
    })
  }),
  { concurrency: "unbounded", disableFatalDefects: true }
)

export class SeasonActors extends Context.Service<
  SeasonActors,
  {
    /** Starts the season's actor somewhere, waits a few seconds for its first incarnation, and keeps it there until the season closes. */
    readonly wake: (season: string) => Effect.Effect<void, Mailbox.Unavailable>
    /** Reads which seasons are not closed, and answers how to wake them, each as soon as the cluster lets it. */
    readonly wakeAll: Effect.Effect<Effect.Effect<void>>
    readonly ask: <C extends Command>(season: string, command: C) => Effect.Effect<ReplyTo<C>, Mailbox.Refused>
    /** Sends commands that belong together: one message, one commit, replies in their order. At most `Mailbox.COMMANDS_MAX`. */
    readonly askAll: (season: string, commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Reply>, Mailbox.Refused>
    /** A forecast for each version, in order. It reads the state and passes by the mailbox; none where the season is moving. Not of a closed season. */
    readonly forecast: (season: string, versions: ReadonlyArray<string>, reach: Reach) => Effect.Effect<ReadonlyArray<Forecast>>
  }
>()("agon/SeasonActors") {
  static readonly layer = Layer.effect(
    SeasonActors,
    Effect.gen(function* () {
      const mailboxes = yield* LocalMailboxes
      const store = yield* SeasonStore
      const client = yield* SeasonEntity.client
      const direct = yield* makeDirectAsks
      const wake = (season: string) =>
        Effect.catchTag(remote(season, Effect.asVoid(client(season).Wake())), "SeasonClosed", () => Effect.void)
      const askAll = (season: string, commands: ReadonlyArray<Command>) =>
        Effect.suspend(() => {
          const local = mailboxes.get(season)
          if (local !== undefined) return onceBegun(local, commands)
          const { Ask, Where } = client(season)
          return direct(season, commands, remote(season, Ask({ commands })), Where())
        })
      return SeasonActors.of({
        wake,
        wakeAll: store.open.pipe(
          untilDone,
          Effect.map((seasons) =>
            Effect.forEach(seasons, (season) => untilDone(wake(season)), { concurrency: WAKE_CONCURRENCY, discard: true })
          ),
          Effect.map(Effect.withSpan("SeasonActors.wakeAll"))
        ),
        ask: <C extends Command>(season: string, command: C) =>
          Effect.map(askAll(season, [command]), (replies) => replies[0] as ReplyTo<C>),
        askAll,
        forecast: (season, versions, reach) =>
          Effect.suspend(() => {
            const local = mailboxes.get(season)
            if (local !== undefined) return Effect.succeed(local.forecast?.(versions, reach) ?? [])
            const answer: Effect.Effect<ReadonlyArray<Forecast>, unknown> = client(season).Forecast({ versions, reach })
            return Effect.timeout(answer, FORECAST_TIMEOUT).pipe(Effect.catchCause(() => Effect.succeed([])))
          })
      })
    })
  )
}

/** Repeats until it succeeds: a schedule without an end leaves no error. */
const untilDone = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A> => Effect.orDie(Effect.retry(effect, Schedule.spaced(WAKE_PAUSE)))

/** Maps every failure of the cluster to one retryable answer, and bounds the wait. */
const remote = <A>(season: string, call: Effect.Effect<A, { readonly _tag: string }>): Effect.Effect<A, Mailbox.Refused> =>
  Effect.timeout(call, ASK_TIMEOUT).pipe(Effect.catchCause((cause) => Effect.fail(refusalOf(season, cause))))

const refusalOf = (season: string, { reasons: [first] }: Cause.Cause<{ readonly _tag: string }>): Mailbox.Refused => {
  const error = first?._tag === "Fail" ? first.error : undefined
  if (error instanceof Mailbox.SeasonClosed || error instanceof Mailbox.Unavailable) return error
  return new Mailbox.Unavailable({ season, reason: `unreachable: ${error?._tag ?? first?._tag ?? "no reason"}` })
}

/** Needs a store, listeners and a cluster: `layerAlone` of node/Cluster.ts for one process, `layerAmongOthers` for many. */
export const layer = SeasonActors.layer.pipe(Layer.provideMerge(layerEntity), Layer.provideMerge(LocalMailboxes.layer))
