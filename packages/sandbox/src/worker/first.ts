/**
 * The first sandbox process, under the strongest isolation that works on this machine, which the later ones then have too.
 *
 *   ready           ──▶ taken
 *   late, unstarted ──▶ started again, STARTS times in all: a busy machine is no reason for a weaker isolation
 *   died            ──▶ started again once, since a process may die by accident; then the next weaker isolation
 */
import { Effect } from "effect"
import type { Command } from "./isolation.ts"
import type { Outcome, SandboxProcess } from "./Process.ts"

const STARTS = 3
const DEATHS_MAX = 2

export interface Start {
  readonly process: SandboxProcess
  readonly outcome: Outcome
}

export interface First {
  readonly command: Command
  /** Undefined where none was ready: each job then tries to start one, with this command. */
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
    detail = "detail" in outcome ? outcome.detail : outcome.kind
  }
  return { process: undefined, deaths, detail }
})

/** `commands`: the strongest first, at least one. Logs a warning where the isolation is not that of the first, or none was ready. */
export const startFirst = Effect.fnUntraced(function* (
  commands: readonly [Command, ...ReadonlyArray<Command>],
  start: (command: Command) => Effect.Effect<Start>
): Effect.fn.Return<First> {
  const wanted = commands[0].isolation
  let [command] = commands
  let why = ""
  for (command of commands) {
    const { isolation } = command
    const { deaths, detail, process } = yield* tryOne(start(command))
    if (process !== undefined) {
      if (isolation !== wanted) yield* Effect.logWarning("the sandbox is weaker than this machine permits", { wanted, isolation, why })
      return { command, process }
    }
    why = detail
    if (deaths < DEATHS_MAX) break
  }
  yield* Effect.logWarning("no sandbox process has started", { isolation: command.isolation, why })
  return { command, process: undefined }
})
