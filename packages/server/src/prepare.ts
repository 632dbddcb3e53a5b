/**
 * A program of `scripts/install`: makes ahead what the first start of the service would make otherwise, the
 * compiled code of its modules and its database.
 */
import "@agon/api/program/heap.ts" // as main.ts does, or V8 would not take the code
import "@agon/api/program/compiled.ts"
import * as module from "node:module"

const { loadProgram } = await import("./loading.ts")
await loadProgram()
// At once: V8 soon forgets the code of functions that nobody calls again, and with code kept at the end of
// this program a start takes 0.2 s longer.
module.flushCompileCache?.()

const { Effect } = await import("effect")
const { prepareCluster } = await import("./prepareCluster.ts")
await Effect.runPromise(prepareCluster)
