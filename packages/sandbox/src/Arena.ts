/**
 * Examines models and plays matches in sandbox processes, at most `slots` at once. A process is kept from job
 * to job and replaced when it is late or dies. Closing the layer's scope kills all of them.
 *
 * `examine` never fails: a file that hangs or exhausts its instance is rejected with `resource_limit`;
 * if the process dies or misses the deadline, the machine may be the cause, and the verdict is
 * `failed`, to be tried again. `play` fails with `MachineFault` only, which no model can cause: a
 * model's faults cost its seat strikes.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import type { Job } from "./main.ts"
import { lookDeadline_ms, matchDeadline_ms, tooLate } from "./match/deadlines.ts"
import type { Looked, LookRequest } from "./match/look.ts"
import type { MatchReport, MatchRequest } from "./match/Match.ts"
import { processPath } from "./places.ts"
import { runtimeVersion } from "./runtimeVersion.ts"
import type { ExamineRequest, Verdict } from "./Verdict.ts"
import { startFirst } from "./worker/first.ts"
import { type Command, commandsFor, type Isolation } from "./worker/isolation.ts"
import { type Outcome, SandboxProcess } from "./worker/Process.ts"

/** The match could not be played, and no seat is to blame. */
export class MachineFault extends Schema.TaggedError<MachineFault>()("MachineFault", { detail: Schema.String }) {}

const START_DEADLINE_MS = 20_000
/**
 * The examination's own limits are on processor time, about 30 s for both instances. This deadline is for a
 * machine that gives the process almost none, and for a process that hangs.
 */
const EXAMINE_DEADLINE_MS = 300_000
/** A job is tried twice: a process may die by accident once, but twice means that the job kills it. */
const ATTEMPTS = 2

export interface ArenaOptions {
  readonly slots: number
  /** Default: the strongest kind that the machine permits. */
  readonly isolation?: Isolation
}

const started = (process: SandboxProcess): Effect.Effect<Outcome> => Effect.promise(() => process.ready(START_DEADLINE_MS))

interface Pool {
  readonly command: Command
  readonly idle: Array<SandboxProcess>
  closed: boolean
}

/** A process without a job may be killed all the same, as by a kernel that has no memory left. */
const takeIdle = ({ idle }: Pool): SandboxProcess | undefined => {
  let process = idle.pop()
  while (process !== undefined && !process.alive) process = idle.pop()
  return process
}

/** Runs one job in one process. A process that answered becomes idle again; interruption kills it. */
const runOnce = Effect.fnUntraced(function* (pool: Pool, job: Job, deadline_ms: number, attempt: number) {
  let answered = false
  return yield* Effect.acquireUseRelease(
    // The cause that killed one idle process may have killed all, some of them unnoticed so far: a second attempt takes none.
    Effect.sync(() => ({ kept: attempt === 1 ? takeIdle(pool) : undefined })).pipe(
      Effect.map(({ kept }) => ({ process: kept ?? new SandboxProcess(pool.command), fresh: kept === undefined }))
    ),
    Effect.fnUntraced(function* ({ process, fresh }): Effect.fn.Return<Outcome> {
      const start: Outcome = fresh ? yield* started(process) : { kind: "ready" }
      if (start.kind !== "ready")
        return { kind: "died", detail: `The sandbox process did not start: ${whyNot(start, "start it", START_DEADLINE_MS)}` }
      const outcome = yield* Effect.promise(() => process.run(job, deadline_ms))
      answered = true
      return outcome
    }),
    ({ process }) =>
      Effect.sync(() => {
        if (answered && process.alive && !pool.closed) pool.idle.push(process)
        else process.kill()
      })
  )
})

/** Why there is no answer to a job, of which `what` tells what the machine was to do. */
const whyNot = (outcome: Outcome, what: string, deadline_ms: number): string => {
  if ("detail" in outcome) return outcome.detail
  if (outcome.kind === "late") return tooLate(what, deadline_ms)
  return `the sandbox answered "${outcome.kind}"`
}

const verdictOf = (outcome: Outcome): Verdict =>
  outcome.kind === "examined" ? outcome.verdict : { verdict: "failed", detail: whyNot(outcome, "examine the model", EXAMINE_DEADLINE_MS) }

/** Logs the runtime's own message about a refused file, for the operator. */
const logSaid = (outcome: Outcome): Effect.Effect<void> =>
  outcome.kind === "examined" && outcome.said !== ""
    ? Effect.logDebug("ONNX Runtime said of a refused model", { said: outcome.said })
    : Effect.void

/** Probing an isolation's parts is not enough: only a start shows whether the machine lets the process run. */
const openPool = Effect.fnUntraced(function* (wanted: Isolation | undefined): Effect.fn.Return<Pool> {
  const first = yield* startFirst(commandsFor(processPath, wanted), (command) =>
    Effect.suspend(() => {
      const process = new SandboxProcess(command)
      return Effect.map(started(process), (outcome) => ({ process, outcome }))
    })
  )
  return { command: first.command, idle: first.process === undefined ? [] : [first.process], closed: false }
})

const make = Effect.fnUntraced(function* (options: ArenaOptions) {
  const slots = yield* Semaphore.make(options.slots)
  const pool = yield* Effect.acquireRelease(openPool(options.isolation), (opened) =>
    Effect.sync(() => {
      opened.closed = true
      for (const process of opened.idle.splice(0)) process.kill()
    })
  )
  /** Waits for a slot. */
  const run = Effect.fnUntraced(function* (job: Job, deadline_ms: number) {
    let outcome = yield* runOnce(pool, job, deadline_ms, 1)
    for (let attempt = 2; attempt <= ATTEMPTS && outcome.kind === "died"; attempt++)
      outcome = yield* runOnce(pool, job, deadline_ms, attempt)
    return outcome
  }, slots.withPermits(1))
  return Arena.of({
    isolation: pool.command.isolation,
    examine: (request) => run({ kind: "examine", request }, EXAMINE_DEADLINE_MS).pipe(Effect.tap(logSaid), Effect.map(verdictOf)),
    play: Effect.fnUntraced(function* (request) {
      const deadline_ms = matchDeadline_ms(request)
      const outcome = yield* run({ kind: "play", request, runtime_version: runtimeVersion() }, deadline_ms)
      if (outcome.kind === "played") return outcome.report
      return yield* new MachineFault({ detail: whyNot(outcome, "play the match", deadline_ms) })
    }),
    look: Effect.fnUntraced(function* (request) {
      const deadline_ms = lookDeadline_ms(request)
      const outcome = yield* run({ kind: "look", request }, deadline_ms)
      if (outcome.kind === "looked") return outcome.looked
      return yield* new MachineFault({ detail: whyNot(outcome, "run the models up to this turn", deadline_ms) })
    })
  })
})

export class Arena extends Context.Service<
  Arena,
  {
    /** Of every process that it starts. */
    readonly isolation: Isolation
    readonly examine: (request: ExamineRequest) => Effect.Effect<Verdict>
    readonly play: (request: MatchRequest) => Effect.Effect<MatchReport, MachineFault>
    /** The observations of one turn of a recorded match, and what the models answer to them. */
    readonly look: (request: LookRequest) => Effect.Effect<Looked, MachineFault>
  }
>()("@agon/sandbox/Arena") {
  static readonly layer = (options: ArenaOptions) => Layer.effect(Arena, make(options))
}
