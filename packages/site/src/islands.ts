/**
 * Scripts of the site's islands, built once by Vite and kept by a fingerprint of everything that they are made of: a start on unchanged
 * sources reads one file and does not load Vite. Starts at the same time build twice and keep the same: the file is written beside and
 * renamed. Where nothing can be written, every start builds anew.
 */
import { hash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { engines } from "@agon/engine/registry.ts"
import { Data, Effect, Option } from "effect"

/** A file below `/assets/`; its name has a hash of its content, so it may be kept for ever. */
export interface IslandFile {
  readonly content_type: string
  readonly text: string
}

export interface Islands {
  /** By name. */
  readonly files: ReadonlyMap<string, IslandFile>
  /** Of an island's script; empty where there is none. */
  readonly address: (island: IslandName) => string
}

class IslandsNotBuilt extends Data.TaggedError("IslandsNotBuilt")<{ readonly cause: unknown }> {}

/** `hasher` is the worker of `submit`. */
export const ISLAND_NAMES = ["replay", "chart", "submit", "follow", "hasher"] as const
export type IslandName = (typeof ISLAND_NAMES)[number]

const ROOT = join(import.meta.dirname, "..")
/** Ignored by git. */
const KEPT = join(ROOT, "dist")
/** Files of the site that islands import, besides the pictures. */
const BESIDE = ["html/elsewhere.ts", "html/instants.ts"]
const ENGINE = dirname(fileURLToPath(import.meta.resolve("@agon/engine/Engine.ts")))

/** The text of a built file by name. */
type Built = Readonly<Record<string, string>>

/** `kept` is the folder of what was built before. */
export const load = Effect.fnUntraced(function* (kept: string = KEPT) {
  const name = `islands-${yield* Effect.try({ try: fingerprint, catch: (cause) => new IslandsNotBuilt({ cause }) })}.json`
  const known = yield* Effect.option(Effect.try(() => JSON.parse(readFileSync(join(kept, name), "utf8")) as Built))
  if (Option.isSome(known)) return islandsOf(known.value)
  const built = yield* Effect.tryPromise({ try: build, catch: (cause) => new IslandsNotBuilt({ cause }) })
  yield* Effect.ignore(Effect.try(() => keep(kept, name, built)))
  return islandsOf(built)
})

const islandsOf = (built: Built): Islands => ({
  files: new Map(Object.entries(built).map(([name, text]) => [name, { content_type: "text/javascript; charset=utf-8", text }])),
  address: (island) => {
    const name = Object.keys(built).find((file) => file.startsWith(`${island}-`))
    return name === undefined ? "" : `/assets/${name}`
  }
})

/** The element that loads a script. */
export const scriptTag = (address: string): string => (address === "" ? "" : `<script type="module" src="${address}"></script>`)

/** Paths of everything that the islands are made of, and of the manifests: these pin what is bundled and what bundles. */
export const sources = (): ReadonlyArray<string> => [
  ...BESIDE.map((path) => join(import.meta.dirname, path)),
  join(ROOT, "package.json"),
  join(ENGINE, "../package.json"),
  import.meta.filename,
  ...[join(ROOT, "islands"), join(import.meta.dirname, "picture"), ENGINE].flatMap(sourcesBelow).sort()
]

/** Of their names and contents. The manifests also say what may be left out of a bundle. */
const fingerprint = (): string => {
  const contents = sources().map((path) => [relative(ROOT, path), readFileSync(path, "utf8")])
  return hash("sha256", JSON.stringify(contents), "hex").slice(0, 16)
}

const sourcesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name) ? [join(entry.parentPath, entry.name)] : []
  )

/** An older build is of no use to anybody once this one is there: who uses it has it in memory. */
const keep = (folder: string, name: string, built: Built): void => {
  mkdirSync(folder, { recursive: true })
  const beside = join(folder, `${name}.${process.pid}`)
  writeFileSync(beside, JSON.stringify(built))
  renameSync(beside, join(folder, name))
  for (const other of readdirSync(folder))
    if (other.startsWith("islands-") && other.endsWith(".json") && other !== name) rmSync(join(folder, other), { force: true })
}

/** Each by itself, so that a page loads one file; code that two share is in both. */
const build = async (): Promise<Built> => {
  const built: Array<Built> = []
  for (const name of ISLAND_NAMES) built.push(await buildOne(name))
  return Object.assign({}, ...built)
}

/** Styles of islands are written for people, and loaded without the white space between rules, declarations and values. */
export const withoutSpace = (source: string): string =>
  source.replace(/(?<=\bcss`)[^`$]*(?=`)/g, (css) => css.replace(/\s*([{};])\s*|(?<=[:,])\s+|^\s+/g, "$1"))

/** Conditions are named so that a development build of a library is never taken, whatever the environment says. */
const buildOne = async (name: IslandName): Promise<Built> => {
  const vite = await import("vite")
  const built = await vite.build({
    root: ROOT,
    configFile: false,
    envFile: false,
    publicDir: false,
    logLevel: "silent",
    define: { ENGINE_DIGESTS: JSON.stringify(Object.fromEntries(engines.map(({ digest, slug }) => [slug, digest]))) },
    plugins: [{ name: "styles", transform: withoutSpace }],
    resolve: { conditions: ["module", "browser", "production"] },
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      rolldownOptions: {
        input: { [name]: join(ROOT, "islands", `${name}.ts`) },
        output: { entryFileNames: "[name]-[hash].js" }
      }
    }
  })
  const files = [built].flat().flatMap((one) => ("output" in one ? one.output : []))
  return Object.fromEntries(files.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.code]] : [])))
}
