/**
 * The first sandbox process, under the strongest isolation that works on this machine, which the later ones then have too.
 *
 *   ready ──▶ taken
 *   late  ──▶ started again, STARTS times in all: a busy machine is no reason for a weaker isolation
 *   died  ──▶ started again once, since a process may die by accident; then the next weaker isolation
 */
import { Effect } from "effect"
import type { Isolation } from "./isolation.ts"
import type { Outcome, SandboxProcess } from "./Process.ts"

const STARTS = 3
const DEATHS_MAX = 2

export interface Start {
  readonly process: SandboxProcess
  readonly outcome: Outcome
}

export interface First {
  readonly isolation: Isolation
  /** Undefined where none was ready: each job then tries to start one, under this isolation. */
  readonly process: SandboxProcess | undefined
}

interface Tried {
  readonly process: SandboxProcess | undefined
  readonly deaths: number
  /** Of the last start. */
  readonly detail: string
}

const tryOne = Effect.fnUntraced(function* (start: Effect.Effect<Start>): Effect.fn.Return<Tried> {
  let deaths = 0
  let detail = ""
  for (let n = 0; n < STARTS && deaths < DEATHS_MAX; n++) {
    const { outcome, process } = yield* start
    if (outcome.kind === "ready") return { process, deaths, detail }
    process.kill()
    if (outcome.kind === "died") deaths++
    detail = outcome.kind === "died" ? outcome.detail : outcome.kind
  }
  return { process: undefined, deaths, detail }
})

/** `kinds`: the strongest first, at least one. Logs a warning where it is not the first of them, or none was ready. */
export const startFirst = Effect.fnUntraced(function* (
  kinds: readonly [Isolation, ...ReadonlyArray<Isolation>],
  start: (isolation: Isolation) => Effect.Effect<Start>
): Effect.fn.Return<First> {
  const [wanted] = kinds
  let [isolation] = kinds
  let why = ""
  for (isolation of kinds) {
    const { deaths, detail, process } = yield* tryOne(start(isolation))
    if (process !== undefined) {
      if (isolation !== wanted) yield* Effect.logWarning("the sandbox is weaker than this machine permits", { wanted, isolation, why })
      return { isolation, process }
    }
    why = detail
    if (deaths < DEATHS_MAX) break
  }
  yield* Effect.logWarning("no sandbox process has started", { isolation, why })
  return { isolation, process: undefined }
})
