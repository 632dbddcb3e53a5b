/** A season for the tests beside this file: entries, boards, a runner, and a driver that plays it. */
import type { Command, MatchOutcome, ReplyTo, Work } from "../Command.ts"
import { freshHead } from "../Head.ts"
import { DEFAULT_RULES, type Rules, type Settings } from "../Rules.ts"
import { step } from "../Season.ts"
import { restore, type State } from "../State.ts"

export const SEASON = "01980000-0000-7000-8000-000000000001"
export const DIGEST = "d".repeat(64)
export const OPENED = 1_000_000
export const RUNNER = { runner: "r1", key: "k1", fleet: "platform", engine_digest: DIGEST, matches: true, admissions: true } as const

/** A readable id: `id("a", 1)` is one of kind a. */
export const id = (kind: string, n: number): string => `${kind.repeat(8).slice(0, 8)}-0000-7000-8000-${String(n).padStart(12, "0")}`
export const owner = (n: number) => id("0", n)
export const model = (n: number) => id("1", n)
export const version = (n: number, number = 1) => id("2", n * 1_000 + number)

const classes = (["nano", "micro", "mini", "small", "large", "open"] as const).map((name, i) => ({
  class: name,
  max_bytes: 1_000 * 4 ** i,
  memory_flat_bytes: 256,
  memory_cell_bytes: 16
}))

export const settings = (rules: Partial<Rules> = {}): Settings => ({
  submissions_open_at: OPENED,
  submissions_close_at: OPENED + 1e10,
  rules: { ...DEFAULT_RULES, cooldown_s: 0, ...rules },
  weight_classes: classes,
  fleet: { matches: "both", admissions: "both" },
  fill: { enabled: false, max_per_hour: null },
  engine_digest: DIGEST
})

export const empty = (rules: Partial<Rules> = {}): State =>
  restore({
    id: SEASON,
    head: freshHead(),
    settings: settings(rules),
    versions: [],
    left: [],
    owners: [],
    ratings: [],
    boards: [],
    rounds: [],
    live: [],
    reviews: [],
    voiding: []
  })

export const submission = (n: number, over: Partial<Extract<Command, { _tag: "SubmitVersion" }>> = {}) =>
  ({
    _tag: "SubmitVersion",
    version: version(n),
    model: model(n),
    owner: owner(n),
    number: 1,
    weights_hash: `sha256:${id("a", n)}`,
    manifest_hash: `sha256:${id("b", n)}`,
    note: null,
    eligible: true,
    retired: false,
    files: { weights_bytes: 500, manifest_bytes: 100 },
    ...over
  }) as const

export const addBoard = (state: State, board: string, players: number, now: number): void => {
  step(state, { _tag: "AddBoard", board, players, rows: 11, cols: 11, file: {} }, now)
  step(state, { _tag: "SwitchBoard", board, enabled: true }, now)
}

export const ADMITTED = {
  verdict: "admitted",
  runtime_version: "ort",
  param_count: 10,
  infer_us: 100,
  memory: { flat: 0, cell: 0 }
} as const

/** The outcome of a match without strikes. */
export const outcome = (seats: number, winner = 0): MatchOutcome => ({
  runtime_version: "ort",
  reason: "last_standing",
  turns: 10,
  played_ms: 5,
  seats: Array.from({ length: seats }, (_, seat) => ({ score: seat === winner ? 2 : 1, rank: seat === winner ? 1 : 2, strikes: 0 })),
  state_sha256: "e".repeat(64),
  replay: null
})

export const lease = (state: State, now: number, max = 1): ReadonlyArray<Work> => step(state, { _tag: "LeaseWork", ...RUNNER, max }, now)

export const finish = (state: State, work: Work, now: number, winner = 0): ReplyTo<Command> =>
  work.kind === "admission"
    ? step(state, { _tag: "ReportAdmission", key: RUNNER.key, lease: work.lease, verdict: ADMITTED }, now)
    : step(state, { _tag: "ReportMatch", key: RUNNER.key, lease: work.lease, outcome: outcome(work.versions.length, winner) }, now)

/** Enters models 1 to n through review and trial, all of one class; answers the time at which all have entered. */
const enterAll = (state: State, n: number, now: number): number => {
  for (let i = 1; i <= n; i++) step(state, submission(i), now)
  const entered = () => [...state.versions_by_id.values()].filter(({ status }) => status === "entered").length
  for (let at = now; ; at++) {
    const [work] = lease(state, at)
    if (work === undefined) {
      if (entered() === n) return at
      throw new Error(`${entered()} of ${n} entered, and nothing to do`)
    }
    finish(state, work, at)
    if (entered() === n) return at
  }
}

export const season = (entries: number, boards: ReadonlyArray<number> = [2], rules: Partial<Rules> = { trial: { matches: 1 } }) => {
  const state = empty(rules)
  boards.forEach((players, i) => addBoard(state, `b${i}`, players, OPENED))
  const now = entries === 0 ? OPENED : enterAll(state, entries, OPENED)
  return { state, now }
}
