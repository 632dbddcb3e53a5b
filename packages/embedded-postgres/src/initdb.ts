/**
 * Makes the cluster and the database in it: UTF-8, the same collation on every machine, checksums, a
 * password. Where one was prepared (prepared.ts) its spare or a copy gets the password, a quarter of the work;
 * should that fail, one is made.
 */

import { randomBytes } from "node:crypto"
import { chownSync, closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect, Redacted } from "effect"
import type { Binaries } from "./binaries.ts"
import { INHERITED_DIRECTORY } from "./cluster.ts"
import { unavailable } from "./PostgresUnavailable.ts"
import { identity, run } from "./processes.ts"
import type { ServerUser } from "./serverUser.ts"
import { takeSpare } from "./spare.ts"

/** The programs, the user and the names that a cluster is made with. */
export interface Kind {
  readonly binaries: Binaries
  readonly user: ServerUser | undefined
  /** The name of the cluster's superuser, which the caller signs in as, and of the database. */
  readonly superuser: string
}

export interface Plan extends Kind {
  readonly data: string
  readonly password: Redacted.Redacted
  /** A cluster of the same kind that nobody uses, with the database in it. */
  readonly prepared?: string | undefined
}

const TIMEOUT_MS = 120_000
/**
 * The first version that can have a file system write all it holds; before, file after file is written, which
 * takes half of initdb's time.
 */
const SYNCFS_MAJOR = 17

/**
 * Works in a temporary folder beside the data, which is renamed when it is complete: a kill in the
 * middle leaves no half cluster. The initdb of a program that was killed lives on for a moment, so each
 * attempt has a folder of its own.
 */
export const initdb = (plan: Plan) =>
  Effect.acquireUseRelease(
    writing(plan, () => prepare(plan)),
    (making) =>
      (plan.prepared === undefined ? anew(plan, making) : copied(plan, making, plan.prepared)).pipe(
        Effect.andThen(
          Effect.try({
            try: () => renameSync(making.folder, plan.data),
            catch: (error) => unavailable("directory", `${plan.data} is in the way of the database: ${(error as Error).message}`)
          })
        )
      ),
    ({ password, role, database, directory }) => Effect.sync(() => [password, role, database, directory].forEach(closeSync))
  )

/** Files and folders for Postgres's programs are made beside the data, where the disk may be full or not ours. */
const writing = <A>({ data }: Pick<Plan, "data">, write: () => A) =>
  Effect.try({
    try: write,
    catch: (error) => unavailable("directory", `${dirname(data)} cannot be written: ${(error as Error).message}`)
  })

type Making = ReturnType<typeof prepare>

/** Runs one of Postgres's programs on the folder, as the server's user, with an open file as its input. */
const runs = (
  plan: Plan,
  { directory, folder }: Pick<Making, "directory" | "folder">,
  input: number,
  program: string,
  args: ReadonlyArray<string>
) => {
  const data = plan.user === undefined ? folder : INHERITED_DIRECTORY
  const options = { ...identity(plan.user), inherit: [input, directory], timeout_ms: TIMEOUT_MS } as const
  return run(join(plan.binaries.bin, program), [...args, "-D", data, ...(program === "postgres" ? ["template1"] : [])], options)
}

/** A server without clients, which ends with the first statement that fails. */
const ALONE = ["--single", "-c", "exit_on_error=on"]

const anew = (plan: Plan, making: Making) =>
  Effect.andThen(runs(plan, making, making.password, "initdb", argumentsOf(plan)), runs(plan, making, making.database, "postgres", ALONE))

const copied = (plan: Plan, making: Making, prepared: string) => {
  const { directory, folder, role, spare } = making
  const copy = run("cp", ["-Rp", `${prepared}/.`, folder], { inherit: [directory, directory], timeout_ms: TIMEOUT_MS }).pipe(
    Effect.andThen(runs(plan, making, directory, "initdb", ["--sync-only", ...syncOf(plan)]))
  )
  return (spare ? Effect.void : copy).pipe(
    Effect.andThen(runs(plan, making, role, "postgres", ALONE)),
    Effect.tapError(({ message }) => Effect.logWarning("a prepared database cannot be used, and another is made", { prepared, message })),
    Effect.catch(() => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
      return anew(plan, making)
    })
  )
}

/**
 * Gives a cluster whose server is stopped the password of the plan. Whoever owns its files may:
 * the old one is not asked for.
 */
export const setPassword = (plan: Omit<Plan, "prepared">) =>
  Effect.acquireUseRelease(
    writing(plan, () => ({ role: unnamed(plan, alterRole(plan)), directory: openSync(plan.data, "r"), folder: plan.data })),
    (open) => runs(plan, open, open.role, "postgres", ALONE),
    ({ directory, role }) => Effect.sync(() => [role, directory].forEach(closeSync))
  )

const syncOf = ({ binaries }: Kind) => (process.platform === "linux" && binaries.major >= SYNCFS_MAJOR ? ["--sync-method=syncfs"] : [])

/** Clusters that were made with the same are alike but for the password. */
export const argumentsOf = (kind: Kind) => [
  ...["-U", kind.superuser, "-A", "scram-sha-256", "--pwfile=/dev/stdin"],
  ...["-E", "UTF8", "--locale=C", "--data-checksums", "--no-instructions"],
  ...(kind.binaries.major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : []),
  ...syncOf(kind)
]

/**
 * The programs get their input as open files without a name: their user may read them, and the password never
 * appears on a command line. The database is made by a server without clients, which takes a third of what a
 * running one does: it copies files instead of logging each of their pages.
 */
const prepare = (plan: Plan) => {
  const folder = `${plan.data}.initdb.${randomBytes(4).toString("hex")}`
  removeLeftovers(plan.data)
  const spare = plan.prepared !== undefined && takeSpare(plan.prepared, plan.user, folder)
  if (!spare) {
    mkdirSync(folder, { mode: 0o700 })
    if (plan.user !== undefined) chownSync(folder, plan.user.uid, plan.user.gid)
  }
  const password = unnamed(plan, Redacted.value(plan.password))
  const database = unnamed(plan, `CREATE DATABASE "${plan.superuser}" STRATEGY = file_copy;`)
  const role = unnamed(plan, alterRole(plan))
  return { folder, spare, password, role, database, directory: openSync(folder, "r") }
}

const alterRole = ({ password, superuser }: Plan) =>
  `ALTER ROLE "${superuser}" PASSWORD '${Redacted.value(password).replaceAll("'", "''")}';`

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
