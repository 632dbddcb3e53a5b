/**
 * The part of an examination that runs the model: loaded twice, in fresh instances side by side, and
 * asked the same questions on every size of board; both must answer with the same bits. A model is a
 * function of its observation and its declared memory, so nothing else may tell the two instances apart,
 * and as much else as possible does:
 *
 *   as in play         tensors from the arena; before each question a run on another observation
 *   beside it          every tensor from a heap whose free part is filled anew before each run, with another pattern; before
 *                      each question a run on a third observation
 *
 * Limits are on a thread's processor time. The time on the clock says nothing about the model on a busy
 * machine: only the arena's distant deadline limits it, and the examination is then tried again.
 */
import { createHash } from "node:crypto"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { gameOf } from "@agon/engine/registry.ts"
import { type Failed, type Rejected, reject, type Verdict } from "../Verdict.ts"
import { type Exchange, type Sizes, STATUS } from "../worker/channel.ts"
import { Instance, share } from "../worker/Instance.ts"
import { measure } from "./measure.ts"
import { extremes, type Kind, noise, positions } from "./observations.ts"
import { whyNotLoaded, whyNotRun } from "./runtimeSays.ts"
import type { Plan } from "./static.ts"

/**
 * To load: every match pays it for each seat, and again after a crash. Networks of the zoo take 0.2 to 0.7 s, 0.07 of
 * that for 5 MiB of weights. A match waits for 10 s (LOAD_DEADLINE_MS), so that a slower machine than the one that examines
 * loads what that one admits.
 */
const LOAD_CPU_MS = { base: 3_000, each_mib: 25, max: 10_000 } as const

const loadMaxOf = (weights: Uint8Array): number =>
  Math.min(LOAD_CPU_MS.max, LOAD_CPU_MS.base + LOAD_CPU_MS.each_mib * Math.ceil(weights.length / 1_048_576))

const RUN_CPU_MAX_MS = 3_000
/** For one instance, loading included. */
const TOTAL_CPU_MAX_MS = 13_000
/**
 * A season may have more sizes than there is time for; the largest, the smallest and evenly spaced
 * ones between them are enough.
 */
const BOARDS_MAX = 8
const POISON = { first: 1, second: 2 } as const

type Fault = Rejected | Failed
/** Receives the runtime's own message, which no verdict quotes. */
export type Hear = (said: string) => void

const place = ({ rows, cols }: Sizes) => `on a board of ${rows} x ${cols}`
const machine = (detail: string): Failed => ({ verdict: "failed", detail })
const GONE = machine("A thread that examined the model ended before it answered.")

interface LoadLimits {
  readonly cap_bytes: number
  readonly max_ms: number
}

const loadFault = async (seat: Instance, { cap_bytes, max_ms }: LoadLimits, hear: Hear): Promise<Fault | null> => {
  const memory = () =>
    reject("resource_limit", `Loading the model needs more than the ${Math.floor(cap_bytes / 1_048_576)} MiB it may use.`)
  const waited = await seat.answer(max_ms)
  if (waited === "gone") return GONE
  if (waited === "exhausted") return memory()
  if (waited === "spent")
    return reject(
      "resource_limit",
      `Loading the model takes more than ${max_ms / 1_000} s of processor time; store what it computes from constants in place of computing it.`
    )
  const { status, detail } = seat.channel
  if (status === STATUS.ready) return null
  hear(detail)
  if (status === STATUS.machine) return machine("The machine could not give the model the memory that it may use.")
  return status === STATUS.exhausted
    ? memory()
    : reject("weights_unreadable", `ONNX Runtime cannot load the model. ${whyNotLoaded(detail)}.`)
}

/** The outcome of the last run; `finite` says whether its numbers must be finite. */
const runFault = (seat: Instance, sizes: Sizes, hear: Hear, finite: boolean): Fault | null => {
  const { status, detail } = seat.channel
  if (status === STATUS.answered) return null
  if (status === STATUS.non_finite)
    return finite ? reject("not_deterministic", `A run ${place(sizes)} gave ${detail}; every number of an output has to be finite.`) : null
  if (status === STATUS.shape) return reject("wrong_signature", `In a run ${place(sizes)} ${detail}.`)
  hear(detail)
  if (status === STATUS.exhausted) return reject("resource_limit", `A run ${place(sizes)} needs more memory than the model may use.`)
  return reject("wrong_signature", `A run ${place(sizes)} failed: ${whyNotRun(detail)}.`)
}

/** Waits for the requested run, within the remaining processor time. */
const finished = async (seat: Instance, sizes: Sizes, hear: Hear, finite = true): Promise<Fault | null> => {
  const left_ms = TOTAL_CPU_MAX_MS - seat.channel.cpu_us / 1_000
  if (left_ms <= 0) return reject("resource_limit", `The model was not examined within ${TOTAL_CPU_MAX_MS / 1_000} s of processor time.`)
  const waited = await seat.answer(Math.min(RUN_CPU_MAX_MS, left_ms))
  if (waited === "answered") return runFault(seat, sizes, hear, finite)
  if (waited === "gone") return GONE
  if (waited === "exhausted") return reject("resource_limit", `A run ${place(sizes)} needs more memory than the model may use.`)
  return reject("resource_limit", `A run ${place(sizes)} takes more than ${RUN_CPU_MAX_MS / 1_000} s of processor time.`)
}

