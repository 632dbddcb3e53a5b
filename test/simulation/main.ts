/**
 * The simulation outside of vitest, for long runs:
 * `node test/simulation/main.ts --seeds 10000 [--from 1] [--steps 2000] [--workers 2] [--brief]`.
 * Prints a line a hundred seeds, and for a seed that fails the shortest run that does. Exit status 1 if one failed.
 */

import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { Effect, Exit } from "effect"
import { hold, inMemory } from "./simulation.ts"
import type { Seen } from "./world/Run.ts"

interface Task {
  readonly seeds: ReadonlyArray<number>
  readonly steps: number
  readonly brief: boolean
}
interface Told {
  readonly seed: number
  readonly seen: Seen
  readonly failed: string | null
}

const work = async ({ brief, seeds, steps }: Task): Promise<void> => {
  for (const seed of seeds) {
    const exit = await Effect.runPromiseExit((brief ? inMemory : hold)(seed, steps))
    const reason = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
    const failed = reason === undefined ? null : reason._tag === "Die" ? String((reason.defect as Error).message) : String(reason)
    parentPort!.postMessage({ seed, seen: Exit.isSuccess(exit) ? exit.value : {}, failed } satisfies Told)
  }
}

const lead = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "20" },
      from: { type: "string", default: "1" },
      steps: { type: "string", default: "2000" },
      workers: { type: "string", default: String(availableParallelism()) },
      brief: { type: "boolean", default: false } // does not look for the shortest run that fails
    }
  })
  const [seeds, from, steps, workers] = [values.seeds, values.from, values.steps, values.workers].map(Number) as [
    number,
    number,
    number,
    number
  ]
  const started = performance.now()
  const elapsed_s = () => (performance.now() - started) / 1_000
  const totals: Record<string, number> = {}
  let [done, failures] = [0, 0]
  const hear = ({ failed, seed, seen }: Told): void => {
    for (const [what, n] of Object.entries(seen)) totals[what] = (totals[what] ?? 0) + n
    if (failed !== null) {
      failures++
      console.log(`seed ${seed}`, failed)
    }
    if (++done % 100 === 0) console.log(`${done} seeds, ${failures} failed, ${elapsed_s().toFixed(1)} s`)
  }
  const all = Array.from({ length: seeds }, (_, i) => from + i)
  await Promise.all(
    Array.from({ length: workers }, (_, which) => {
      const task: Task = { seeds: all.filter((_, i) => i % workers === which), steps, brief: values.brief }
      const worker = new Worker(new URL(import.meta.url), { workerData: task })
      worker.on("message", hear)
      return new Promise<void>((resolve, reject) => worker.on("error", reject).on("exit", () => resolve()))
    })
  )
  console.log(JSON.stringify(totals))
  const per_s = Math.round((seeds * steps) / elapsed_s())
  console.log(`${seeds} seeds of ${steps} steps, ${failures} failed, ${elapsed_s().toFixed(1)} s, ${per_s} steps/s`)
  process.exitCode = failures === 0 && done === seeds ? 0 : 1
}

await (isMainThread ? lead() : work(workerData as Task))
