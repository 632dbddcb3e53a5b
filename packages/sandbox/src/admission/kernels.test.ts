/**
 * Every allowed operator, on small nodes with edge cases, in two heaps that were filled differently: a
 * difference shows that memory was not written, or read before it was written. Such a kernel gives a model an
 * undeclared memory, so the checks of the graph must know it. `AGON_SLOW=1` draws ten times as many cases,
 * with a new seed each time; a failure names its seed.
 */
import { Worker } from "node:worker_threads"
import { assert, describe, it, vi } from "@effect/vitest"
import { sample, slow } from "../../../../test/support/slow.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { filledKernels, guardedKernels } from "./extents.ts"
import { allowedOperators } from "./operators.ts"
import { casesOf } from "./testing/testKernels.ts"
import type { KernelEnd, KernelWork } from "./testing/testKernelThread.ts"

boundedByEvents(vi)

const SEED = Number(process.env.AGON_SEED ?? (slow ? Date.now() % 2 ** 32 : 1))
const CASES = slow ? 100 : 10
/**
 * For the kernels that are known: enough that the fault shows by any seed, but for MatMul's, which
 * depends on how the heap lies.
 */
const KNOWN_CASES = 200
/**
 * For those whose fault needs larger tensors than these cases have (emptiness.test.ts): many of the cases end
 * their instance, which takes a second each.
 */
const FEW_CASES = 30
/** A case takes milliseconds; one that uses this much processor time does not end. */
const HANGS_CPU_MS = 2_000
const LOOK_EVERY_MS = 50

/** Runs the cases from the given one on, until all are done or the thread is unusable; answers how each ended. */
const runFrom = (work: KernelWork): Promise<ReadonlyArray<KernelEnd | "hangs">> =>
  new Promise((resolve, reject) => {
    const ends: Array<KernelEnd | "hangs"> = []
    let [seen, from_ms] = [-1, 0]
    const thread = new Worker(new URL("./testing/testKernelThread.ts", import.meta.url), { workerData: work, stdout: true, stderr: true })
    const look = setInterval(async () => {
      const { system, user } = await thread.cpuUsage().catch(() => ({ system: 0, user: 0 }))
      const used_ms = (user + system) / 1_000
      if (ends.length > seen) [seen, from_ms] = [ends.length, used_ms]
      else if (used_ms - from_ms > HANGS_CPU_MS) {
        ends.push("hangs")
        void thread.terminate()
      }
    }, LOOK_EVERY_MS)
    thread.on("message", (end: KernelEnd) => ends.push(end))
    thread.on("error", reject)
    thread.on("exit", () => {
      clearInterval(look)
      resolve(ends)
    })
  })

const sweep = async (opTypes: ReadonlyArray<string>, limit: number) => {
  const module = await compiledRuntime
  const cases = opTypes.flatMap((opType) => casesOf(opType, SEED, limit))
  const ends: Array<KernelEnd | "hangs"> = []
  while (ends.length < cases.length) {
    const more = await runFrom({ module, opTypes, seed: SEED, limit, from: ends.length })
    assert.isNotEmpty(more)
    ends.push(...more)
  }
  return cases.map(({ opType, what }, at) => ({ opType, what, end: ends[at]! }))
}

const HAS_ZERO = /[[,]0[\],]/
const unguarded = [...allowedOperators].filter((opType) => !guardedKernels.has(opType))
const GROUP = 24
const groups = Array.from({ length: Math.ceil(unguarded.length / GROUP) }, (_, at) => unguarded.slice(at * GROUP, (at + 1) * GROUP))

describe(`the kernels of the allowed operators (seed ${SEED})`, () => {
  for (const group of sample(groups))
    it(`from ${group[0]} to ${group.at(-1)} write all of their outputs`, async () => {
      const ends = await sweep(group, CASES)
      const ran = new Set(ends.flatMap(({ end, opType }) => (end === "same" ? [opType] : [])))
      // An operator that takes few shapes gets more cases.
      ends.push(
        ...(await sweep(
          group.filter((opType) => !ran.has(opType)),
          20 * CASES
        ))
      )
      assert.deepStrictEqual(
        ends.filter(({ end }) => end === "differs").map(({ what }) => what),
        []
      )
      // A kernel that breaks or stalls its own instance costs its seat a crash or a timeout.
      // Only empty tensors cause that.
      for (const { end, what } of ends) if (end === "hangs") assert.match(what, HAS_ZERO)
      const never = group.filter((opType) => !ends.some((one) => one.opType === opType && one.end === "same"))
      assert.deepStrictEqual(never, [], "no case of these ran")
    })

  for (const opType of sample([...guardedKernels]))
    it(`${opType} does not write all of its output if a sum has no terms, and does with terms`, async () => {
      const isLarge = filledKernels.has(opType)
      const ends = await sweep([opType], isLarge ? FEW_CASES : KNOWN_CASES)
      const leaving = ends.filter(({ end }) => end === "differs")
      if (opType !== "MatMul" && !isLarge) assert.isNotEmpty(leaving)
      for (const { what } of leaving) assert.match(what, HAS_ZERO)
      assert.isTrue(ends.some(({ end, what }) => end === "same" && !HAS_ZERO.test(what)))
    })
})
