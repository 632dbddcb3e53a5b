/** packages/sandbox/src/places.ts for the packed tool: everything is in the folder of all chunks. */
import { fileURLToPath } from "node:url"
import type * as Places from "@agon/sandbox/places.ts"

const at = (path: string) => new URL(path, import.meta.url)

export const processPath: string = fileURLToPath(at("./sandbox.js"))
export const instanceThread: URL = at("./instanceThread.js")
export const matchThread: URL = at("./matchThread.js")

export const wasmPath: string = fileURLToPath(at("./ort/dist/ort-wasm-simd-threaded.wasm"))
export const gluePath: string = fileURLToPath(at("./ort/dist/ort-wasm-simd-threaded.mjs"))
export const runtimePackagePath: string = fileURLToPath(at("./ort/package.json"))

export const findCode = (): Places.Code => {
  const own = fileURLToPath(at("./"))
  return { own, folders: [own], links: [] }
}
