/**
 * Removes unused files from an installation for running: of onnxruntime-web's forty builds the sandbox loads one, with its
 * glue (14 of 139 MB). Plain JavaScript, as installed.mjs is.
 */
import { readdirSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const BUILDS = resolve(process.argv[2] ?? resolve(dirname(fileURLToPath(import.meta.url)), ".."), "node_modules/onnxruntime-web/dist")
const LOADED = ["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.mjs"]

for (const name of readdirSync(BUILDS)) if (!LOADED.includes(name)) rmSync(join(BUILDS, name), { recursive: true })
