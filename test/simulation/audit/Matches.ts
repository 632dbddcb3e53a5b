/**
 * Matches are conserved. A waiting one may start, and a leased one comes back only for a
 * reason. Nobody plays two at once.
 */
import type { Command } from "@agon/domain/season/Command.ts"
import { matchOwn_ms } from "@agon/domain/season/Lease.ts"
import type { Board, Ended, OpenMatch } from "@agon/domain/season/scheduler/Match.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import type { View } from "../View.ts"
import { must } from "./Promise.ts"
import { faulted, givenBack, heardThroughout, isStruckOut, LADDERS, leaseOf, ownerOf, pairableOn, putAside, type Window } from "./Window.ts"

const CLOSING_MS = 60_000
const LEASE_MS = 30_000

export const checkMatches = (window: Window): void => {
  checkCounts(window)
  checkQueue(window)
  checkSeats(window)
  checkStarts(window)
  checkInFlight(window)
  checkLeases(window)
  for (const match of window.now.ended) {
    if (match.ending === "cancelled") checkWithdrawn(window, match)
    if (match.ending === "failed") checkFailed(window, match)
  }
}

const checkCounts = (window: Window): void => {
  const { before, now } = window
  const { head, live } = now
  must(head.matches === live.size + now.endedCount, "queued + playing + ended = created", head.matches, live.size, now.endedCount)
  must(now.endedCount === before.endedCount + now.ended.length, "a match ends once", before.endedCount, now.ended.length)
  const numbers = new Set(window.created.map(({ n }) => n))
  must(numbers.size === head.matches - before.head.matches && window.created.length === numbers.size, "a match is in one place", [
    ...numbers
  ])
  for (const { id } of now.ended) must(!live.has(id), "a match that ended is not open", id)
  for (const board of now.boards.values()) checkUse(window, board)
}

/** A board is used once a match; one that comes into play starts no further behind than the others are. */
const checkUse = (window: Window, { enabled, id, used }: Board): void => {
  const { before, recent } = window
  const was = before.boards.get(id)
  const more = used.reduce((sum, n, i) => sum + n - (was?.used[i] ?? 0), 0)
  const made = window.created.filter((match) => match.board === id).length
  const isSwitchedOn = (board: string) => recent.some((each) => each._tag === "SwitchBoard" && each.board === board && each.enabled)
  if (!isSwitchedOn(id)) must(more === made, "a board is used once a match", id, more, made)
  else must(more >= made, "a board is used once a match", id, more, made)
  if (!enabled || was?.enabled === true) return
  const others = [...before.boards.values()].filter((each) => each.id !== id && (each.enabled || isSwitchedOn(each.id)))
  used.forEach((n, i) => {
    const least = Math.min(...others.map((other) => other.used[i]!))
    must(others.length === 0 || n >= least, "a board that comes into play is not played alone", id, n, least)
  })
}

/** Whatever is queued may start at once. */
const checkQueue = ({ now }: Window): void => {
  const { boards, head, live, versions } = now
  for (const match of live.values()) {
    must(match.until === null || match.until > head.now, "a lease that ran out is taken back", match, head.now)
    must(match.losses < 3, "three losses fail a match", match)
    if (match.until !== null) continue
    must(head.phase === "open", "nothing is queued in a season that closes", match)
    must(boards.get(match.board)!.enabled, "nothing is queued on a board that is off", match)
    must(match.ladder === null || match.round === head.round, "nothing is queued for a round that is over", match, head.round)
    for (const id of match.versions) {
      const { phase, status } = versions.get(id)!
      must(
        (status === "entered" && phase === null) || (id === match.candidate && phase === "trial"),
        "only what is in play is queued",
        match,
        status
      )
    }
  }
}

const checkSeats = (window: Window): void => {
  const { now } = window
  for (const match of window.created) {
    must(match.versions.length === now.boards.get(match.board)!.players, "every seat of the board is taken", match)
    if (match.ladder === null) continue
    must(new Set(match.versions).size === match.versions.length, "nobody sits twice in a rated match", match)
    must(new Set(match.versions.map((id) => ownerOf(now, id))).size > 1, "no owner plays with itself alone", match)
  }
  const seated = new Set<string>()
  for (const match of now.live.values()) {
    if (match.ladder === null || match.round !== now.head.round) continue
    for (const id of match.versions) {
      must(!seated.has(`${match.ladder} ${id}`), "an entry plays one match of a ladder at a time", id)
      seated.add(`${match.ladder} ${id}`)
    }
  }
}

