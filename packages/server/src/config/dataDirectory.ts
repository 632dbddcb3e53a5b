/** AGON_DATA: made at the first start, closed to everybody else, and proved writable before anything relies on it. */
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { refuse } from "./StartRefused.ts"

/** Embedded database, objects and secrets: nobody else's business. */
const MODE = 0o700

/** Makes the directory and answers its path, or refuses with one line. */
export const prepare = (path: string) =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(path), { recursive: true })
      if (!existsSync(path)) mkdirSync(path, { mode: MODE })
      if ((statSync(path).mode & 0o777) !== MODE) chmodSync(path, MODE)
      const proof = join(path, `.writable-${process.pid}`)
      writeFileSync(proof, "")
      rmSync(proof)
      return path
    },
    catch: (error) =>
      refuse(
        `AGON_DATA: ${path} cannot be written by this user (${(error as NodeJS.ErrnoException).code ?? error}); it takes a directory of its own`
      )
  })
