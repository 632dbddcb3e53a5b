/**
 * The part of an examination that runs the model: loaded twice, in fresh instances side by side, and asked the same
 * questions on every size of board; both must answer with the same bits. Everything here blocks within deadlines, so a
 * model that stalls is told apart from one that is refused.
 */
import { createHash } from "node:crypto"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { type Admitted, type Rejected, reject } from "../Verdict.ts"
import { type Exchange, STATUS, type Sizes } from "../worker/channel.ts"
import { Instance, share } from "../worker/Instance.ts"
import type { Plan } from "./static.ts"

export const LOAD_DEADLINE_MS = 10_000
/** For all that runs, loading included: leaves the process 1.5 s to answer before it is killed. */
const TOTAL_MS = 13_000
const RUN_DEADLINE_MS = 3_000
const TURNS_PER_BOARD = 3
/** A season may have more sizes than there is time for; the largest, the smallest and those evenly between are enough. */
const BOARDS_MAX = 8
const WARM_UP_RUNS = 3
const TIMED_RUNS = 31
const TIMING_MS = 1_500

/** Numbers in 0..1 that are the same on every machine: a linear congruence, since nothing here needs better. */
const fill = (values: Float32Array, seed: number) => {
  let x = seed >>> 0
  for (let i = 0; i < values.length; i++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0
    values[i] = (x >>> 16) / 65_536
  }
}

/** What ONNX Runtime says holds names of its own source files, which mean nothing to a competitor. */
const said = (detail: string) =>
  detail
    .replace(/\S*\/\S*(?:\.cc|\.h)\S*/g, "")
    .replace(/[^\x20-\x7e]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300)

const place = ({ rows, cols }: Sizes) => `on a board of ${rows} x ${cols}`

const loadFault = (seat: Instance, until_ms: number, cap_bytes: number): Rejected | null => {
  if (!seat.channel.awaitAnswer(until_ms)) return reject("resource_limit", `The model was not loaded within ${LOAD_DEADLINE_MS / 1_000} s.`)
  const { status, detail } = seat.channel
  if (status === STATUS.ready) return null
  if (status === STATUS.exhausted)
    return reject("resource_limit", `Loading the model needs more than the ${Math.floor(cap_bytes / 1_048_576)} MiB it may use.`)
  return reject("weights_unreadable", `ONNX Runtime does not load the model: ${said(detail)}`)
}

const runFault = (seat: Instance, sizes: Sizes, until_ms: number): Rejected | null => {
  if (!seat.channel.awaitAnswer(until_ms))
    return reject("resource_limit", `A run ${place(sizes)} did not end within ${RUN_DEADLINE_MS / 1_000} s.`)
  const { status, detail } = seat.channel
  if (status === STATUS.answered) return null
  if (status === STATUS.exhausted) return reject("resource_limit", `A run ${place(sizes)} needs more memory than the model may use.`)
  if (status === STATUS.non_finite)
    return reject("not_deterministic", `A run ${place(sizes)} gave numbers that are not finite (NaN or infinity).`)
  if (status === STATUS.shape) return reject("wrong_signature", `In a run ${place(sizes)} ${said(detail)}.`)
  return reject("wrong_signature", `A run ${place(sizes)} failed: ${said(detail)}`)
}

const digestOf = ({ logits, memoryFlat, memoryCell }: Exchange) => {
  const hash = createHash("sha256")
  for (const part of [logits, memoryFlat, memoryCell]) hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice())
  return hash.digest("hex")
}

/** Asks both seats the same and compares; memory goes round as it does in a match. */
const compare = (seats: ReadonlyArray<Instance>, sizes: Sizes, index: number, until_ms: number): Rejected | null => {
  const exchanges = seats.map((seat) => seat.channel.take(index))
  for (let turn = 0; turn < TURNS_PER_BOARD; turn++) {
    for (const [at, seat] of seats.entries()) {
      fill(exchanges[at]!.observation, 1 + index * TURNS_PER_BOARD + turn)
      seat.channel.ask()
    }
    const deadline_ms = Math.min(until_ms, performance.now() + RUN_DEADLINE_MS)
    for (const seat of seats) {
      const fault = runFault(seat, sizes, deadline_ms)
      if (fault !== null) return fault
    }
    if (new Set(exchanges.map(digestOf)).size > 1)
      return reject(
        "not_deterministic",
        `Two runs ${place(sizes)} on the same input gave different bits; leave out what draws random numbers.`
      )
  }
  return null
}

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

const measure = (seat: Instance, sizes: Sizes, until_ms: number): Rejected | number => {
  const exchange = seat.channel.take(0)
  const times: Array<number> = []
  const enough_ms = performance.now() + TIMING_MS
  for (let run = 0; run < WARM_UP_RUNS + TIMED_RUNS; run++) {
    fill(exchange.observation, run)
    seat.channel.ask()
    const fault = runFault(seat, sizes, Math.min(until_ms, performance.now() + RUN_DEADLINE_MS))
    if (fault !== null) return fault
    if (run >= WARM_UP_RUNS) times.push(seat.channel.infer_us)
    if (times.length > 0 && performance.now() > enough_ms) break
  }
  return Math.max(1, Math.round(median(times)))
}

const runAll = (seats: ReadonlyArray<Instance>, plan: Plan, cap_bytes: number, start_ms: number): Rejected | number => {
  const until_ms = start_ms + TOTAL_MS
  for (const seat of seats) {
    const fault = loadFault(seat, start_ms + LOAD_DEADLINE_MS, cap_bytes)
    if (fault !== null) return fault
  }
  for (const [index, sizes] of plan.boards.entries()) {
    const fault = compare(seats, sizes, index, until_ms)
    if (fault !== null) return fault
  }
  return measure(seats[0]!, plan.boards[0]!, until_ms)
}

const spread = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.length <= BOARDS_MAX ? all : Array.from({ length: BOARDS_MAX }, (_, i) => all[Math.round((i * (all.length - 1)) / (BOARDS_MAX - 1))]!)

export const examineRuns = async (module: WebAssembly.Module, weights: Uint8Array, whole: Plan): Promise<Admitted | Rejected> => {
  const plan = { ...whole, boards: spread(whole.boards) }
  const cap_bytes = memoryCapOf(weights.length)
  const model = { module, weights: share(weights), cap_bytes, boards: plan.boards }
  const start_ms = performance.now()
  const seats = [new Instance(model), new Instance(model)]
  const outcome = runAll(seats, plan, cap_bytes, start_ms)
  await Promise.all(seats.map((seat) => seat.stop()))
  if (typeof outcome !== "number") return outcome
  const { flat, cell } = plan.manifest.memory
  return { verdict: "admitted", param_count: plan.param_count, infer_us: outcome, memory: { flat, cell } }
}
