/** Answers to runners about their leases and results, held against the rows at the very moment of the reply. */
import type { Command, Of, Receipt, Replies, Work } from "@agon/domain/season/Command.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { View } from "../View.ts"
import { must } from "./Promise.ts"
import type { Window } from "./Window.ts"

type Result = Of<"ReportMatch"> | Of<"ReportFault"> | Of<"ReportAdmission">
interface Holder {
  readonly key: string | null
  readonly runner: string | null
}
interface Answered {
  readonly text: string
  readonly verdict: string | undefined
}

export interface Receipts {
  readonly asked: (command: Command) => void
  /** Delivered once more: a command that is answered now may have been refused at first. */
  readonly again: (command: Command) => void
  readonly check: (window: Window) => void
  readonly leased: (command: Of<"LeaseWork">, works: Replies["LeaseWork"], rows: View) => void
  readonly settled: (command: Result, receipt: Receipt, before: View, rows: View) => void
  readonly beaten: (beats: Replies["Heartbeat"], before: View) => void
}

const nameOf = (lease: string): [string, number] => {
  const [id = "", n] = lease.split(".")
  return [id, Number(n)]
}

/** Ranks that the seats do not bear out, or seats that the match does not have. */
const isMalformed = ({ outcome: { seats } }: Of<"ReportMatch">, players: number, limit: number): boolean => {
  if (seats.length !== players) return true
  const better = (a: (typeof seats)[number], b: (typeof seats)[number]): boolean => {
    const [out, otherOut] = [a.strikes >= limit, b.strikes >= limit]
    return out === otherOut ? a.score > b.score : otherOut
  }
  return seats.some((seat) => seat.rank !== 1 + seats.filter((other) => better(other, seat)).length)
}

/** Everything said and seen so far. */
interface Book {
  readonly holders: Map<string, Holder> // by lease
  readonly granted: Set<string>
  readonly bodies: Map<number, { readonly command: Of<"ReportMatch">; readonly order: number; readonly last: number }> // by turns: every report has its own
  readonly firsts: Map<string, Answered> // by lease
  readonly accepted: Map<string, number> // by lease: the order of the report that was answered first
  readonly over: Map<string, Ended>
  readonly failed: Set<string> // leases that somebody has said failed: whatever is said after it is its repeat
  readonly struck: Set<string> // leases with a result in which somebody had strikes: it may have been put aside
  readonly refused: Set<string> // versions that somebody has refused: a verdict may be an opinion (Opinions.ts)
  order: number
}

export const make = (): Receipts => {
  const book: Book = {
    holders: new Map(),
    granted: new Set(),
    bodies: new Map(),
    firsts: new Map(),
    accepted: new Map(),
    over: new Map(),
    failed: new Set(),
    struck: new Set(),
    refused: new Set(),
    order: 0
  }
  return {
    asked: (command) => {
      if (command._tag === "ReportAdmission") noteVerdict(book, command)
      if (command._tag === "ReportFault") book.failed.add(command.lease)
      if (command._tag !== "ReportMatch") return
      if (command.outcome.seats.some(({ strikes }) => strikes > 0)) book.struck.add(command.lease)
      const order = ++book.order
      book.bodies.set(command.outcome.turns, { command, order, last: order })
    },
    again: (command) => {
      if (command._tag !== "ReportMatch") return
      const { turns } = command.outcome
      book.bodies.set(turns, { ...book.bodies.get(turns)!, last: ++book.order })
    },
    check: (window) => keep(book, window),
    leased: (command, works, rows) => checkLeased(book, command, works, rows),
    settled: (command, receipt, before, rows) => checkSettled(book, command, receipt, before, rows),
    beaten: (beats, before) => {
      for (const beat of beats) {
        if (!("until" in beat)) continue
        const [id, n] = nameOf(beat.lease)
        must(newest(book, before, id) <= n, "a heartbeat keeps only the newest lease", beat)
      }
    }
  }
}

/** A model that is refused, here by a measurement beyond the world's limits. */
const isRefusal = ({ verdict }: Of<"ReportAdmission">): boolean =>
  verdict.verdict === "rejected" || (verdict.verdict === "admitted" && (verdict.infer_us > 20_000 || verdict.memory.cell > 0))

const noteVerdict = ({ failed, refused }: Book, command: Of<"ReportAdmission">): void => {
  if (command.verdict.verdict === "failed") failed.add(command.lease)
  if (isRefusal(command)) refused.add(nameOf(command.lease)[0])
}

