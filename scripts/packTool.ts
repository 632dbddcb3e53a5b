/**
 * Makes the package of `agon` that installs anywhere: JavaScript for Node 20 and later, with everything inside, so that it has no
 * dependencies and its installation asks nobody.
 *
 *   node scripts/packTool.ts ./OUT     makes the folder OUT, for `npm pack ./OUT` (without `./` npm asks the registry for a package OUT)
 *
 * Rolldown bundles it, which Vite has brought here already: the compiler alone would leave a thousand files to be read at each start, and
 * the workspace's packages, which are published nowhere. Each command is a chunk of its own. All chunks lie in one folder, and
 * packedPlaces.ts tells the sandbox which files it finds there.
 */
import { cpSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { engines } from "@agon/engine/registry.ts"
import { runtimePackagePath } from "@agon/sandbox/places.ts"
import { build, type Plugin } from "rolldown"
import { makePackage, ROOT, toFolder } from "./packing.ts"

const PACKAGES = join(ROOT, "packages")
const ORT = dirname(runtimePackagePath)
const ORT_FILES = ["dist/ort-wasm-simd-threaded.wasm", "dist/ort-wasm-simd-threaded.mjs", "package.json"]

/** Threads and processes are started from files, so each is an entry. */
const ENTRIES = {
  main: "cli/src/main.ts",
  sandbox: "sandbox/src/main.ts",
  instanceThread: "sandbox/src/worker/thread.ts",
  matchThread: "sandbox/src/match/thread.ts"
}

/** Takes the packed tool's places for the sandbox's own: nothing else of it knows a path. */
const packedPlaces = (): Plugin => {
  let taken = false
  return {
    name: "packedPlaces",
    load: (id) => {
      if (id !== join(PACKAGES, "sandbox/src/places.ts")) return undefined
      taken = true
      return readFileSync(join(import.meta.dirname, "packedPlaces.ts"), "utf8")
    },
    buildEnd: (error) => {
      if (error === undefined && !taken) throw new Error("The sandbox's places.ts is not where packTool.ts takes its place.")
    }
  }
}

const packTool = async (out: string): Promise<void> => {
  const dist = join(out, "dist")
  mkdirSync(dist, { recursive: true })
  await build({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(PACKAGES, path)])),
    platform: "node",
    logLevel: "warn",
    plugins: [packedPlaces()],
    transform: {
      target: "node20",
      define: { ENGINE_DIGESTS: JSON.stringify(Object.fromEntries(engines.map(({ digest, slug }) => [slug, digest]))) }
    },
    output: { dir: dist, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", comments: { legal: true } }
  })
  for (const file of ORT_FILES) {
    mkdirSync(dirname(join(dist, "ort", file)), { recursive: true })
    cpSync(join(ORT, file), join(dist, "ort", file))
  }
  const { name, version } = JSON.parse(readFileSync(join(PACKAGES, "cli/package.json"), "utf8")) as { name: string; version: string }
  const description = "Examine, play and submit models of Agon competitions"
  makePackage(out, { name, version, description, bin: { agon: "dist/main.js" } }, "packages/cli/README.md")
}

await toFolder("packTool.ts", packTool)
