/**
 * An engine's digest: sha256 over its rules version and every source file it consists of. The files are found by following
 * the relative imports from the engine's own module, so none is missed, and tests, boards and other games are not included.
 * Names are relative to this folder and line ends are LF, so that every checkout agrees. Comments on lines of their own are left
 * out: a better sentence must not part a season from its runners.
 */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { sha256Hex } from "./canonicalJson.ts"

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
export const sourcesFrom = (
  entries: ReadonlyArray<URL>,
  read: (url: URL) => string = (url) => readFileSync(url, "utf8")
): ReadonlyArray<Source> => {
  const root = posixPath(new URL(".", import.meta.url))
  const sources = new Map<string, Source>()
  const open = [...entries]
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (sources.has(url.href)) continue
    const text = read(url)
    sources.set(url.href, { name: posix.relative(root, posixPath(url)), text })
    for (const match of text.matchAll(imported)) open.push(new URL(match[1]!, url))
  }
  return [...sources.values()]
}

/** The digest of the engine whose module is `entry` (its `import.meta.url`). */
export const engineDigest = (rules: string, entry: string): string =>
  digestOfSources(rules, sourcesFrom([new URL(entry), new URL("./canonicalJson.ts", import.meta.url)]))

const posixPath = (url: URL): string => fileURLToPath(url).replaceAll("\\", "/")