/** Whether the work may go on though this report was accepted. */
const mayGoOn = ({ failed, refused, struck }: Book, command: Result): boolean =>
  failed.has(command.lease) || struck.has(command.lease) || (command._tag === "ReportAdmission" && refused.has(nameOf(command.lease)[0]))

/** The newest lease of a piece of work, open or over. */
const newest = ({ over }: Book, rows: View, id: string): number =>
  rows.live.get(id)?.lease_n ?? over.get(id)?.lease_n ?? rows.reviews.get(id)?.lease_n ?? rows.versions.get(id)?.admit_attempt ?? 0

const keep = ({ bodies, holders, over }: Book, { now }: Window): void => {
  for (const match of now.live.values()) if (match.lease_n > 0) holders.set(`${match.id}.${match.lease_n}`, match)
  for (const { key, lease_n, runner, version } of now.reviews.values())
    if (lease_n > 0) holders.set(`${version}.${lease_n}`, { key, runner })
  for (const match of now.ended) {
    over.set(match.id, match)
    if (match.lease_n > 0) holders.set(`${match.id}.${match.lease_n}`, match)
    if (match.turns === null) continue
    const body = bodies.get(match.turns)?.command
    must(
      body !== undefined && body.lease === `${match.id}.${match.lease_n}` && body.key === match.key,
      "only the holder's result counts",
      match,
      body
    )
    must(!isMalformed(body!, match.versions.length, now.settings.rules.match.strike_limit), "a malformed result changes nothing", match)
    const same = match.seats.every((seat, i) => {
      const { rank, score, strikes } = body!.outcome.seats[i]!
      return seat.version === match.versions[i] && seat.rank === rank && seat.score === score && seat.strikes === strikes
    })
    must(same, "a result is kept as it was reported", match, body)
    const { bytes, content = null, hash } = body!.outcome.replay!
    const { replay_bytes, replay_content, replay_hash } = match
    must(replay_hash === hash && replay_bytes === bytes && replay_content === content, "a match has the replay of its result", match, body)
  }
  for (const match of now.rewritten) over.set(match.id, match)
}

const checkLeased = (book: Book, command: Of<"LeaseWork">, works: Replies["LeaseWork"], rows: View): void => {
  must(works.length <= command.max, "nobody gets more than asked for", command, works)
  for (const work of works) {
    const [id, n] = nameOf(work.lease)
    must(!book.granted.has(work.lease), "a lease is granted once", work)
    book.granted.add(work.lease)
    const known = book.holders.get(work.lease)?.key === command.key
    const decided = newest(book, rows, id) === n && rows.versions.has(id) && !rows.reviews.has(id) // in its own batch, by a guess or a close
    must(known || decided || newest(book, rows, id) > n, "no reply before its commit", work)
    checkWork(command, work, rows)
  }
}

const checkSettled = (book: Book, command: Result, receipt: Receipt, before: View, rows: View): void => {
  const [id, n] = nameOf(command.lease)
  const version = rows.versions.get(id)
  const reason = receipt.accepted ? "accepted" : receipt.reason
  // A review that was judged in the batch that leased it left no row but its version's.
  const judge = version !== undefined && version.admit_attempt === n ? { key: version.admit_key, runner: null } : undefined
  const holder = book.holders.get(command.lease) ?? judge
  const cutOff = version?.status === "rejected" && version.admit_key === null && version.admit_attempt === n // before anybody had judged it
  // A lease that was granted, answered by a guess and followed by the next in one batch has left no row.
  if (holder === undefined && newest(book, before, id) < n && newest(book, rows, id) > n)
    return must(reason !== "accepted" || mayGoOn(book, command), "only what has failed or is doubted is handed out again", command, receipt)
  if (holder === undefined || holder.key !== command.key) {
    const old = newest(book, rows, id) > n || cutOff
    return must(reason === "unknown" || (old && reason === "lost"), "only the holder is answered", command, receipt, holder)
  }
  const early = newest(book, before, id) < n // guessed before it was granted, in the same batch
  if (reason === "unknown") return must(early, "the holder is known", command, version, book.over.get(id))
  if (receipt.accepted) checkAccepted(book, command, before, rows)
  else checkRefused(book, command, reason, rows)
  if (reason === "malformed") return
  const first = book.firsts.get(command.lease)
  const verdict = command._tag === "ReportAdmission" ? command.verdict.verdict : undefined
  if (first === undefined) book.firsts.set(command.lease, { text: reason, verdict })
  else if (first.text !== reason) {
    // An old lease answers `lost` whoever asks: one that was given back, or failed through the machine's fault,
    // grows old. A repeat of a failed review is accepted whatever it says, and may be heard first: then the
    // review has been handed out again since.
    const again = verdict === undefined || newest(book, rows, id) > n
    const failed = first.verdict === "failed" || (again && mayGoOn(book, command))
    const withdrawn = reason === "withdrawn" && book.struck.has(command.lease) // while it was to be played again
    const aged = reason === "lost" && (first.text === "released" || failed || newest(book, rows, id) > n)
    must(
      withdrawn || (aged && !(first.text === "accepted" && !failed)),
      "a repeated result gets the first answer",
      command,
      first.text,
      reason
    )
  }
}

