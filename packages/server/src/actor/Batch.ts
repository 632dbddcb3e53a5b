/** A batch of asks as it is taken from the mailbox, and as it is stepped. */

import type { Command, Of } from "@agon/domain/season/Command.ts"
import type { LoggedMatch } from "@agon/domain/season/Log.ts"
import { rowOf } from "@agon/domain/season/Repeats.ts"
import { laddersRated } from "@agon/domain/season/Rules.ts"
import { ratingName } from "@agon/domain/season/rating/LadderRating.ts"
import type { Voiding } from "@agon/domain/season/rating/Voided.ts"
import type { State } from "@agon/domain/season/State.ts"
import { type Cause, Clock, Duration, Effect, Queue } from "effect"
import type * as Mailbox from "./Mailbox.ts"
import type { SeasonLog, SeasonStore, StoreFailed } from "./SeasonStore.ts"

const BATCH_MAX = 256
/**
 * In UTF-16 units. A commit's statement is some copies of the replays in it, and a hostile runner
 * sends a megabyte in each ask.
 */
const BATCH_REPLAYS_MAX = 4 * 1024 * 1024
/**
 * For reading a few rows by their keys, each of these reads by two statements one after the other at most: where the database is slow, all
 * reads of a batch together may take longer than one that hangs is waited for.
 */
const LOG_TIMEOUT = Duration.seconds(5)
const inTime = Effect.timeout(LOG_TIMEOUT)
/**
 * Timers stand still while the machine sleeps, and do not know where its clock is set forward: whatever was due meanwhile is found within this
 * time. Waking to find nothing due costs nothing.
 */
const WAIT_MAX_MS = 60_000

/**
 * Up to 256 asks, fewer where they bring long replays, or none when `until` passes first. The race against
 * the clock is on a `peek`, which takes nothing: an interrupted or lost race cannot swallow an ask. `take`
 * never suspends here, the actor being the only taker.
 */
export const nextBatch = Effect.fnUntraced(function* ({ queue }: Mailbox.Mailbox, until: number) {
  if (Queue.sizeUnsafe(queue) === 0) {
    const wait_ms = until - (yield* Clock.currentTimeMillis)
    if (wait_ms <= 0) return []
    yield* Effect.timeoutOption(Queue.peek(queue), Math.min(wait_ms, WAIT_MAX_MS))
  }
  const batch: Array<Mailbox.Held> = []
  for (let replays = 0; batch.length < BATCH_MAX && replays < BATCH_REPLAYS_MAX; ) {
    const next = Queue.takeUnsafe(queue)
    if (next === undefined) break
    const held = yield* next
    batch.push(held)
    replays += replaysOf(held)
  }
  return batch
})

const replaysOf = ({ commands }: Mailbox.Held): number =>
  commands.reduce((sum, command) => sum + (command._tag === "ReportMatch" ? (command.outcome.replay?.content?.length ?? 0) : 0), 0)

/** A batch as it is stepped. */
export interface Asked {
  readonly commands: ReadonlyArray<ReadonlyArray<Command>>
  /** Rows of commands that an earlier delivery has left. */
  readonly written: ReadonlySet<string>
}
const NONE: ReadonlySet<string> = new Set()

const commandsOf = ({ commands }: Mailbox.Held): ReadonlyArray<Command> => commands
const needsRows = ({ commands }: Mailbox.Held): boolean =>
  commands.some(
    (command) =>
      command._tag === "VoidMatch" || command._tag === "InstallFold" || rowOf(command) !== undefined || rightAsked(command) !== null
  )

/** The owner whose right to take part a command depends on. */
const rightAsked = (command: Command): string | null => {
  if (command._tag === "SwitchOwner") return command.removed === null ? command.owner : null
  return command._tag === "SubmitVersion" && command.eligible ? command.owner : null
}

/**
 * The commands of a batch; those about the log or an owner's right carry the rows that they need,
 * as the last commit left them.
 */
export const askedOf = (
  store: SeasonStore["Service"],
  state: State,
  batch: ReadonlyArray<Mailbox.Held>
): Effect.Effect<Asked, StoreFailed | Cause.TimeoutError> =>
  batch.some(needsRows) ? withRows(store, state, batch) : Effect.succeed({ commands: batch.map(commandsOf), written: NONE })

const withRows = Effect.fnUntraced(function* (
  { log, removed, written }: SeasonStore["Service"],
  state: State,
  batch: ReadonlyArray<Mailbox.Held>
) {
  const all = batch.map(commandsOf)
  const flat = all.flat()
  const voids = flat.flatMap((command) => (command._tag === "VoidMatch" ? [command.match] : []))
  const owners = new Set(flat.flatMap((command) => rightAsked(command) ?? []))
  const install = flat.find((command) => command._tag === "InstallFold")
  const found = new Map(voids.length === 0 ? [] : (yield* inTime(log.ended(state.id, voids))).map((match) => [match.id, match]))
  const out = owners.size === 0 ? owners : yield* inTime(removed(state.id, [...owners]))
  const rows = install === undefined ? null : yield* foldRows(log, state, install)
  const filled = (command: Command): Command => {
    if (command._tag === "VoidMatch") return { ...command, found: found.get(command.match) ?? null }
    const owner = rightAsked(command)
    if (owner !== null && command._tag === "SwitchOwner") return { ...command, removed: out.has(owner) }
    if (owner !== null && command._tag === "SubmitVersion") return { ...command, eligible: !out.has(owner) }
    return command === install ? { ...install, rows } : command
  }
  const left = flat.flatMap((command) => rowOf(command) ?? [])
  return {
    commands: all.map((commands) => commands.map(filled)),
    written: left.length === 0 ? NONE : yield* inTime(written(state.id, left))
  }
})

/** The matches rated since the fold was last read, and ratings that the state does not hold. */
const foldRows = Effect.fnUntraced(function* (log: SeasonLog, state: State, { fold, tail_max }: Of<"InstallFold">) {
  const tail = yield* inTime(log.page(state.id, { round: fold.round, after: fold.n }, tail_max + 1, true))
  const held = new Set(state.ladders.flatMap(({ ladder, ratings }) => [...ratings.keys()].map((version) => ratingName(ladder, version))))
  const heirs = tail.seeds.flatMap(({ ladder, of, version }) => [of, version].map((each) => ({ ladder, version: each })))
  const courses = [...fold.courses.values(), ...heirs, ...[...tail.matches, ...state.voiding.values()].flatMap(seatedIn)]
  const versions = courses.filter(({ ladder, version }) => !held.has(ratingName(ladder, version))).map(({ version }) => version)
  return { tail, left: yield* inTime(log.left(state.id, [...new Set(versions)])) }
})

const seatedIn = (match: LoggedMatch | Voiding) => {
  const versions = "versions" in match ? match.versions : match.seats.map(({ version }) => version)
  return laddersRated(match.ladder).flatMap((ladder) => versions.map((version) => ({ ladder, version })))
}
