/**
 * Says whether a season keeps its promises (docs/design.md#guarantees), from the rows after every commit and
 * from what callers were told. It shares no code with the season: counts, ratings, leases, rounds and
 * verdicts are kept once more here.
 *
 *   asked ──▶ told | unsure        every command of every caller, before it is sent and when its answer came or failed
 *   committed                      the rows after a commit, whatever the actor was told of it
 */
import type { Command, Of, Receipt, Replies, Reply } from "@agon/domain/season/Command.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import { checkAudit } from "./audit/AuditLog.ts"
import { checkClosing } from "./audit/Closing.ts"
import * as Faults from "./audit/Faults.ts"
import * as Fill from "./audit/Fill.ts"
import * as Fleets from "./audit/Fleets.ts"
import * as LeaseLives from "./audit/LeaseLives.ts"
import { checkMatches } from "./audit/Matches.ts"
import * as Opinions from "./audit/Opinions.ts"
import { must } from "./audit/Promise.ts"
import * as Ratings from "./audit/Ratings.ts"
import * as Receipts from "./audit/Receipts.ts"
import { checkRounds, isComplete } from "./audit/Rounds.ts"
import * as Series from "./audit/Series.ts"
import { checkStarts } from "./audit/Starts.ts"
import { checkSubmission } from "./audit/Submissions.ts"
import * as Versions from "./audit/Versions.ts"
import { checkVoided, checkVoids } from "./audit/Voids.ts"
import { endOf, isDead, LADDERS, open, pairableOn } from "./audit/Window.ts"
import type { Known, View } from "./View.ts"

export interface Auditor {
  /** The rows as of the last commit. */
  readonly rows: () => View
  /** Matches that have ended, by the rows so far, as they are now. */
  readonly log: ReadonlyMap<string, Ended>
  readonly known: () => Known
  readonly asked: (command: Command) => void
  /** The same command is delivered once more. */
  readonly again: (command: Command) => void
  /** At the moment of the reply. A result's receipt is the one that its runner gets in the end. */
  readonly told: (command: Command, reply: Reply, at: number) => void
  readonly committed: (view: View) => void
  /** Somebody claimed the season under this epoch, at this time of its host. */
  readonly claimed: (epoch: number, at: number) => void
  /** A commit under this epoch was written. */
  readonly fenced: (epoch: number) => void
  /** Listeners were told what has happened in the season. */
  readonly published: () => void
  /** A step of the world is over: a request of long before it cannot be obeyed any more. */
  readonly stepped: () => void
  /** Nothing is on its way and the actor runs: all events due by `at` have happened. */
  readonly punctual: (at: number) => void
  /** Whether everybody has what they are owed, but for those with whom nothing can be played. */
  readonly isServed: (sick: (version: string) => boolean) => boolean
  /** Honest runners found nothing more to do, or nothing but for those. */
  readonly rested: (sick: (version: string) => boolean) => void
}

/** Commands of so many steps may still be obeyed: a commit that was reported as failed lands before the next claim. */
const RECENT_STEPS = 3

export const make = (empty: View): Auditor => {
  const ratings = Ratings.make()
  const versions = Versions.make()
  const receipts = Receipts.make()
  const series = Series.make(ratings)
  const fill = Fill.make()
  const fleets = Fleets.make()
  const leases = LeaseLives.make()
  const opinions = Opinions.make()
  const faults = Faults.make()
  const asked = makeAsked()
  let rows = empty
  let before = empty
  let podium = ""
  const epochs = makeEpochs()

  const log = new Map<string, Ended>()
  const checks = [
    ...[checkVoids, receipts.check, checkMatches, leases.check, fleets.check, opinions.check, versions.check, faults.check],
    ...[checkStarts, ratings.check, series.check, checkRounds, fill.check, checkClosing]
  ]
  return {
    log,
    known: () => ({ ended: log, points: series.points }),
    rows: () => rows,
    asked: (command) => {
      receipts.asked(command)
      fleets.asked(command)
      opinions.asked(command)
      asked.said(command)
    },
    again: (command) => {
      receipts.again(command)
    },
    stepped: () => {
      asked.stepped()
      before = rows
    },
    told: (command, reply, at) => {
      checkAudit(command, reply, rows)
      if (command._tag === "LeaseWork") receipts.leased(command, reply as Replies["LeaseWork"], rows)
      else if (command._tag === "Heartbeat") receipts.beaten(reply as Replies["Heartbeat"], before)
      else if (command._tag === "SubmitVersion") checkSubmission(command, reply as Replies["SubmitVersion"], { at, before, rows })
      else if (command._tag === "VoidMatch") checkVoided(command, reply as Replies["VoidMatch"], before, log)
      else if (isResult(command)) receipts.settled(command, reply as Receipt, before, rows)
      else checkDone(command, reply, before, rows)
    },
    committed: (now) => {
      const window = open(rows, now, log, asked.recent(), epochs.returned_at())
      for (const check of checks) check(window)
      for (const row of [...now.ended, ...now.rewritten]) log.set(row.id, row)
      rows = now
    },
    claimed: epochs.claimed,
    fenced: epochs.fenced,
    published: () => epochs.published(rows),
    punctual: (at) => {
      checkPunctual(rows, at)
      if (rows.head.phase !== "closed") return
      podium ||= JSON.stringify(rows.head.podium)
      must(podium === JSON.stringify(rows.head.podium), "the podium stays", rows.head)
    },
    isServed: (sick) => isComplete(healthy(rows, sick)),
    rested: (sick) => checkRested(healthy(rows, sick), rows)
  }
}

