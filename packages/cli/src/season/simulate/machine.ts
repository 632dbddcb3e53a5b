/**
 * Our pairing: the season machine itself, restored from rows as a service restores it and asked for one match
 * at a time. Entries are on the open ladder only, so that a match moves one ladder, but for those named `inClass`,
 * which have a class of their own beside it.
 */

import { ranksOf } from "@agon/domain/match/Outcome.ts"
import { START } from "@agon/domain/rating/Rating.ts"
import type { Command, MatchOutcome, Work } from "@agon/domain/season/Command.ts"
import { freshHead } from "@agon/domain/season/Head.ts"
import { ladderNamed } from "@agon/domain/season/Ladders.ts"
import { uuidOf } from "@agon/domain/season/Random.ts"
import { DEFAULT_RULES, LADDERS, type Ladder } from "@agon/domain/season/Rules.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore, type Snapshot, type State } from "@agon/domain/season/State.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { type FieldOptions, type Outcome, sourceOf } from "./Field.ts"
import type { League } from "./League.ts"

const OPENED_MS = 1_700_000_000_000
const WEIGHTS_BYTES = 2_000_000
const DIGEST = "0".repeat(64)
const RUNNER = { runner: "runner", key: "key", fleet: "platform", engine_digest: DIGEST, matches: true, admissions: true } as const
const BOARD = "board"
const CLASS: Ladder = "micro"
const STRIKES = DEFAULT_RULES.match.strike_limit

type Entry = Pick<Version, "id" | "model" | "owner" | "number" | "weights_hash" | "manifest_hash">

const entryOf = (slot: number, number: number, id: string): Entry => ({
  id,
  model: `model-${slot}`,
  owner: `owner-${slot}`,
  number,
  weights_hash: `weights-${slot}-${number}`,
  manifest_hash: `manifest-${slot}-${number}`
})

export const machine = ({ entries, seats }: FieldOptions, seed: number, inClass: ReadonlyArray<number> = []): League => {
  const ids = sourceOf(seed, 11)
  const newId = (n: number) => uuidOf(ids, OPENED_MS, n)
  const field = Array.from({ length: entries }, (_, slot) => entryOf(slot, 1, newId(slot)))
  const slots = new Map(field.map(({ id }, slot) => [id, slot]))
  const state = restore(rowsOf(newId(entries), field, seats, inClass))
  let now_ms = OPENED_MS
  let held: Work | undefined
  const obey = <C extends Command>(command: C) => {
    const reply = step(state, command, now_ms)
    committed(state) // as after a commit: nothing left to write
    return reply
  }
  const lease = () => obey({ _tag: "LeaseWork", ...RUNNER, max: 1 })[0]
  const report = (work: Work, { crashed, scores }: Outcome) => {
    const accepted = obey({ _tag: "ReportMatch", key: RUNNER.key, lease: work.lease, outcome: resultOf(scores, crashed) })
    if (!accepted.accepted) throw new Error(`a result was refused: ${accepted.reason}`)
  }
  return {
    pair: () => {
      now_ms++
      held = lease()
      if (held?.kind !== "match" || held.is_trial) throw new Error("no rated match was handed out")
      return held.versions.map((id) => slots.get(id)!)
    },
    report: (outcome) => report(held!, outcome),
    renew: (slot) => {
      const old = field[slot]!
      const entry = entryOf(slot, old.number + 1, newId(entries + slots.size))
      field[slot] = entry
      slots.set(entry.id, slot)
      obey(submissionOf(entry))
      while (state.versions_by_id.get(entry.id)?.status === "testing") {
        const work = lease()!
        if (work.kind === "admission") obey({ _tag: "ReportAdmission", key: RUNNER.key, lease: work.lease, verdict: ADMITTED })
        else report(work, { scores: work.versions.map(() => 1), crashed: work.versions.map(() => false) })
      }
    },
    rating: (slot) => openOf(state).ratings.get(field[slot]!.id)!
  }
}

const openOf = (state: State) => ladderNamed(state, "open")

const ADMITTED = {
  verdict: "admitted",
  runtime_version: "simulation",
  param_count: 1,
  infer_us: 1,
  memory: { flat: 0, cell: 0 }
} as const

const resultOf = (scores: ReadonlyArray<number>, crashed: ReadonlyArray<boolean>): MatchOutcome => {
  const ranks = ranksOf(scores, crashed)
  return {
    runtime_version: "simulation",
    reason: "last_standing",
    turns: 1,
    played_ms: 1,
    seats: scores.map((score, seat) => ({ score, rank: ranks[seat]!, strikes: crashed[seat] ? STRIKES : 0 })),
    state_sha256: "0".repeat(64),
    replay: null
  }
}

const submissionOf = ({ id, ...entry }: Entry): Extract<Command, { _tag: "SubmitVersion" }> => ({
  _tag: "SubmitVersion",
  version: id,
  ...entry,
  note: null,
  eligible: true,
  retired: false,
  files: { weights_bytes: WEIGHTS_BYTES, manifest_bytes: 1 }
})

/** A season in continuous play with everybody entered and nothing played. */
const rowsOf = (id: string, field: ReadonlyArray<Entry>, seats: number, inClass: ReadonlyArray<number>): Snapshot => ({
  id,
  head: { ...freshHead(), now: OPENED_MS, series_at: OPENED_MS, versions: field.length, active: field.length },
  settings: {
    submissions_open_at: OPENED_MS,
    submissions_close_at: OPENED_MS * 2,
    rules: { ...DEFAULT_RULES, cooldown_s: 0, max_versions_per_model: Infinity, trial: { matches: 1 } },
    weight_classes: [{ class: "open", max_bytes: 2 * WEIGHTS_BYTES, memory_flat_bytes: 0, memory_cell_bytes: 0 }],
    fleet: { matches: "both", admissions: "both" },
    fill: { enabled: false, max_per_hour: null },
    engine_digest: DIGEST
  },
  versions: field.map((entry, slot) => ({ ...versionOf(entry, slot + 1), class: inClass.includes(slot) ? CLASS : "open" })),
  left: [],
  owners: [],
  ratings: field.flatMap(({ id: version }, slot) =>
    LADDERS.filter((ladder) => ladder === "open" || (ladder === CLASS && inClass.includes(slot))).map((ladder) => ({
      version,
      ord: slot + 1,
      ladder,
      active: true,
      round: 0,
      ...START,
      matches: 0,
      round_matches: 0,
      ladder_games: 0,
      virtual_games: 0,
      failed: 0,
      forfeits: 0,
      seat_sum: 0,
      trend: null,
      met: [],
      history: [START.mu]
    }))
  ),
  boards: [{ id: BOARD, ord: 1, players: seats, rows: 11, cols: 11, enabled: true, used: [...LADDERS, "trials"].map(() => 0) }],
  rounds: [],
  live: [],
  reviews: [],
  voiding: []
})

const versionOf = (entry: Entry, ord: number): Version => ({
  ...entry,
  ord,
  created_at: OPENED_MS,
  status: "entered",
  phase: null,
  upload_until: null,
  weights_bytes: WEIGHTS_BYTES,
  manifest_bytes: 1,
  class: "open",
  admit_attempt: 1,
  admit_failures: 0,
  admit_key: null,
  param_count: 1,
  infer_us: 1,
  memory_flat: 0,
  memory_cell: 0,
  memory_bytes: 0,
  runtime_version: "simulation",
  reject_reason: null,
  reject_detail: null,
  successor: null,
  trial_played: 0,
  trial_failed: 0,
  trial_void: 0,
  disqualified: false,
  owner_removed: false,
  streak: null
})
