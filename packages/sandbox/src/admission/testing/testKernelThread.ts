/**
 * Runs kernels in two heaps that were filled differently and reports for each case whether the outputs agree. It is a
 * thread because some cases never end.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Heap } from "../../worker/testing/testHeap.ts"
import { casesOf } from "./testKernels.ts"

export interface KernelWork {
  readonly module: WebAssembly.Module
  readonly opTypes: ReadonlyArray<string>
  readonly seed: number
  /** Cases of each operator. */
  readonly limit: number
  /** The first case to run. */
  readonly from: number
}
/** `trapped`: the runtime is broken afterwards, and this thread ends. */
export type KernelEnd = "same" | "differs" | "refused" | "trapped"

const { from, limit, module, opTypes, seed } = workerData as KernelWork
const heaps = [await Heap.make(module, 1), await Heap.make(module, 2)]

const endOf = (weights: Uint8Array, names: ReadonlyArray<string>): KernelEnd => {
  try {
    const [first, second] = heaps.map((heap) => heap.outputs(weights, names))
    if (first === null && second === null) return "refused"
    return first?.join() === second?.join() ? "same" : "differs"
  } catch {
    return "trapped"
  }
}

for (const { outputs, weights } of opTypes.flatMap((opType) => casesOf(opType, seed, limit)).slice(from)) {
  const end = endOf(weights, outputs)
  parentPort!.postMessage(end)
  if (end === "trapped") break
}
