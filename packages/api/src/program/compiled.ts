/**
 * Imported by the programs before they load themselves: Node keeps what it has compiled in
 * `node_modules/.cache/compiled`, JavaScript stripped of its types and V8's code, and the next start reads
 * that instead. A file that has changed is compiled anew. Where the folder cannot be written, or this is an
 * older Node, nothing is kept.
 *
 * Modules that are loaded statically are compiled before this runs, and V8 takes no code that was compiled
 * with other flags than it has now (heap.ts sets one), so main.ts imports both and then loads its program.
 */
import * as module from "node:module"
import { fileURLToPath } from "node:url"

module.enableCompileCache?.(fileURLToPath(new URL("../../../../node_modules/.cache/compiled", import.meta.url)))