/** A lease may begin and end in one commit, also by a runner that guesses its name. */
const endsALease = (now: View, command: Command): boolean =>
  ["HoldOnly", "RevokeKey", "ReportFault"].includes(command._tag) || (command._tag === "ReportMatch" && isStruckOut(now, command))

/** A match whose lease is new in this commit was allowed to start by the rows on one side of it. */
const checkStarts = ({ before, now, recent }: Window): void => {
  for (const match of [...now.live.values(), ...now.ended]) {
    const leases = match.lease_n - (before.live.get(match.id)?.lease_n ?? 0)
    must(leases >= 0, "leases count upwards", match)
    if (leases === 0) continue
    must(leases === 1 || recent.some((command) => endsALease(now, command)), "a match is leased once at a time", match)
    must(before.head.phase === "open", "nothing starts in a season that closes", match)
    must(match.ladder === null || now.head.now >= now.settings.submissions_open_at, "nothing rated starts before the season", match)
    const on = [before, now].some(({ boards }) => boards.get(match.board)?.enabled)
    must(on, "no match starts on a board that is off", match)
    for (const id of match.versions) {
      const [was, is] = [before.versions.get(id)?.status, now.versions.get(id)!.status]
      must(was !== "superseded" && was !== "rejected", "no match starts with a version that was superseded", match, id)
      must(was !== "disabled" || is === "entered", "no match starts with a baseline that is off", match, id)
    }
  }
}

/**
 * At most one match for six entries is being played on a ladder, with at most two thirds of them: those before the commit,
 * and those that joined in it, gone again or not. One that lasts longer than its rules let it does not count.
 */
const checkInFlight = ({ before, now }: Window): void => {
  for (const ladder of LADDERS) {
    const playing = [...now.live.values()].filter((match) => match.ladder === ladder && match.until !== null)
    if (!playing.some(({ id, lease_n }) => lease_n > (before.live.get(id)?.lease_n ?? 0))) continue
    const joined = [...now.ratings].flatMap(([place, row]) => (row.ladder === ladder && !before.ratings.has(place) ? [row] : []))
    const active = new Set([...pairableOn(before, ladder), ...pairableOn(now, ladder), ...joined].map(({ version }) => version)).size
    const inTime = playing.filter(({ leased_at, versions }) => leased_at! + matchOwn_ms(now.settings.rules, versions.length) > now.head.now)
    must(inTime.length <= Math.max(1, Math.floor(active / 6)), "n/6 matches in flight", ladder, inTime.length, active)
    const seated = inTime.reduce((sum, { versions }) => sum + versions.length, 0)
    must(inTime.length === 1 || 3 * seated <= 2 * active, "a third of the entries is free", ladder, seated, active)
  }
}

const checkLeases = (window: Window): void => {
  const { before, now, recent } = window
  for (const was of before.live.values()) {
    const is = now.live.get(was.id)
    if (was.until === null) {
      if (is !== undefined) checkQueued(window, was, is)
      continue
    }
    if (is === undefined) continue
    const lease = leaseOf(was)
    if (is.lease_n === was.lease_n && is.until !== null) {
      must(is.losses === was.losses && is.key === was.key && is.runner === was.runner, "a lease has one holder", was, is)
      if (is.until === was.until) continue
      const beat = recent.some((command) => command._tag === "Heartbeat" && command.key === was.key && command.leases.includes(lease))
      must(
        (beat || window.returned) && is.until !== was.until && is.until <= now.head.now + LEASE_MS,
        "only its holder's heartbeat prolongs a lease",
        was,
        is
      )
    } else if (is.losses === was.losses)
      must(givenBack(window, lease, was) || putAside(window, lease, was), "a lease that was not given back costs an attempt", was, is)
    else {
      const why = was.until <= now.head.now || faulted(window, lease, was)
      const anew = isAnsweredAnew(window, was, is)
      const once = why || (anew && (givenBack(window, lease, was) || putAside(window, lease, was)))
      const right = is.losses === was.losses + 1 ? once : is.losses === was.losses + 2 && why && anew
      must(right, "only a lease that ran out is lost, or that was reported so", was, is)
    }
    if (is.lease_n > was.lease_n && is.until !== null) checkElsewhere(window, is)
  }
}

/** A lease may begin and be answered in one commit, by a runner that guesses its name, and another begin after it. */
const isAnsweredAnew = (window: Window, was: OpenMatch, is: OpenMatch): boolean =>
  is.tries.some(({ key, n }) => n > was.lease_n && faulted(window, leaseOf({ id: is.id, lease_n: n }), { key }))

