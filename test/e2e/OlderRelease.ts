/**
 * The code of an earlier release, out of this repository's own history, running on the
 * packages that are installed here.
 *
 * `AGON_PREVIOUS` names an installed checkout of another release instead: that is how the release that is
 * about to follow one is tried where their packages differ, or where the history is not at hand.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "../..")
/**
 * The last release before those whose nodes may stand beside newer ones: the one that had migrations
 * up to 0034 and no later ones.
 */
const COMMIT = "989bb3f92630"
const MIGRATIONS = "packages/server/src/database/migrations"
const OUTPUT_BYTES_MAX = 64 * 1024 ** 2

export interface OlderRelease {
  readonly root: string
  /** The migrations that it knows, ascending. */
  readonly migrations: ReadonlyArray<number>
  readonly remove: () => void
}

const git = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  execFileSync("git", [...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ["ignore", "pipe", "pipe"]
  })

interface Locked {
  readonly version?: string
  readonly link?: boolean
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
}
interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

/**
 * Packages that nodes and runners need, by their place in the lock file: the site and the tools of
 * that release do not run here.
 */
const needed = ({ packages }: Lock): ReadonlySet<string> => {
  const found = new Set(["packages/server", "packages/runner"])
  for (const path of found) {
    for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
      const own = `${path}/node_modules/${name}`
      const at = packages[own] === undefined ? `node_modules/${name}` : own
      found.add(packages[at]?.link ? packages[at].resolved! : at)
    }
  }
  return found
}

const majorOf = (lock: Lock, path: string): string | undefined => lock.packages[path]?.version?.split(".")[0]

/** The packages that are needed, and are installed here in another major version than the other lock file has. */
const otherPackages = (theirs: Lock, ours: Lock): ReadonlyArray<string> =>
  [...needed(theirs)]
    .filter((path) => path.includes("node_modules/") && majorOf(ours, path) !== majorOf(theirs, path))
    .map((path) => `${path.replace(/^.*node_modules\//, "")} ${theirs.packages[path]?.version}`)

/** Why no earlier release can be run here, or undefined where one can. */
export const missingOlderRelease = (): string | undefined => {
  const named = process.env["AGON_PREVIOUS"]
  if (named !== undefined) return existsSync(join(named, MIGRATIONS)) ? undefined : `AGON_PREVIOUS: ${named} is no checkout`
  let theirs: Lock
  try {
    theirs = JSON.parse(git(["show", `${COMMIT}:package-lock.json`]))
  } catch {
    return `no commit ${COMMIT} here: a shallow clone or a package has no history; AGON_PREVIOUS names an installed checkout of another release`
  }
  const others = otherPackages(theirs, JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")))
  return others.length === 0
    ? undefined
    : `${COMMIT} needs other packages than are installed (${others.slice(0, 3).join(", ")}): name a later release in OlderRelease.ts, or AGON_PREVIOUS`
}

/** All that is installed here, but for the project's own packages, which are the other release's. */
const linkPackages = (root: string): void => {
  const [ours, theirs] = [join(ROOT, "node_modules"), join(root, "node_modules")]
  mkdirSync(join(theirs, "@agon"), { recursive: true })
  for (const name of readdirSync(ours)) {
    if (name !== "@agon" && !name.startsWith(".")) symlinkSync(join(ours, name), join(theirs, name))
  }
  for (const name of readdirSync(join(root, "packages"))) symlinkSync(join(root, "packages", name), join(theirs, "@agon", name))
}

const released = (root: string, remove: () => void): OlderRelease => {
  const names = readdirSync(join(root, MIGRATIONS)).filter((name) => /^\d{4}_/.test(name))
  return { root, migrations: names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b), remove }
}

/** In a directory of its own; the checkout that tests run in, its index and its branches stay as they are. */
export const checkOut = (): OlderRelease => {
  const named = process.env["AGON_PREVIOUS"]
  if (named !== undefined) return released(named, () => undefined)
  const directory = mkdtempSync(join(tmpdir(), "agon-older-"))
  const root = join(directory, "release")
  const index = { GIT_INDEX_FILE: join(directory, "index") }
  git(["read-tree", COMMIT], index)
  git(["checkout-index", "--all", `--prefix=${root}/`], index)
  linkPackages(root)
  return released(root, () => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
}