/** The commands of the last steps, by step. */
const makeAsked = () => {
  const steps: Array<Array<Command>> = [[]]
  return {
    said: (command: Command) => void steps[0]!.push(command),
    recent: () => steps.flat(),
    stepped: () => {
      steps.unshift([])
      steps.length = Math.min(steps.length, RECENT_STEPS)
    }
  }
}

/** Checks the order of claims, commits and events: which incarnation may write, and which events may be published. */
const makeEpochs = () => {
  const claim: { newest: number; returned_at: number | null } = { newest: 0, returned_at: null }
  let untold = false // a commit was written of which nobody has been told
  return {
    /** When it was claimed last, where nothing has been written since. */
    returned_at: () => claim.returned_at,
    claimed: (epoch: number, at: number) => {
      Object.assign(claim, { newest: epoch, returned_at: at })
      untold = false
    },
    fenced: (epoch: number) => {
      must(epoch === claim.newest, "an actor whose epoch was stolen writes nothing", epoch, claim)
      claim.returned_at = null
      untold = true
    },
    published: ({ head }: View) => {
      must(untold, "nothing is told before it is written: a season restored from its rows would tell it again", head)
      untold = false
    }
  }
}

/** Honest runners found nothing more to do: everybody has what they were owed. */
const checkRested = (rows: View, all: View): void => {
  const left = LADDERS.filter((ladder) => !isDead(rows, ladder)).map((ladder) => [
    ladder,
    pairableOn(rows, ladder).map(({ virtual_games }) => virtual_games)
  ])
  must(isComplete(rows), "every entry gets the games that a round owes it", rows.head, left)
  if (rows.ratings.size < all.ratings.size) return // what they are in may wait for ever
  const waiting = [...rows.live.values()].filter(({ until }) => until === null)
  must(waiting.length === 0, "nothing waits for nobody", waiting)
  must(rows.voiding.size === 0, "what is voided leaves the ratings", [...rows.voiding])
}

/** The ladders without those who are sick and not suspended yet. */
const healthy = (rows: View, sick: (version: string) => boolean): View => {
  const ill = ({ version }: { readonly version: string }) => sick(version) && rows.versions.get(version)!.phase !== "suspended"
  return { ...rows, ratings: new Map([...rows.ratings].filter(([, row]) => !row.active || !ill(row))) }
}

/** Everything that somebody was told has been done stands in the rows. */
const checkDone = (command: Command, reply: Reply, before: View, rows: View): void => {
  if (command._tag === "SwitchBoard" && "enabled" in (reply as object)) {
    must(rows.boards.get(command.board)?.enabled === command.enabled, "no reply before its commit", command)
  } else if (command._tag === "Disqualify" && "status" in (reply as object)) {
    must(rows.versions.get(command.version)!.disqualified, "no reply before its commit", command)
  } else if (command._tag === "SwitchOwner") {
    const plays = [...rows.versions.values()].find(({ owner, status }) => owner === command.owner && status === "entered")
    must(!command.removed || plays === undefined, "no reply before its commit", command, plays)
  } else if (command._tag === "RevokeKey") {
    const kept = [...rows.live.values(), ...rows.reviews.values()].find(({ key, until }) => key === command.key && until !== null)
    must(kept === undefined, "a revoked key holds nothing", command, kept)
  } else if (command._tag === "CloseSeason") must(rows.head.phase !== "open", "no reply before its commit", command)
  else if (command._tag === "EditSettings" && "edited" in (reply as object)) {
    const { fill, fleet } = command.settings
    const same = (was: object, is: object, named: object = {}) =>
      Object.entries({ ...was, ...named }).every(([key, value]) => is[key as never] === value)
    const held = same(before.settings.fill, rows.settings.fill, fill) && same(before.settings.fleet, rows.settings.fleet, fleet)
    must(held, "an edit holds, and keeps what it does not name", command, before.settings, rows.settings)
  }
}

/** Everything that was due by now has happened. */
const checkPunctual = ({ head, live, reviews, rounds, versions }: View, at: number): void => {
  for (const work of [...live.values(), ...reviews.values()])
    must(work.until === null || work.until > at, "a lease that ran out is taken back", work, at)
  for (const version of versions.values())
    must(version.upload_until === null || version.upload_until > at, "an upload window ends", version, at)
  if (head.phase === "open") {
    for (const round of rounds)
      must(round.started_at !== null || round.withdrawn || round.starts_at > at, "a round starts at its time", round, at)
  }
  if (head.phase === "closing") must(at < endOf(head).frozen, "closed within its time", head, at)
}

const isResult = (command: Command): command is Of<"ReportMatch"> | Of<"ReportFault"> | Of<"ReportAdmission"> =>
  command._tag === "ReportMatch" || command._tag === "ReportFault" || command._tag === "ReportAdmission"
