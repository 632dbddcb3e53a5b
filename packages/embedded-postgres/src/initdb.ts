/** Makes the cluster of the embedded database: UTF-8, the same collation on every machine, checksums, a password. */

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
  /** The name of the cluster's superuser, which the caller signs in as. */
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
    ({ folder, password, directory }) =>
      Effect.andThen(
        run(join(plan.binaries.bin, "initdb"), argumentsOf(plan, folder), {
          ...identity(plan.user),
          inherit: [password, directory],
          timeout_ms: TIMEOUT_MS
        }),
        Effect.try({
          try: () => renameSync(folder, plan.data),
          catch: (error) => unavailable("directory", `${plan.data} is in the way of the database: ${(error as Error).message}`)
        })
      ),
    ({ password, directory }) => Effect.sync(() => [password, directory].forEach(closeSync))
  )

const argumentsOf = (plan: Plan, folder: string) => [
  ...["-D", plan.user === undefined ? folder : INHERITED_DIRECTORY, "-U", plan.superuser, "-A", "scram-sha-256", "--pwfile=/dev/stdin"],
  ...["-E", "UTF8", "--locale=C", "--data-checksums", "--no-instructions"],
  ...(plan.binaries.major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : [])
]

/** The password is passed as an open file without a name: initdb's user may read it, and it never appears on a command line. */
const prepare = (plan: Plan) => {
  const folder = `${plan.data}.initdb.${randomBytes(4).toString("hex")}`
  const file = `${plan.data}.password`
  removeLeftovers(plan.data)
  rmSync(file, { force: true })
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(file, `${Redacted.value(plan.password)}\n`, { mode: 0o600 })
  if (plan.user !== undefined) for (const path of [folder, file]) chownSync(path, plan.user.uid, plan.user.gid)
  const password = openSync(file, "r")
  rmSync(file)
  return { folder, password, directory: openSync(folder, "r") }
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
