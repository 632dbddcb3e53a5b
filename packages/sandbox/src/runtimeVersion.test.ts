import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { wasmPath } from "./places.ts"
import { runtimeVersion } from "./runtimeVersion.ts"

it("names the runtime, the code it runs and Node's major version, in one plain line", () => {
  const wasm = createHash("sha256").update(readFileSync(wasmPath)).digest("hex")
  assert.match(runtimeVersion(), new RegExp(`^onnxruntime-web \\d+\\.\\d+\\.\\d+ ${wasm} node \\d+$`))
  assert.match(runtimeVersion(), /^[\x20-\x7e]{1,256}$/)
})
