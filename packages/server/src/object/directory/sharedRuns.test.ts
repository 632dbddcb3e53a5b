import { setImmediate as turn } from "node:timers/promises"
import { assert, it } from "vitest"
import { sharedRuns } from "./sharedRuns.ts"

/** Runs that end when they are told to. */
const controlled = () => {
  const runs: Array<{ readonly key: string; readonly end: (failure?: Error) => void }> = []
  const shared = sharedRuns((key) => {
    const { promise, reject, resolve } = Promise.withResolvers<number>()
    const nth = runs.length
    runs.push({ key, end: (failure) => (failure === undefined ? resolve(nth) : reject(failure)) })
    return promise
  })
  return { runs, shared }
}

it("calls made together share a run, and those made meanwhile share the next", async () => {
  const { runs, shared } = controlled()
  const [first, second] = [shared("a"), shared("a")]
  await turn()
  const [third, fourth] = [shared("a"), shared("a")]
  await turn()
  assert.strictEqual(runs.length, 1)
  runs[0]!.end()
  await turn()
  assert.strictEqual(runs.length, 2)
  runs[1]!.end()
  assert.deepStrictEqual(await Promise.all([first, second, third, fourth]), [0, 0, 1, 1])
})

it("runs of different keys are under way at once", async () => {
  const { runs, shared } = controlled()
  const both = [shared("a"), shared("b")]
  await turn()
  assert.deepStrictEqual(
    runs.map(({ key }) => key),
    ["a", "b"]
  )
  for (const { end } of runs) end()
  await Promise.all(both)
})

it("a run that fails tells its own callers alone", async () => {
  const { runs, shared } = controlled()
  const first = shared("a")
  await turn()
  const second = shared("a")
  runs[0]!.end(new Error("broken"))
  assert.match(String(await first.catch(String)), /broken/)
  await turn()
  runs[1]!.end()
  assert.strictEqual(await second, 1)
})
