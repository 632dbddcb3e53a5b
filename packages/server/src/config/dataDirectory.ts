/**
 * AGON_DATA: made at the first start, closed to other users, and checked to be writable
 * before anything relies on it.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
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
const isSomebodyElses = (path: string) => {
  const names = readdirSync(path).filter((name) => name !== "lost+found") // a new volume has it
  return names.length > 0 && !names.some((name) => OURS.test(name))
}

const close = (path: string) => {
  if ((statSync(path).mode & 0o777) === MODE) return
  if (isSomebodyElses(path)) throw new Error("it holds other things and is open to others")
  chmodSync(path, MODE)
}

/** Makes the directory and answers its path, or refuses with one line. */
export const prepare = (path: string) =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(path), { recursive: true })
      if (!existsSync(path)) mkdirSync(path, { mode: MODE })
      close(path)
      const proof = join(path, `.writable-${process.pid}`)
      writeFileSync(proof, "")
      rmSync(proof)
      return path
    },
    catch: (error) =>
      refuse(
        `AGON_DATA: ${path} cannot be used by this user (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}); it takes a directory of its own`
      )
  })
