/**
 * AGON_DATA: made at the first start, closed to other users, and checked to be writable
 * before anything relies on it.
 */

import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder } from "@agon/api/program/makeFolder.ts"
import { Effect } from "effect"
import { refuse } from "./StartRefused.ts"

/** Only the owner may read the embedded database, objects and secrets. */
const MODE = 0o700

/** Entries of a directory that a service has used, including an interrupted start (`postgres.initdb`). */
const OURS = /^(secrets|postgres|objects|runner)(\.|$)/

/**
 * The mode change would lock other users out of their files, so a directory with other contents, such
 * as /tmp or a home, is refused.
 */
const isSomebodyElses = (path: string) => othersIn(path).length > 0

/** The contents of a directory that no service has used yet. */
const othersIn = (path: string): ReadonlyArray<string> => {
  const names = readdirSync(path).filter((name) => name !== "lost+found") // a new volume has it
  return names.some((name) => OURS.test(name)) ? [] : names
}

/** Names of others' things that a sentence lists. */
const NAMED_MAX = 3

/**
 * A sentence about others' things in a directory that only its user may read and that no service has used yet, such as a home: the start
 * takes it and leaves them alone, which is seldom meant. Undefined where there are none.
 */
export const sharedWith = (path: string): string | undefined => {
  if (!existsSync(path)) return undefined
  const names = othersIn(path).toSorted()
  if (names.length === 0) return undefined
  const listed = `${names.slice(0, NAMED_MAX).join(", ")}${names.length > NAMED_MAX ? ", ..." : ""}`
  return `AGON_DATA: ${path} holds other things (${listed}), which stay as they are; it takes a directory of its own`
}

const close = (path: string) => {
  if ((statSync(path).mode & 0o777) === MODE) return
  if (isSomebodyElses(path)) throw new Error("it holds other things and is open to others")
  chmodSync(path, MODE)
}

/** The fault at which the start would stop, and its remedy, found without a change; undefined where the directory is or can be good. */
export const faultOf = (path: string): string | undefined => {
  if (!existsSync(path)) return unmakeable(path)
  const { mode, uid } = statSync(path)
  if (!statSync(path).isDirectory()) return `${path} is no directory; it takes a directory of its own`
  const refused = unwritable(path)
  if (refused !== undefined) {
    const mend =
      refused === "EROFS"
        ? "its file system is mounted read-only; look at the disk and mount it again"
        : `give it to the user of the service (it belongs to id ${uid})`
    return `${path} cannot be written by this user; ${mend}`
  }
  if ((mode & 0o777) === MODE) return undefined
  if (isSomebodyElses(path)) return `${path} holds other things and is open to others; it takes a directory of its own`
  const user = process.getuid?.() ?? uid
  return user === 0 || user === uid ? undefined : `${path} belongs to id ${uid} and is open to others; give it to the user of the service`
}

/** Why a directory that is not there cannot be made. */
const unmakeable = (path: string): string | undefined => {
  const lost = lostLink(path)
  if (lost !== undefined) return lost
  let above = dirname(path)
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above)
  const refused = statSync(above).isDirectory() ? unwritable(above) : "ENOTDIR"
  return refused === undefined ? undefined : `${path} cannot be made by this user in ${above} (${refused}); name a directory that can`
}

/** A link without a target, in the place of the directory or above it. */
const lostLink = (path: string): string | undefined => {
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at))
    if (isLink(at)) return `${at} is a link that leads nowhere; make its target`
  return undefined
}

const isLink = (path: string) => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false // nothing is there, or above it is a file
  }
}

/** The code with which the system refuses this user to write there. */
const unwritable = (path: string): string | undefined => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

/** Makes the directory and answers its path, or refuses with one line. Others' things in it are a line of the log, once. */
export const prepare = (path: string) =>
  Effect.gen(function* () {
    const lost = lostLink(path)
    if (lost !== undefined) return yield* refuse(`AGON_DATA: ${lost}`)
    const shared = yield* make(path)
    if (shared !== undefined) yield* Effect.logWarning(shared)
    return path
  })

const make = (path: string) =>
  Effect.try({
    try: () => {
      makeFolder(dirname(path))
      if (!existsSync(path)) mkdirSync(path, { mode: MODE })
      close(path)
      const shared = sharedWith(path)
      const proof = join(path, `.writable-${process.pid}`)
      writeFileSync(proof, "")
      rmSync(proof)
      return shared
    },
    catch: (error) =>
      refuse(
        `AGON_DATA: ${path} cannot be used by this user (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}); it takes a directory of its own`
      )
  })
