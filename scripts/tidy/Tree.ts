/** A repository read once: its text files, its source files with their syntax, its packages with their manifests. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Import, importsOf } from "./imports.ts"
import { type Comment, type Node, parse } from "./syntax.ts"

export interface Finding {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

export interface TextFile {
  readonly path: string
  readonly text: string
}

export interface Source extends TextFile {
  /** The folder's name under packages/, or undefined for test/, examples/, scripts/ and the root. */
  readonly package: string | undefined
  readonly test: boolean
  readonly generated: boolean
  readonly root: Node
  readonly body: ReadonlyArray<Node>
  readonly comments: ReadonlyArray<Comment>
  readonly errors: ReadonlyArray<{ readonly line: number; readonly message: string }>
  readonly imports: ReadonlyArray<Import>
  readonly lineOf: (offset: number) => number
}

export interface Manifest {
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Package {
  readonly folder: string
  readonly path: string
  readonly text: string
  readonly manifest: Manifest
}

export interface Tree {
  /** Of all files, pictures among them; `files` are those with text. */
  readonly paths: ReadonlySet<string>
  readonly files: ReadonlyArray<TextFile>
  readonly sources: ReadonlyArray<Source>
  readonly packages: ReadonlyArray<Package>
  readonly manifest: Manifest
}

/** Whether a file is shared by tests: test/support for all of them, a folder `testing` for those of one package. */
export const isTestSupport = (path: string) => /^(test\/support|packages\/[^/]+\/src\/(.*\/)?testing)\//.test(path)

export const isGenerated = (path: string) => /(^|\/)generated\/|_pb\.ts$/.test(path)

export function readTree(root: string): Tree {
  const paths = list(root)
  const files = paths.flatMap((path) => readText(root, path))
  const manifests = files.filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path))
  const packages = manifests.map(({ path, text }) => {
    return { folder: path.split("/")[1] ?? "", path, text, manifest: JSON.parse(text) as Manifest }
  })
  const folders = new Map(packages.map(({ folder, manifest }) => [manifest.name ?? folder, `packages/${folder}`]))
  const sources = files.filter(({ path }) => /\.[mc]?[jt]sx?$/.test(path)).map((file) => readSource(file, folders))
  const own = files.find(({ path }) => path === "package.json")
  return { paths: new Set(paths), files, sources, packages, manifest: own === undefined ? {} : JSON.parse(own.text) }
}

function readSource({ path, text }: TextFile, folders: ReadonlyMap<string, string>): Source {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  const lineOf = (offset: number) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
  const { body, comments, errors, root } = parse(path, text)
  return {
    path,
    text,
    package: path.match(/^packages\/([^/]+)\//)?.[1],
    test: path === "vitest.config.ts" || /^(test|examples)\//.test(path) || /\.test\.[mc]?[jt]sx?$/.test(path) || isTestSupport(path),
    generated: isGenerated(path),
    root,
    body,
    comments,
    errors: errors.map(({ offset, message }) => ({ line: lineOf(offset), message })),
    imports: importsOf(path, root, lineOf, folders),
    lineOf
  }
}

/** The files that git tracks or would track; if git fails, every file outside a few skipped folders. */
function list(root: string): ReadonlyArray<string> {
  if (!existsSync(join(root, ".git"))) return walk(root, "").sort()
  try {
    const arguments_ = ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    const answer = execFileSync("git", arguments_, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] })
    return [...new Set(answer.split("\0"))].filter((path) => path !== "").sort()
  } catch {
    return walk(root, "").sort()
  }
}

const skipped = new Set(["node_modules", ".git", ".agon", "tmp"])

function walk(root: string, folder: string): Array<string> {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(root, path)
    return entry.isFile() ? [path] : []
  })
}

/** Skips files that git names but that are gone, links to folders, and binary files. */
function readText(root: string, path: string): ReadonlyArray<TextFile> {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (stat?.isFile() !== true) return []
  const bytes = readFileSync(join(root, path))
  return bytes.includes(0) ? [] : [{ path, text: bytes.toString("utf8") }]
}
