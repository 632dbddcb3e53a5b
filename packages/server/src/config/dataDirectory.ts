/** AGON_DATA: made at the first start, closed to everybody else, and proved writable before anything relies on it. */
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { refuse } from "./StartRefused.ts"

/** Embedded database, objects and secrets: nobody else's business. */
const MODE = 0o700

/** What lies in a directory that a service has used, be it a start that was cut short (`postgres.initdb`). */
const OURS = /^(secrets|postgres|objects|runner)(\.|$)/

/** A directory that is closed here is closed to everybody who had files in it: /tmp or somebody's home is refused instead. */
const isSomebodyElses = (path: string) => {
  const names = readdirSync(path).filter((name) => name !== "lost+found") // of a volume that is new
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
