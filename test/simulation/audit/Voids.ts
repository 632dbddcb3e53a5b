/**
 * A voided match was to be voided, fails and counts nothing; other matches that are rewritten were
 * rated after it in its round.
 */
import type { Of, Replies } from "@agon/domain/season/Command.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { View } from "../View.ts"
import { isSame } from "./isSame.ts"
import { must } from "./Promise.ts"
import { awaited, type Window } from "./Window.ts"

export const checkVoids = (window: Window): void => {
  const { before, log, now, recent, voided } = window
  for (const row of voided) {
    const was = log.get(row.id)!
    const order = recent.find((command) => command._tag === "VoidMatch" && command.match === row.id) as Of<"VoidMatch"> | undefined
    must(order !== undefined && row.fault_detail === order.detail, "what is voided was asked for", row, order)
    must(was.ending === "rated" || was.ending === "finished", "only what was played is voided", was)
    const nothing = { rank: 0, place: null, made: null, open: null }
    const seats = was.seats.map((seat) => ({ ...seat, ...nothing }))
    const failed = { ending: "failed", rated_n: null, fault_reason: "replay_mismatch", fault_detail: row.fault_detail, seats } as const
    must(isSame(row, { ...was, ...failed }), "a voided match fails and counts nothing", was, row)
    const due = { match: row.id, n: was.rated_n, round: was.round, ladder: was.ladder, versions: was.versions }
    const waits = now.voiding.get(row.id) ?? (now.head.phase === "closed" ? due : undefined)
    must(was.rated_n === null || isSame(waits, due), "what counted waits for ratings without it", waits, due)
  }
  const fresh = new Set(voided.map(({ id }) => id))
  for (const { match } of now.voiding.values()) must(before.voiding.has(match) || fresh.has(match), "what waits was voided", match)
  const waiting = [...awaited(before), ...awaited(now)]
  for (const row of now.rewritten) if (!voided.includes(row)) checkRerated(log.get(row.id)!, row, waiting)
}

const checkRerated = (was: Ended, row: Ended, waiting: ReturnType<typeof awaited>): void => {
  const later = waiting.some(({ n, round }) => was.round === round && (was.rated_n ?? 0) > n)
  must(later, "a match that ended stays as it is, unless one before it is voided or starts are others", was, row)
  const seats = was.seats.map((seat, i) => ({ ...seat, made: row.seats[i]?.made, open: row.seats[i]?.open }))
  must(isSame(row, { ...was, seats }), "re-rating changes ratings alone", was, row)
}

/** Held against the log of matches at the moment of the reply. */
export const checkVoided = (
  { match }: Of<"VoidMatch">,
  reply: Replies["VoidMatch"],
  before: View,
  log: ReadonlyMap<string, Ended>
): void => {
  const row = log.get(match)
  if (reply.voided) return must(row?.fault_reason === "replay_mismatch", "no reply before its commit", match, row)
  if (reply.reason === "already") must(row?.ending === "failed", "what counts can be voided", match, row)
  const unknown = row === undefined || row.ending === "cancelled" || before.live.has(match) // or it has ended only since
  if (reply.reason === "unknown") must(unknown, "what counts can be voided", match, row)
}