const checkAccepted = (book: Book, command: Result, before: View, rows: View): void => {
  const { accepted, bodies, failed, order, over, struck } = book
  const [id, n] = nameOf(command.lease)
  if (command._tag === "ReportAdmission") {
    const version = rows.versions.get(id)
    const decided = version !== undefined && version.phase !== "review"
    return must(decided || mayGoOn(book, command), "an accepted verdict is kept", command, version)
  }
  const match = over.get(id)
  const tried = rows.live.get(id)?.tries.some((each) => each.n === n && each.reason !== "runner_lost") === true
  if (tried) return must(mayGoOn(book, command), "only what somebody could not play is tried again", command)
  const live = before.live.get(id)
  const again = live !== undefined && live.lease_n <= n && (match?.lease_n ?? 0) > n // handed out again, and over, in the same batch
  if (again) return must(mayGoOn(book, command), "only what somebody could not play is tried again", command, match)
  if (match?.ending === "cancelled" && match.lease_n === n)
    return must(
      (match.fault_reason !== null && failed.has(command.lease)) || struck.has(command.lease),
      "an accepted result is kept",
      command,
      match
    )
  must(match !== undefined && match.lease_n === n, "an accepted result is kept, and no other lease's", command, match)
  must(["rated", "finished", "failed"].includes(match!.ending), "an accepted result is kept", command, match)
  if (match!.ending === "failed") must(match!.fault_reason !== "runner_lost", "an accepted result is kept", command, match)
  if (match!.turns === null || accepted.has(command.lease)) return
  accepted.set(command.lease, bodies.get(command._tag === "ReportMatch" ? command.outcome.turns : -1)?.last ?? order)
  must(bodies.get(match!.turns)!.order <= accepted.get(command.lease)!, "the first result counts", command, match)
}

const checkRefused = (book: Book, command: Result, reason: string, rows: View): void => {
  const [id, n] = nameOf(command.lease)
  const row = rows.live.get(id) ?? book.over.get(id)
  const review = rows.reviews.get(id)
  const ended = book.over.get(id)
  if (reason === "malformed") {
    must(command._tag === "ReportMatch", "only a result of a match can contradict itself", command)
    const limit = rows.settings.rules.match.strike_limit
    return must(isMalformed(command as Of<"ReportMatch">, row!.versions.length, limit), "a sound result is taken", command, row)
  }
  if (reason === "withdrawn") return must(ended?.ending === "cancelled", "only a match that was withdrawn is answered so", command, ended)
  if (reason === "released") {
    const back = newest(book, rows, id) > n || (row ?? review ?? { released: true }).released // taken up again, or over, in the same batch
    return must(back, "only a lease that was given back is answered so", command, row, review)
  }
  const unreviewed = rows.versions.get(id)?.status === "rejected"
  must(
    newest(book, rows, id) > n || ended?.fault_reason === "runner_lost" || unreviewed,
    "a lease that nobody took is not lost",
    command,
    row
  )
}

/** Work is handed out as the rows say, to a fleet that the season takes. */
const checkWork = (command: Of<"LeaseWork">, work: Work, rows: View): void => {
  must(command.engine_digest === rows.settings.engine_digest, "a runner without the engine gets no work", command)
  must(work.kind === "match" ? command.matches : command.admissions, "a runner gets what it accepts", command, work)
  if (work.kind !== "match") return
  const row = rows.live.get(work.match)
  const same = row === undefined || (row.seed === work.seed && row.board === work.board && row.versions.join() === work.versions.join())
  must(same && work.is_trial === (work.ladder === null), "a lease is what the rows say", work, row)
}
