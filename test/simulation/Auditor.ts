/**
 * Says whether a season keeps its promises (DESIGN section 3), from the rows after every commit and from what callers
 * were told. It shares no code with the season: counts, ratings, leases, rounds and verdicts are kept once more here.
 *
 *   asked ──▶ told | unsure        every command of every caller, before it is sent and when its answer came or failed
 *   committed                      the rows after a commit, whatever the actor was told of it
 */
import type { Command, Of, Receipt, Replies, Reply } from "@agon/domain/season/Command.ts"
import { checkClosing } from "./audit/Closing.ts"
import { checkMatches } from "./audit/Matches.ts"
import { must } from "./audit/Promise.ts"
import * as Ratings from "./audit/Ratings.ts"
import * as Receipts from "./audit/Receipts.ts"
import { checkRounds, isComplete } from "./audit/Rounds.ts"
import { checkSubmission } from "./audit/Submissions.ts"
import * as Versions from "./audit/Versions.ts"
import { activeOn, isDead, LADDERS } from "./audit/Window.ts"
import type { View } from "./View.ts"

export interface Auditor {
  /** The rows as of the last commit. */
  readonly rows: () => View
  /** Matches that have ended, by the rows so far. */
  readonly ended: ReadonlySet<string>
  readonly asked: (command: Command) => void
  /** At the moment of the reply. A result's receipt is the one that its runner gets in the end. */
  readonly told: (command: Command, reply: Reply, at: number) => void
  readonly committed: (view: View) => void
  /** A step of the world is over: what was asked long before it cannot be obeyed any more. */
  readonly stepped: () => void
  /** Nothing is on its way and the actor runs: what was due by `at` has happened. */
  readonly punctual: (at: number) => void
  /** Honest runners found nothing more to do. */
  readonly rested: () => void
}

/** Commands of so many steps may still be obeyed: a commit that was reported as failed lands before the next claim. */
const RECENT_STEPS = 3

export const make = (empty: View): Auditor => {
  const ratings = Ratings.make()
  const versions = Versions.make()
  const receipts = Receipts.make()
  const asked: Array<Array<Command>> = [[]]
  let rows = empty
  let before = empty
  let podium = ""

  const ended = new Set<string>()
  return {
    ended,
    rows: () => rows,
    asked: (command) => {
      receipts.asked(command)
      asked[0]!.push(command)
    },
    stepped: () => {
      asked.unshift([])
      asked.length = Math.min(asked.length, RECENT_STEPS)
      before = rows
    },
    told: (command, reply, at) => {
      if (command._tag === "LeaseWork") receipts.leased(command, reply as Replies["LeaseWork"], rows)
      else if (command._tag === "Heartbeat") receipts.beaten(reply as Replies["Heartbeat"], before)
      else if (command._tag === "SubmitVersion") checkSubmission(command, reply as Replies["SubmitVersion"], at, before, rows)
      else if (isResult(command)) receipts.settled(command, reply as Receipt, before, rows)
      else if (command._tag === "SwitchBoard" && "enabled" in (reply as object)) {
        must(rows.boards.get(command.board)?.enabled === command.enabled, "no reply before its commit", command)
      } else if (command._tag === "RevokeKey") {
        const kept = [...rows.live.values(), ...rows.reviews.values()].find(({ key, until }) => key === command.key && until !== null)
        must(kept === undefined, "a revoked key holds nothing", command, kept)
      } else if (command._tag === "CloseSeason") must(rows.head.phase !== "open", "no reply before its commit", command)
    },
    committed: (now) => {
      for (const { id } of now.ended) ended.add(id)
      const window = { before: rows, now, recent: asked.flat() }
      receipts.check(window)
      checkMatches(window)
      versions.check(window)
      ratings.check(window)
      checkRounds(window)
      checkClosing(window)
      rows = now
    },
    punctual: (at) => {
      checkPunctual(rows, at)
      if (rows.head.phase !== "closed") return
      podium ||= JSON.stringify(rows.head.podium)
      must(podium === JSON.stringify(rows.head.podium), "the podium stays", rows.head)
    },
    rested: () => {
      const left = LADDERS.filter((ladder) => !isDead(rows, ladder)).map((ladder) => [
        ladder,
        activeOn(rows, ladder).map(({ credit }) => credit)
      ])
      must(isComplete(rows), "every entry gets the games that a round owes it", rows.head, left)
      must(rows.live.size === 0 || ![...rows.live.values()].some(({ until }) => until === null), "nothing waits for nobody", [
        ...rows.live.values()
      ])
    }
  }
}

/** What was due by now has happened. */
const checkPunctual = ({ head, live, reviews, rounds, versions }: View, at: number): void => {
  for (const work of [...live.values(), ...reviews.values()])
    must(work.until === null || work.until > at, "a lease that ran out is taken back", work, at)
  for (const version of versions.values())
    must(version.upload_until === null || version.upload_until > at, "an upload window ends", version, at)
  if (head.phase === "open") {
    for (const round of rounds)
      must(round.started_at !== null || round.withdrawn || round.starts_at > at, "a round starts at its time", round, at)
  }
  if (head.phase === "closing") must(at < head.close_requested_at! + 60_000, "closed within a minute", head, at)
}

const isResult = (command: Command): command is Of<"ReportMatch"> | Of<"ReportFault"> | Of<"ReportAdmission"> =>
  command._tag === "ReportMatch" || command._tag === "ReportFault" || command._tag === "ReportAdmission"
