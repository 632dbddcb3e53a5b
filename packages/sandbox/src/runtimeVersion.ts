/**
 * The versions that two machines must share to compute the same bits from the same weights: the runtime's,
 * its code's hash, and Node's.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { runtimePackagePath, wasmPath } from "./places.ts"

let known: string | undefined

/** `onnxruntime-web 1.30.0 <sha256 of its .wasm> node 24`. Reads the file once. */
export const runtimeVersion = (): string => {
  if (known !== undefined) return known
  const wasm = createHash("sha256").update(readFileSync(wasmPath)).digest("hex")
  const { version } = JSON.parse(readFileSync(runtimePackagePath, "utf8")) as { version: string }
  known = `onnxruntime-web ${version} ${wasm} node ${process.versions.node.split(".")[0]}`
  return known
}
