/**
 * Examines models and plays matches in sandbox processes of which at most `slots` work at once. A process is kept from
 * job to job and replaced when it is late or dies; closing the layer's scope kills all of them.
 *
 * What a file can do to the caller is in the types: `examine` never fails (a file that hangs, exhausts or kills its
 * process is rejected with `resource_limit`), and `play` fails with `MachineFault` alone, which no seat can bring about
 * by what its model answers: that costs strikes.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import { LOAD_DEADLINE_MS, type MatchReport, type MatchRequest, MOVE_DEADLINE_MS } from "./match/Match.ts"
import { runtimeVersion } from "./runtimeVersion.ts"
import { type ExamineRequest, reject, type Verdict } from "./Verdict.ts"
import { type Isolation, strongestIsolation } from "./worker/isolation.ts"
import type { Job } from "./worker/main.ts"
import { type Outcome, SandboxProcess } from "./worker/Process.ts"

/** The match could not be played, through no fault of a seat. */
export class MachineFault extends Schema.TaggedError<MachineFault>()("MachineFault", { detail: Schema.String }) {}

const START_DEADLINE_MS = 20_000
export const EXAMINE_DEADLINE_MS = 14_500
/** A process that dies under a job may have been unlucky; one that dies twice was killed by the job. */
const ATTEMPTS = 2

export interface ArenaOptions {
  readonly slots: number
  /** The strongest that the machine permits, where absent. */
  readonly isolation?: Isolation
}

/** The longest that a match can take if everything that may be late is late; past it the process itself must hang. */
const matchDeadline_ms = ({ rules, seats, move_deadline_ms = MOVE_DEADLINE_MS }: MatchRequest): number =>
  60_000 + rules.max_turns * seats.length * move_deadline_ms + seats.length * rules.strike_limit * (seats.length + 1) * LOAD_DEADLINE_MS

/** One job in one process, which is put back if it lived. Interruption kills it. */
const runOnce = (isolation: Isolation, idle: Array<SandboxProcess>, job: Job, deadline_ms: number): Effect.Effect<Outcome> =>
  Effect.acquireUseRelease(
    Effect.sync(() => idle.pop() ?? null),
    (kept) =>
      Effect.callback<Outcome>((resume) => {
        const process = kept ?? new SandboxProcess(isolation)
        const started: Promise<Outcome> = kept === null ? process.ready(START_DEADLINE_MS) : Promise.resolve({ kind: "ready" })
        started
          .then((outcome): Outcome | Promise<Outcome> => (outcome.kind === "ready" ? process.run(job, deadline_ms) : unstarted(outcome)))
          .then((outcome) => {
            if (process.alive) idle.push(process)
            resume(Effect.succeed(outcome))
          })
        return Effect.sync(() => process.kill())
      }),
    () => Effect.void
  )

const unstarted = (outcome: Outcome): Outcome => ({
  kind: "failed",
  detail: outcome.kind === "died" ? outcome.detail : "the sandbox process did not start in time"
})

const verdictOf = (outcome: Outcome): Verdict => {
  switch (outcome.kind) {
    case "examined":
      return outcome.verdict
    case "late":
      return reject("resource_limit", `The model was not examined within ${EXAMINE_DEADLINE_MS / 1_000} s.`)
    case "died":
      return reject("resource_limit", "The model brought down the process that examined it.")
    case "failed":
      return { verdict: "failed", detail: outcome.detail }
    default:
      return { verdict: "failed", detail: `the sandbox answered ${outcome.kind}` }
  }
}

const reportOf = (outcome: Outcome): Effect.Effect<MatchReport, MachineFault> => {
  if (outcome.kind === "played") return Effect.succeed(outcome.report)
  const detail = outcome.kind === "failed" || outcome.kind === "died" ? outcome.detail : `the sandbox answered ${outcome.kind}`
  return Effect.fail(new MachineFault({ detail }))
}

const make = Effect.fnUntraced(function* (options: ArenaOptions) {
  const isolation = options.isolation ?? (yield* Effect.sync(strongestIsolation))
  const slots = yield* Semaphore.make(options.slots)
  const idle: Array<SandboxProcess> = []
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const process of idle.splice(0)) process.kill()
    })
  )
  const run = Effect.fnUntraced(function* (job: Job, deadline_ms: number) {
    let outcome = yield* runOnce(isolation, idle, job, deadline_ms)
    for (let attempt = 1; attempt < ATTEMPTS && outcome.kind === "died"; attempt++)
      outcome = yield* runOnce(isolation, idle, job, deadline_ms)
    return outcome
  })
  return Arena.of({
    isolation,
    examine: (request) => slots.withPermits(1)(Effect.map(run({ kind: "examine", request }, EXAMINE_DEADLINE_MS), verdictOf)),
    play: (request) =>
      slots.withPermits(1)(
        Effect.flatMap(run({ kind: "play", request, runtime_version: runtimeVersion() }, matchDeadline_ms(request)), reportOf)
      )
  })
})

export class Arena extends Context.Service<
  Arena,
  {
    readonly isolation: Isolation
    readonly examine: (request: ExamineRequest) => Effect.Effect<Verdict>
    readonly play: (request: MatchRequest) => Effect.Effect<MatchReport, MachineFault>
  }
>()("@agon/sandbox/Arena") {
  static readonly layer = (options: ArenaOptions) => Layer.effect(Arena, make(options))
}
