/**
 * Each test has a budget of CPU time, which a busy machine does not use up: vitest's own time-out is for
 * tests that hang. Counted is this process with its threads, not the servers and children that a test starts.
 */
import { afterEach, beforeEach } from "vitest"
import { HANGS_AFTER_MS } from "./hangs.ts"

/**
 * The dearest ordinary test takes a third of it. Tests that run by flag say for how
 * long; that is their budget then.
 */
const BUDGET_MS = 60_000

let before = process.cpuUsage()
beforeEach(() => {
  before = process.cpuUsage()
})

afterEach(({ task }) => {
  const { system, user } = process.cpuUsage(before)
  const used_ms = (user + system) / 1_000
  const budget_ms = task.timeout === HANGS_AFTER_MS ? BUDGET_MS : task.timeout
  if (used_ms > budget_ms) throw new Error(`the test took ${Math.round(used_ms)} ms of CPU time; its budget is ${budget_ms} ms`)
})
