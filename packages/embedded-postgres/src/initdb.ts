/** Makes the cluster and the database in it: UTF-8, the same collation on every machine, checksums, a password. */

import { randomBytes } from "node:crypto"
import { chownSync, closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect, Redacted } from "effect"
import type { Binaries } from "./binaries.ts"
import { INHERITED_DIRECTORY } from "./cluster.ts"
import { unavailable } from "./PostgresUnavailable.ts"
import { identity, run } from "./processes.ts"
import type { ServerUser } from "./serverUser.ts"

export interface Plan {
  readonly data: string
  readonly binaries: Binaries
  readonly user: ServerUser | undefined
  /** The name of the cluster's superuser, which the caller signs in as, and of the database. */
  readonly superuser: string
  readonly password: Redacted.Redacted
}

const TIMEOUT_MS = 120_000

/**
 * Works in a temporary folder beside the data, which is renamed when it is complete: a kill in the middle leaves no half cluster. The
 * initdb of a program that was killed lives on for a moment, so each attempt has a folder of its own.
 */
export const initdb = (plan: Plan) =>
  Effect.acquireUseRelease(
    Effect.sync(() => prepare(plan)),
    ({ folder, password, database, directory }) => {
      const data = plan.user === undefined ? folder : INHERITED_DIRECTORY
      const runs = (program: string, args: ReadonlyArray<string>, input: number) =>
        run(join(plan.binaries.bin, program), args, { ...identity(plan.user), inherit: [input, directory], timeout_ms: TIMEOUT_MS })
      return runs("initdb", ["-D", data, ...argumentsOf(plan)], password).pipe(
        Effect.andThen(runs("postgres", ["--single", "-D", data, "template1"], database)),
        Effect.andThen(
          Effect.try({
            try: () => renameSync(folder, plan.data),
            catch: (error) => unavailable("directory", `${plan.data} is in the way of the database: ${(error as Error).message}`)
          })
        )
      )
    },
    ({ password, database, directory }) => Effect.sync(() => [password, database, directory].forEach(closeSync))
  )

const argumentsOf = (plan: Plan) => [
  ...["-U", plan.superuser, "-A", "scram-sha-256", "--pwfile=/dev/stdin"],
  ...["-E", "UTF8", "--locale=C", "--data-checksums", "--no-instructions"],
  ...(plan.binaries.major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : [])
]

/**
 * The programs get their input as open files without a name: their user may read them, and the password never appears on a command line.
 * The database is made by a server without clients, which takes a third of what a running one does: it copies files instead of logging
 * each of their pages. Its exit status says nothing of a statement that failed, so a start looks whether the database is there.
 */
const prepare = (plan: Plan) => {
  const folder = `${plan.data}.initdb.${randomBytes(4).toString("hex")}`
  removeLeftovers(plan.data)
  mkdirSync(folder, { mode: 0o700 })
  if (plan.user !== undefined) chownSync(folder, plan.user.uid, plan.user.gid)
  const password = unnamed(plan, Redacted.value(plan.password))
  const database = unnamed(plan, `CREATE DATABASE "${plan.superuser}" STRATEGY = file_copy;`)
  return { folder, password, database, directory: openSync(folder, "r") }
}

const unnamed = ({ data, user }: Plan, line: string) => {
  const file = `${data}.password`
  rmSync(file, { force: true })
  writeFileSync(file, `${line}\n`, { mode: 0o600 })
  if (user !== undefined) chownSync(file, user.uid, user.gid)
  const opened = openSync(file, "r")
  rmSync(file)
  return opened
}

/** A folder that an initdb still writes to may stay; the next first start tries again, and nothing else minds it. */
const removeLeftovers = (data: string) => {
  for (const name of readdirSync(dirname(data)).filter((name) => name.startsWith(`${basename(data)}.initdb`))) {
    try {
      rmSync(join(dirname(data), name), { recursive: true, force: true })
    } catch {
      // Somebody writes to it.
    }
  }
}
