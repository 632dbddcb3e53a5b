/**
 * An engine's digest: sha256 over its rules version and every source file it consists of. The files are found by following
 * the relative imports from the engine's own module, so none is missed, and tests, boards and other games are not included.
 * Names are relative to this folder and line ends are LF, so that every checkout agrees. Comments on lines of their own are left
 * out: a better sentence must not part a season from its runners.
 */
import { moduleOfNode } from "./node.ts"
import { sha256Hex } from "./sha256.ts"

/**
 * The digests by game, where whoever bundled the engine for a browser has defined them: there are no sources to read, and
 * comparing a replay's digest with this build's needs the same value as everywhere.
 */
declare const ENGINE_DIGESTS: Readonly<Record<string, string>> | undefined

export interface Source {
  readonly name: string
  readonly text: string
}

/** Hashes names and lengths beside the texts, so that moving a line from one file to the next changes the digest. */
export const digestOfSources = (rules: string, sources: ReadonlyArray<Source>): string => {
  const sorted = [...sources].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const files = sorted.map(({ name, text }) => [name, withoutComments(text.replaceAll("\r\n", "\n"))])
  return sha256Hex(JSON.stringify([rules, files]))
}

/** Lines that hold nothing but a comment, as biome formats them. A comment behind code stays: to find it would take a parser. */
const withoutComments = (text: string): string => text.replace(/^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/[ \t]*)\n/gm, "")

/** Imports and re-exports of files, written at the start of a line as biome formats them. */
const imported = /^(?:import|export)\b(?:[^"\n;]*(?:\{[^}]*\}[^"\n;]*)?\bfrom)?\s*"(\.{1,2}\/[^"]+)"/gm

/** The files reached from `entries` by relative imports, each once. */
export const sourcesFrom = (entries: ReadonlyArray<URL>, read: (url: URL) => string = readFile): ReadonlyArray<Source> => {
  const root = new URL(".", import.meta.url).href
  const sources = new Map<string, Source>()
  const open = [...entries]
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (sources.has(url.href)) continue
    const text = read(url)
    sources.set(url.href, { name: nameBelow(root, url), text })
    for (const match of text.matchAll(imported)) open.push(new URL(match[1]!, url))
  }
  return [...sources.values()]
}

/** The digest of the engine whose module is `entry` (its `import.meta.url`). */
export const engineDigest = (rules: string, entry: string): string =>
  typeof ENGINE_DIGESTS === "undefined"
    ? digestOfSources(rules, sourcesFrom([new URL(entry), new URL("./canonicalJson.ts", import.meta.url)]))
    : ENGINE_DIGESTS[rules.slice(0, rules.indexOf("/"))]!

interface FileSystem {
  readonly readFileSync: (url: URL, encoding: "utf8") => string
}

const readFile = (url: URL): string => {
  const files = moduleOfNode<FileSystem>("node:fs")
  if (files === undefined) throw new Error(`${url.href} cannot be read here: define ENGINE_DIGESTS where the engine is bundled`)
  return files.readFileSync(url, "utf8")
}

const nameBelow = (root: string, { href }: URL): string => {
  if (!href.startsWith(root)) throw new Error(`${href} is not below ${root}: an engine imports nothing from outside`)
  return href.slice(root.length)
}
