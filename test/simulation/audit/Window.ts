/** The changes of one commit: the rows before it, the rows after it, and what had been said that it may have obeyed. */
import type { Command, Of } from "@agon/domain/season/Command.ts"
import type { Head } from "@agon/domain/season/Head.ts"
import type { LadderRating } from "@agon/domain/season/rating/LadderRating.ts"
import type { Voiding } from "@agon/domain/season/rating/Voided.ts"
import type { Ended, OpenMatch } from "@agon/domain/season/scheduler/Match.ts"
import type { View } from "../View.ts"

export interface Window {
  readonly before: View
  readonly now: View
  /** Matches that had ended before, as they were then. */
  readonly log: ReadonlyMap<string, Ended>
  /** Those of them that this commit voided, as they are now. */
  readonly voided: ReadonlyArray<Ended>
  /** Matches that this commit's ratings have no more, as they waited for it. */
  readonly installed: ReadonlyArray<Voiding>
  /** The round whose ratings this commit has made anew with other starts; null: none. */
  readonly rescaled: { readonly round: number } | null
  /** Commands that were asked lately, answered or not: one that was reported as failed may have been written. */
  readonly recent: ReadonlyArray<Command>
  /** Whether the season was claimed since the commit before: leases then have their full time again. */
  readonly returned: boolean
  /** Matches that this commit created, whether they are open or over. */
  readonly created: ReadonlyArray<Created>
  /** How long the season was away before that claim; 0 where nothing has been committed since. */
  readonly away_ms: number
}

export const open = (
  before: View,
  now: View,
  log: ReadonlyMap<string, Ended>,
  recent: ReadonlyArray<Command>,
  returned_at: number | null
): Window => ({
  ...{ before, now, log, recent },
  created: createdIn(before, now),
  returned: returned_at !== null,
  away_ms: now.head.now > before.head.now ? Math.max(0, (returned_at ?? 0) - before.head.now) : 0,
  voided: now.rewritten.filter(({ fault_reason, id }) => fault_reason === "replay_mismatch" && log.get(id)!.fault_reason !== fault_reason),
  installed: isLate(before, now) ? [] : [...before.voiding.values()].filter(({ match }) => !now.voiding.has(match)),
  rescaled: now.head.rescaled > before.head.rescaled && before.head.learning !== null ? { round: before.head.learning.round } : null
})

/** Ratings were computed again from the log in this commit. */
export const isRerated = ({ installed, rescaled }: Window): boolean => installed.length > 0 || rescaled !== null

/**
 * Matches of a round after which ratings may be written anew: those that are voided, or its beginning
 * where other starts were learned.
 */
export const awaited = ({ head, voiding }: View): ReadonlyArray<{ readonly round: number; readonly n: number }> => [
  ...voiding.values(),
  ...(head.learning === null ? [] : [{ round: head.learning.round, n: 0 }])
]

const MINUTE_MS = 60_000
const CHECKED_MS = 30_000

/** When nothing is played any more, and when the podium is frozen at the latest. */
export const endOf = ({ checked, close_requested_at, closing_away_ms }: Head) => {
  const played = close_requested_at! + closing_away_ms + MINUTE_MS
  return { played, frozen: checked === null ? played : played + CHECKED_MS }
}

/** A season that closes at the last moment waits for ratings no longer: they stand as they are. */
const isLate = (before: View, { head }: View): boolean =>
  head.phase === "closed" && head.closed_at! >= endOf(before.head.phase === "closing" ? before.head : head).frozen

export const LADDERS = ["nano", "micro", "mini", "small", "large", "open"] as const

export const leaseOf = (work: { readonly id: string; readonly lease_n: number }): string => `${work.id}.${work.lease_n}`

/** Whether somebody who may do so gave this lease back, or may have. */
export const givenBack = (
  { recent }: Window,
  lease: string,
  { key, runner }: { readonly key: string | null; readonly runner: string | null }
): boolean =>
  recent.some((command) => {
    if (command._tag === "Release") return command.lease === lease && command.key === key
    if (command._tag === "HoldOnly")
      return command.runner === runner && !command.holds.includes(lease) && command.among?.includes(lease) !== false
    return command._tag === "RevokeKey" && command.key === key
  })

const DAY_MS = 86_400_000

/** Keys that were heard of within a day for as long as the commit lasted. */
export const heardThroughout = ({ before, now }: Window, keysIn: (head: Head) => Head["keys"]): ReadonlyArray<string> => {
  const heard = ({ head }: View) => keysIn(head).flatMap(({ at, key }) => (now.head.now < at + DAY_MS ? [key] : []))
  return heard(before).filter((key) => heard(now).includes(key))
}

/** Whether this lease was answered by the report of a fault, or may have been. */
export const faulted = ({ recent }: Window, lease: string, { key }: { readonly key: string | null }): boolean =>
  recent.some((command) => command._tag === "ReportFault" && command.lease === lease && command.key === key)

/** Whether the result of this lease may have been put aside until another key confirms it: somebody reached the strike limit. */
export const putAside = ({ now, recent }: Window, lease: string, { key }: { readonly key: string | null }): boolean =>
  recent.some((command) => command._tag === "ReportMatch" && command.lease === lease && command.key === key && isStruckOut(now, command))

export const isStruckOut = ({ settings }: View, { outcome }: Of<"ReportMatch">): boolean =>
  outcome.seats.some(({ strikes }) => strikes >= settings.rules.match.strike_limit)

type Row = Omit<LadderRating, "key" | "busy">
/** The rows of a ladder that may be paired. */
export const pairableOn = (view: View, ladder: string): ReadonlyArray<Row> =>
  activeOn(view, ladder).filter(({ version }) => view.versions.get(version)!.phase !== "suspended")

export const activeOn = ({ ratings }: View, ladder: string): ReadonlyArray<Row> => {
  const known = ACTIVE.get(ratings)
  if (known !== undefined) return known.get(ladder) ?? []
  const active = Map.groupBy(
    [...ratings.values()].filter((row) => row.active),
    (row) => row.ladder as string
  )
  ACTIVE.set(ratings, active)
  return active.get(ladder) ?? []
}
/** By ladder, for the ratings of a view, which stay as they are. */
const ACTIVE = new WeakMap<View["ratings"], ReadonlyMap<string, ReadonlyArray<Row>>>()

/** The owner of an entry; a baseline is its own. */
export const ownerOf = ({ versions }: View, version: string): string => versions.get(version)!.owner ?? version

type Created = Pick<OpenMatch, "id" | "n" | "ladder" | "board" | "versions" | "round" | "created_at">
const createdIn = (before: View, now: View): ReadonlyArray<Created> => {
  const isNew = ({ n }: Created) => n > before.head.matches
  return [...[...now.live.values()].filter(isNew), ...now.ended.filter(isNew)]
}

/** Whether nobody could play on this ladder however long it waits. */
export const isDead = (view: View, ladder: string): boolean => {
  const active = pairableOn(view, ladder)
  const boards = [...view.boards.values()].filter(({ enabled }) => enabled)
  return !boards.some(({ players }) => players <= active.length) || new Set(active.map((row) => ownerOf(view, row.version))).size < 2
}
