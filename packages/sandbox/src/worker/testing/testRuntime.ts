/** The runtime of models, compiled once for a test file: instances of it share no memory. */
import { readFile } from "node:fs/promises"
import { wasmPath } from "../../places.ts"

export const compiledRuntime: Promise<WebAssembly.Module> = readFile(wasmPath).then((bytes) => WebAssembly.compile(bytes))
