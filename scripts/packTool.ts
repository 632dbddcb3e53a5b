/**
 * Makes the package of `agon` that installs anywhere: JavaScript for Node 20 and later, with everything inside, so that it has no
 * dependencies and its installation asks nobody.
 *
 *   node scripts/packTool.ts ./OUT     makes the folder OUT, for `npm pack ./OUT` (without `./` npm asks the registry for a package OUT)
 *
 * Rolldown bundles it, which Vite has brought here already: the compiler alone would leave a thousand files to be read at each start, and
 * the workspace's packages, which are published nowhere. Each command is a chunk of its own. All chunks lie in one folder; what the
 * sandbox finds beside its sources, it finds there.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { engines } from "@agon/engine/registry.ts"
import { build, type Plugin } from "rolldown"

const ROOT = resolve(import.meta.dirname, "..")
const PACKAGES = join(ROOT, "packages")
const ORT = dirname(dirname(createRequire(join(PACKAGES, "sandbox/package.json")).resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm")))
const ORT_FILES = ["dist/ort-wasm-simd-threaded.wasm", "dist/ort-wasm-simd-threaded.mjs", "package.json"]
const ENGINE_NODE = ">=20.12"

/** Threads and processes are started from files, so each is an entry. */
const ENTRIES = {
  main: "cli/src/main.ts",
  sandbox: "sandbox/src/main.ts",
  instanceThread: "sandbox/src/worker/thread.ts",
  matchThread: "sandbox/src/match/thread.ts"
}

/** What a source finds beside itself or below node_modules, and where that is in the folder of all chunks. */
const PLACES: Readonly<Record<string, ReadonlyArray<readonly [from: string, to: string]>>> = {
  "sandbox/src/worker/Process.ts": [['new URL("../main.ts"', 'new URL("./sandbox.js"']],
  "sandbox/src/worker/Instance.ts": [['new URL("./thread.ts"', 'new URL("./instanceThread.js"']],
  "sandbox/src/match/MatchThread.ts": [['new URL("./thread.ts"', 'new URL("./matchThread.js"']],
  "sandbox/src/worker/Runtime.ts": [
    ['"onnxruntime-web/ort-wasm-simd-threaded.wasm"', '"./ort/dist/ort-wasm-simd-threaded.wasm"'],
    ['"onnxruntime-web/ort-wasm-simd-threaded.mjs"', '"./ort/dist/ort-wasm-simd-threaded.mjs"']
  ],
  "sandbox/src/runtimeVersion.ts": [['"onnxruntime-web/ort-wasm-simd-threaded.wasm"', '"./ort/dist/ort-wasm-simd-threaded.wasm"']],
  "sandbox/src/worker/isolation.ts": [
    ['new URL("../../", import.meta.url)', 'new URL("./", import.meta.url)'],
    // Its imports are chunks of the same folder.
    [
      'const link = join(folder, "node_modules", name)',
      "if (name !== undefined) return { link: folder, target: folder }\n  const link = folder"
    ]
  ]
}

/** Fails where a source no longer says what is replaced. */
const places = (): Plugin => ({
  name: "places",
  transform: (code, id) => {
    const file = Object.keys(PLACES).find((one) => id === join(PACKAGES, one))
    if (file === undefined) return undefined
    return PLACES[file]!.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${file} does not say ${from} any more: see ${import.meta.filename}`)
      return text.replace(from, to)
    }, code)
  }
})

const packTool = async (out: string): Promise<void> => {
  const dist = join(out, "dist")
  mkdirSync(dist, { recursive: true })
  await build({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(PACKAGES, path)])),
    platform: "node",
    logLevel: "warn",
    plugins: [places()],
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
  const manifest = { name, version, description, license: "MIT", type: "module", bin: { agon: "dist/main.js" }, files: ["dist"] }
  writeFileSync(join(out, "package.json"), `${JSON.stringify({ ...manifest, engines: { node: ENGINE_NODE } }, null, 2)}\n`)
  for (const [from, to] of [
    [join(PACKAGES, "cli/README.md"), "README.md"],
    [join(ROOT, "LICENSE"), "LICENSE"]
  ] as const)
    cpSync(from, join(out, to))
}

const [out] = process.argv.slice(2)
const refusal =
  out === undefined ? "node scripts/packTool.ts ./OUT" : existsSync(out) && readdirSync(out).length > 0 ? `${out} is not empty.` : undefined
if (refusal !== undefined) {
  console.error(refusal)
  process.exitCode = 2
} else await packTool(resolve(out!))
