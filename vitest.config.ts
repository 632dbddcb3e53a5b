import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { mutants } from "./test/simulation/mutants.ts"
import { HANGS_AFTER_MS } from "./test/support/hangs.ts"
import { plugin } from "./test/support/Mutants.ts"

// The product runs as TypeScript on Node 24, and so must what it is tested on: vitest's workers take over this Node.
const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  throw new Error(`these tests need Node 24, this is ${process.version}: use npx vitest, npm test or scripts/test`)
}

/** Tests that speak to a service wait for four tenths of their time, in which a worker leaves its core to another one. */
const WORKERS_PER_CORE = 2
const WORKERS_MAX = 8

export default defineConfig({
  plugins: [plugin(mutants)],
  test: {
    include: ["packages/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/leftoverProcesses.ts"],
    setupFiles: ["test/support/undeclared.ts", "test/support/cpuBudget.ts", "test/support/afterFile.ts"],
    pool: "forks",
    // A worker keeps its modules and its Postgres from file to file: evaluating them anew took more than half of the processors' time.
    isolate: false,
    maxWorkers: Math.min(WORKERS_MAX, WORKERS_PER_CORE * availableParallelism()),
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    teardownTimeout: 20_000
  }
})
