/**
 * The simulation outside of vitest, for long runs: `node test/simulation/main.ts --seeds 10000 [--from 1] [--steps 2000] [--brief]`.
 * Prints a line a hundred seeds, and for a seed that fails the shortest run that does. Exit status 1 if one failed.
 */
import { Effect, Exit } from "effect"
import { parseArgs } from "node:util"
import { hold, inMemory } from "./simulation.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    steps: { type: "string", default: "2000" },
    brief: { type: "boolean", default: false } // does not look for the shortest run that fails
  }
})
const [seeds, from, steps] = [Number(values.seeds), Number(values.from), Number(values.steps)]

const totals: Record<string, number> = {}
const started = performance.now()
let failed = 0
for (let seed = from; seed < from + seeds; seed++) {
  const exit = await Effect.runPromiseExit((values.brief ? inMemory : hold)(seed, steps))
  if (Exit.isFailure(exit)) {
    failed++
    const [reason] = exit.cause.reasons
    console.log(`seed ${seed}`, reason?._tag === "Die" ? String((reason.defect as Error).message) : String(exit.cause))
  } else for (const [what, n] of Object.entries(exit.value)) totals[what] = (totals[what] ?? 0) + n
  if ((seed - from + 1) % 100 === 0) console.log(`${seed - from + 1} seeds, ${failed} failed, ${seconds()} s`)
}
console.log(JSON.stringify(totals))
console.log(
  `${seeds} seeds of ${steps} steps, ${failed} failed, ${seconds()} s, ${Math.round((seeds * steps) / Number(seconds()))} steps/s`
)
process.exitCode = failed === 0 ? 0 : 1

function seconds(): string {
  return ((performance.now() - started) / 1_000).toFixed(1)
}