const checkQueued = (window: Window, was: OpenMatch, is: OpenMatch): void => {
  const answered = is.losses === was.losses + 1 && isAnsweredAnew(window, was, is)
  must(is.losses === was.losses || answered, "only what is leased is lost", was, is)
}

const AGAIN_MS = 30_000
const CONFIRMED_MS = 300_000

/** A key that has reported that a match cannot be played, or that its candidate fails, is not given it again for a while. */
const checkElsewhere = ({ now }: Window, { key, tries, ...match }: OpenMatch): void => {
  const again = tries.find(
    (each) =>
      each.reason !== "runner_lost" && each.key === key && now.head.now < each.at + (each.reason === "struck_out" ? CONFIRMED_MS : AGAIN_MS)
  )
  must(again === undefined, "a match is tried elsewhere", match, again)
}

/** Only queued matches are withdrawn, each for a reason that is there to see. */
const checkWithdrawn = (window: Window, match: Ended): void => {
  const { before, now } = window
  const was = before.live.get(match.id)
  const overtime =
    now.head.close_requested_at !== null && match.ended_at >= now.head.close_requested_at + now.head.closing_away_ms + CLOSING_MS
  const back = was === undefined || [givenBack, faulted, putAside].some((isBack) => isBack(window, leaseOf(was), was))
  if (was !== undefined && was.until !== null && was.until > match.ended_at && !back)
    must(overtime && match.withdrawn_reason === "season_closed", "a match that is being played is not withdrawn", match, was)
  const versions = match.versions.map((id) => now.versions.get(id)!)
  const reasons = {
    superseded: versions.some(({ status, successor }) => status === "superseded" && successor === match.successor),
    baseline_disabled: versions.some(({ id, status }) => status === "disabled" || before.versions.get(id)?.status === "disabled"),
    board_disabled: [before, now].some(({ boards }) => boards.get(match.board)?.enabled === false),
    season_closed: now.head.phase !== "open" || now.versions.get(match.candidate ?? "")?.status === "rejected",
    disqualified: isOut(window, match, ({ disqualified }) => disqualified),
    owner_removed: isOut(window, match, ({ owner_removed }) => owner_removed),
    suspended: versions.some(
      (version) => isSuspended(version) || isSuspended(before.versions.get(version.id)) || wasSuspended(window, version)
    ),
    round_reset: match.ladder !== null && match.round < now.head.round
  }
  must(match.withdrawn_reason !== null && reasons[match.withdrawn_reason], "a match is withdrawn for a reason that holds", match)
}

const isSuspended = (version: Version | undefined): boolean => version?.phase === "suspended"

/** In one commit the match may have failed for which an entry was suspended, and a newer version have taken its place, or it was let in again. */
const wasSuspended = ({ now, recent }: Window, { id, status }: Version): boolean =>
  now.ended.some(({ ending, versions }) => ending === "failed" && versions.includes(id)) &&
  (status !== "entered" || recent.some((command) => command._tag === "Reinstate" && command.version === id))

/** An entry may have gone and come back in one commit. */
const isOut = ({ before, now }: Window, { versions }: Ended, why: (version: Version) => boolean): boolean =>
  versions.some((id) => [before, now].some((view) => why(view.versions.get(id)!)))

const checkFailed = (window: Window, match: Ended): void => {
  const was = window.before.live.get(match.id)
  const lost = was !== undefined && was.until !== null && was.until <= match.ended_at
  if (match.fault_reason === "runner_lost") must(lost, "only a lease that ran out is lost", match, was)
  else must(was !== undefined && faulted(window, leaseOf(match), match), "only what a runner could not play fails", match, was)
  const third = was!.losses === 2 && match.lease_n >= 3
  const first = match.fault_reason !== "runner_lost" && !othersPlay(window, match)
  must(third || first, "a match fails at its third try, or where nobody else plays", match, was)
}

/** For as long as the commit lasted: another key was heard of, or another runner held a match. */
const othersPlay = (window: Window, { key, runner }: Ended): boolean => {
  const { before, now } = window
  const held = ({ live }: View) => [...live.values()].filter((each) => each.until !== null && each.runner !== runner).map(leaseOf)
  return heardThroughout(window, ({ keys }) => keys).some((each) => each !== key) || held(before).some((each) => held(now).includes(each))
}