const partsOf = ({ logits, memoryCell, memoryFlat }: Exchange) => [logits, memoryFlat, memoryCell]
const digestOf = (exchange: Exchange) => {
  const hash = createHash("sha256")
  for (const part of partsOf(exchange)) hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice())
  return hash.digest("hex")
}

/** A run on another observation. It may change only the declared memory, which is restored. */
const distract = async (seats: ReadonlyArray<Instance>, sizes: Sizes, exchanges: ReadonlyArray<Exchange>, turn: number, hear: Hear) => {
  const memories = exchanges.map(({ memoryCell, memoryFlat }) => [memoryFlat.slice(), memoryCell.slice()] as const)
  for (const [at, seat] of seats.entries()) {
    noise(exchanges[at]!.observation, 1_000 * (at + 1) + turn)
    seat.channel.ask(at === 0 ? 0 : POISON.second + turn)
  }
  for (const [at, seat] of seats.entries()) {
    const fault = await finished(seat, sizes, hear, false)
    if (fault !== null) return fault
    exchanges[at]!.memoryFlat.set(memories[at]![0])
    exchanges[at]!.memoryCell.set(memories[at]![1])
  }
  return null
}

const isDecided = ({ logits }: Exchange): boolean => logits.some((logit) => logit !== logits[0])

/** Asks both instances the same and compares; memory is carried over as in a match. Answers whether a run preferred an action. */
const compare = async (
  seats: ReadonlyArray<Instance>,
  sizes: Sizes,
  index: number,
  questions: ReadonlyArray<Float32Array>,
  hear: Hear
): Promise<Fault | boolean> => {
  let decided = false
  const exchanges = seats.map((seat) => seat.channel.take(index))
  for (const [turn, question] of questions.entries()) {
    const distracted = await distract(seats, sizes, exchanges, turn, hear)
    if (distracted !== null) return distracted
    for (const [at, seat] of seats.entries()) {
      exchanges[at]!.observation.set(question)
      seat.channel.ask(at === 0 ? 0 : POISON.second + 100 + turn)
    }
    for (const seat of seats) {
      const fault = await finished(seat, sizes, hear)
      if (fault !== null) return fault
    }
    if (new Set(exchanges.map(digestOf)).size > 1)
      return reject(
        "not_deterministic",
        `Two runs ${place(sizes)} on the same input gave different bits; remove random operators and tensors with an extent of zero.`
      )
    decided ||= isDecided(exchanges[0]!)
  }
  return decided
}

/** The largest board gets every kind of observation, the others noise and one real position. */
const questionsOn = (index: number, noises: Kind, real: ReadonlyArray<Kind>): ReadonlyArray<Float32Array> =>
  index === 0
    ? [...noises.observations, ...real.map(({ observations }) => observations[0]!)]
    : [noises.observations[0]!, real[index % real.length]!.observations[1]!]

interface Ran {
  readonly infer_us: number
  readonly decided: boolean
}

const runAll = async (seats: ReadonlyArray<Instance>, plan: Plan, limits: LoadLimits, hear: Hear): Promise<Fault | Ran> => {
  for (const seat of seats) {
    const fault = await loadFault(seat, limits, hear)
    if (fault !== null) return fault
  }
  const game = gameOf(plan.manifest.game)! // examineFiles has looked
  let decided = false
  for (const [index, sizes] of plan.boards.entries()) {
    const questions = questionsOn(index, extremes(sizes)[0]!, positions(game, sizes))
    const compared = await compare(seats, sizes, index, questions, hear)
    if (typeof compared !== "boolean") return compared
    decided ||= compared
  }
  const sizes = plan.boards[0]!
  const measured = await measure(seats[0]!, [...positions(game, sizes), ...extremes(sizes)], async (seat, { real }) => {
    seat.channel.ask()
    const fault = await finished(seat, sizes, hear, real)
    return !real && fault?.verdict === "rejected" && fault.reject_reason === "wrong_signature" ? "unfit" : fault
  })
  return typeof measured === "number" ? { infer_us: measured, decided } : measured
}

const spread = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.length <= BOARDS_MAX ? all : Array.from({ length: BOARDS_MAX }, (_, i) => all[Math.round((i * (all.length - 1)) / (BOARDS_MAX - 1))]!)

export const examineRuns = async (
  module: WebAssembly.Module,
  weights: Uint8Array,
  whole: Plan,
  hear: Hear = () => {}
): Promise<Verdict> => {
  const plan = { ...whole, boards: spread(whole.boards) }
  const cap_bytes = memoryCapOf(weights.length)
  const model = { module, weights: share(weights), cap_bytes, boards: plan.boards }
  const seats = [
    new Instance({ ...model, arena: true, poison: POISON.first }),
    new Instance({ ...model, arena: false, poison: POISON.second })
  ]
  const outcome = await runAll(seats, plan, { cap_bytes, max_ms: loadMaxOf(weights) }, hear).finally(() =>
    Promise.all(seats.map((seat) => seat.stop()))
  )
  if ("verdict" in outcome) return outcome
  const { flat, cell } = plan.manifest.memory
  const { decided, infer_us } = outcome
  const undecided = decided ? {} : ({ undecided: true } as const)
  return { verdict: "admitted", param_count: plan.param_count, infer_us, memory: { flat, cell }, ...undecided }
}
