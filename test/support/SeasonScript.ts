/**
 * Commands of a season's people and machines, for tests and measurements: ids that say what they name, a season with
 * defaults, and the few steps that bring an entry onto its ladder.
 */
import type { Command, MatchOutcome, Of, Work } from "@agon/domain/season/Command.ts"
import { DEFAULT_RULES, type Settings, type WeightClass } from "@agon/domain/season/Rules.ts"

/** A UUID of a kind and a number: `id("owner", 3)`. Kinds are told apart by their first group. */
export const id = (kind: "season" | "model" | "owner" | "version" | "runner" | "key" | "audit", n: number): string =>
  `0190000${KINDS.indexOf(kind)}-0000-7000-8000-${n.toString(16).padStart(12, "0")}`
const KINDS: ReadonlyArray<string> = ["season", "model", "owner", "version", "runner", "key", "audit"]

/** Of the seeds of a season's matches. */
export const SECRET = "5e".repeat(32)

const MIB = 1_048_576
const CLASSES: ReadonlyArray<WeightClass> = (["nano", "micro", "mini", "small", "large", "open"] as const).map((name, i) => ({
  class: name,
  max_bytes: MIB * 4 ** i,
  memory_flat_bytes: 4_096,
  memory_cell_bytes: 64
}))

export const settings = (change: Partial<Settings> = {}): Settings => ({
  submissions_open_at: 1_000,
  submissions_close_at: 8_000_000_000_000,
  rules: { ...DEFAULT_RULES, trial: { matches: 1 }, cooldown_s: 0, max_models_per_owner: 1_000 },
  weight_classes: CLASSES,
  fleet: { matches: "both", admissions: "both" },
  fill: { enabled: false, max_per_hour: null },
  engine_digest: "sha256:engine",
  ...change
})

export const submit = (n: number, change: Partial<Of<"SubmitVersion">> = {}): Of<"SubmitVersion"> => ({
  _tag: "SubmitVersion",
  version: id("version", n),
  model: id("model", n),
  owner: id("owner", n),
  number: 1,
  weights_hash: `sha256:w${n}`,
  manifest_hash: `sha256:m${n}`,
  note: `entry ${n}`,
  eligible: true,
  retired: false,
  files: { weights_bytes: 1_000, manifest_bytes: 100 },
  ...change
})

export const lease = (change: Partial<Of<"LeaseWork">> = {}): Of<"LeaseWork"> => ({
  _tag: "LeaseWork",
  runner: id("runner", 1),
  key: id("key", 1),
  fleet: "platform",
  engine_digest: "sha256:engine",
  matches: true,
  admissions: true,
  max: 1,
  ...change
})

export const outcome = (seats: number, winner = 0): MatchOutcome => ({
  runtime_version: "ort 1.30",
  reason: "last_standing",
  turns: 77,
  played_ms: 1_234,
  seats: Array.from({ length: seats }, (_, i) => ({ score: i === winner ? 2 : 1, rank: i === winner ? 1 : 2, strikes: 0 })),
  state_sha256: "sha256:state",
  replay: { hash: "sha256:replay", bytes: 4_321 }
})

/** An honest runner's report of this work. */
export const report = (work: Work, key = id("key", 1), winner = 0): Of<"ReportMatch"> | Of<"ReportAdmission"> =>
  work.kind === "match"
    ? { _tag: "ReportMatch", key, lease: work.lease, outcome: outcome(work.versions.length, winner) }
    : { _tag: "ReportAdmission", key, lease: work.lease, verdict: ADMITTED }

export const ADMITTED = {
  verdict: "admitted",
  runtime_version: "ort 1.30",
  param_count: 5_000_000_000,
  infer_us: 150,
  memory: { flat: 16, cell: 2 }
} as const

export const board = (name: string, players = 2): ReadonlyArray<Command> => [
  { _tag: "AddBoard", board: name, players, rows: 11, cols: 11, file: { name } },
  { _tag: "SwitchBoard", board: name, enabled: true }
]
