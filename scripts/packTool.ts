/**
 * Makes the package of `agon` that installs anywhere: JavaScript for Node 20 and later, with everything
 * inside, so that it has no dependencies and its installation asks nobody.
 *
 *   npx node scripts/packTool.ts ./OUT     makes the folder OUT, for `npm pack ./OUT` (without `./` npm asks the registry for a package OUT)
 *
 * Rolldown bundles it, which Vite has brought here already: the compiler alone would leave a thousand files
 * to be read at each start, and the workspace's packages, which are published nowhere. Each command is a
 * chunk of its own. All chunks lie in one folder; packedPlaces.ts tells the sandbox which files it finds
 * there, and packedRunner.ts where the runner is.
 */
import { cpSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
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
  runner: "runner/src/main.ts",
  sandbox: "sandbox/src/main.ts",
  instanceThread: "sandbox/src/worker/thread.ts",
  matchThread: "sandbox/src/match/thread.ts"
}

const here = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8")

/**
 * By module: the text that the packed tool takes for it. Two know paths; the third passes on what a bundle of
 * CommonJS does not name; the last has a folder that belongs to an installation of the service.
 */
const instead = (): ReadonlyArray<readonly [module: string, text: string]> => [
  [join(PACKAGES, "sandbox/src/places.ts"), here("packedPlaces.ts")],
  [join(PACKAGES, "cli/src/places.ts"), here("packedRunner.ts")],
  [
    join(dirname(fileURLToPath(import.meta.resolve("@effect/platform-node/NodeHttpClient"))), "Undici.js"),
    'import undici from "undici"\nexport default undici\nexport const { Agent, FormData, getGlobalDispatcher } = undici\n'
  ],
  [join(PACKAGES, "api/src/program/compiled.ts"), "export {}\n"]
]

const taken = (): Plugin => {
  const left = new Map(instead())
  return {
    name: "taken",
    load: (id) => {
      const text = left.get(id)
      left.delete(id)
      return text
    },
    buildEnd: (error) => {
      if (error === undefined && left.size > 0)
        throw new Error(`Modules are not where packTool.ts takes their places: ${[...left.keys()].join(", ")}`)
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
    plugins: [taken()],
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
