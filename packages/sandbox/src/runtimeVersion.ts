/**
 * The versions that two machines must share to compute the same bits from the same weights: the runtime's, its code's hash,
 * and Node's.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { wasmPath } from "./worker/Runtime.ts"

let known: string | undefined

/** `onnxruntime-web 1.30.0 <sha256 of its .wasm> node 24`. Reads the file once. */
export const runtimeVersion = (): string => {
  if (known !== undefined) return known
  const wasm = createHash("sha256").update(readFileSync(wasmPath)).digest("hex")
  const description = join(
    dirname(createRequire(import.meta.url).resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm")),
    "../package.json"
  )
  const { version } = JSON.parse(readFileSync(description, "utf8")) as { version: string }
  known = `onnxruntime-web ${version} ${wasm} node ${process.versions.node.split(".")[0]}`
  return known
}
