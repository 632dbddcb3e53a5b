/**
 * A runner that is told to stop: a process of its own, which plays for the whole service. A match
 * that is to take long is one whose sandbox is stopped in its tracks, and so are no matches that end
 * by chance while a test looks.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventually, parked } from "../support/eventually.ts"
import { bringIn, keyed, seasonOf, snakesZoo } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"
import { allowed } from "../support/slack.ts"
import { familyOf } from "./Service.ts"

const PROGRAM = join(import.meta.dirname, "../../packages/runner/src/main.ts")
/** The longest that a runner which plays nothing takes to end, its process included. */
const IDLE_MS = 1_000
/** Longer than any test: only a runner that hurries ends sooner. */
const FOR_EVER_S = "3600"

/** How it says that it still plays. */
const STOPS = "runner stops after the work in progress"

interface Runner {
  readonly pid: number
  readonly log: () => string
  /** Its exit status, and how long after `since` it was there. */
  readonly ended: Promise<{ readonly status: number | null; readonly at: number }>
  /** To the runner alone. */
  readonly signal: (name: NodeJS.Signals) => void
  /** To every process of its group, as a terminal does it. */
  readonly fromTerminal: (name: NodeJS.Signals) => void
  /** The process groups of its sandbox, where the system tells. */
  readonly sandboxGroups: () => ReadonlyArray<number>
  /** To its sandbox. */
  readonly toSandbox: (name: NodeJS.Signals) => void
}

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-drain-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
)

const groupOf = ({ pid }: { readonly pid: number }) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2])
}

const handleOn = (child: ChildProcess): Runner => {
  const pid = child.pid!
  let said = ""
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<Awaited<Runner["ended"]>>((resolve) => {
    child.on("exit", (status) => resolve({ status, at: performance.now() }))
  })
  const sandbox = () => familyOf({ pid }).filter((one) => one.pid !== pid)
  return {
    pid,
    log: () => said,
    ended,
    signal: (name) => void process.kill(pid, name),
    fromTerminal: (name) => void process.kill(-pid, name),
    sandboxGroups: () => (existsSync("/proc/self/stat") ? sandbox().map(groupOf) : []),
    toSandbox: (name) => {
      for (const one of sandbox()) process.kill(one.pid, name)
    }
  }
}

/** A runner that waits for work, of the key. */
const started = Effect.fnUntraced(function* (secret: string, environment: Readonly<Record<string, string>> = {}) {
  const { origin } = yield* Service.Service
  const env = {
    PATH: process.env["PATH"] ?? "",
    AGON_TEST_RUN: process.env["AGON_TEST_RUN"] ?? "",
    AGON_URL: origin,
    AGON_RUNNER_KEY: secret,
    AGON_RUNNER_ACCEPTS: "match",
    AGON_RUNNER_CACHE: yield* directory,
    ...environment
  }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [PROGRAM], { env, stdio: ["pipe", "pipe", "pipe"], detached: true })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  const runner = handleOn(child)
  yield* parked(1)
  return runner
})

/** The service's record of the key's one session. */
const rowOf = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly state: string; readonly leases: number }>`
    SELECT state, (SELECT count(*)::int FROM live WHERE live.runner_id = runner.id AND until IS NOT NULL) AS leases
    FROM runner WHERE key_id = ${key} AND name = 'runner'`
  return row!
})

const holds = (key: string, leases: number) =>
  eventually(
    `${leases} leases of the runner`,
    Effect.map(rowOf(key), (row) => row.leases === leases)
  )
const says = (runner: Runner, what: string) =>
  eventually(
    `"${what}" in what the runner says`,
    Effect.sync(() => runner.log().includes(what))
  )

/** A season's own runner, whose one match does not go on. */
const inMatch = Effect.fnUntraced(function* (slug: string, environment: Readonly<Record<string, string>>) {
  const fleet = yield* keyed(slug)
  const here = yield* seasonOf(slug, fleet, 0)
  const { id: key, key: secret } = yield* fleet.admin.seasonFleet.createSeasonKey({ params: here, payload: { name: slug } })
  const files = yield* directory
  const runner = yield* started(secret, { ...environment, AGON_RUNNER_CACHE: files })
  runner.toSandbox("SIGSTOP")
  yield* bringIn(fleet, here, ...snakesZoo.slice(0, 2))
  yield* holds(key, 1)
  yield* eventually(
    "the files of the match",
    Effect.sync(() => readdirSync(files).length > 0)
  )
  return { key, runner }
})

const rated = Effect.fnUntraced(function* (slug: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly n: number }>`
    SELECT count(*)::int AS n FROM match JOIN season ON season.id = season_id WHERE slug = ${slug} AND status = 'rated'`
  return row!.n
})

/** It has ended, and nothing of it is left to run out. */
const endedWell = Effect.fnUntraced(function* (runner: Runner, key: string) {
  const { at, status } = yield* Effect.promise(() => runner.ended)
  assert.deepStrictEqual(yield* rowOf(key), { state: "gone", leases: 0 })
  assert.strictEqual(status, 0, runner.log())
  return at
})

layer(Service.layer(), { excludeTestServices: true, timeout: "300 seconds" })("a runner that is told to stop", (it) => {
  it.effect("ends within a second where it plays nothing, and the service knows when it has ended", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("idle")
      const runner = yield* started(fleet.secret)
      assert.deepStrictEqual(yield* rowOf(fleet.key), { state: "active", leases: 0 })
      const began = performance.now()
      runner.signal("SIGTERM")
      const at = yield* endedWell(runner, fleet.key)
      console.log(`an idle runner ended ${Math.round(at - began)} ms after SIGTERM`)
      assert.isBelow(at - began, allowed(IDLE_MS))
    }).pipe(Effect.scoped)
  )

  it.effect("takes no new work, finishes what it plays and reports it, also where a terminal told all of its processes", () =>
    Effect.gen(function* () {
      const { key, runner } = yield* inMatch("finishing", { AGON_RUNNER_FINISH_S: FOR_EVER_S })
      assert.notInclude(runner.sandboxGroups(), runner.pid, "what a terminal signals is the runner's group")
      runner.fromTerminal("SIGINT")
      yield* says(runner, STOPS)
      assert.deepStrictEqual(yield* rowOf(key), { state: "active", leases: 1 })
      runner.toSandbox("SIGCONT")
      yield* endedWell(runner, key)
      assert.strictEqual(yield* rated("finishing"), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("finishes what it plays where the service that it is tied to is told by the same terminal", () =>
    Effect.gen(function* () {
      const { key, runner } = yield* inMatch("tied", { AGON_RUNNER_FINISH_S: FOR_EVER_S, AGON_RUNNER_TIED: "1" })
      runner.fromTerminal("SIGINT")
      runner.signal("SIGTERM")
      yield* says(runner, STOPS)
      runner.toSandbox("SIGCONT")
      yield* endedWell(runner, key)
      assert.strictEqual(yield* rated("tied"), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("gives its match back when its time is over", () =>
    Effect.gen(function* () {
      const { key, runner } = yield* inMatch("limited", { AGON_RUNNER_FINISH_S: "1" })
      runner.signal("SIGTERM")
      yield* endedWell(runner, key)
      assert.include(runner.log(), STOPS)
      assert.strictEqual(yield* rated("limited"), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("ends at once and gives its match back when it is told a second time", () =>
    Effect.gen(function* () {
      const { key, runner } = yield* inMatch("hurried", { AGON_RUNNER_FINISH_S: FOR_EVER_S })
      runner.signal("SIGTERM")
      yield* says(runner, STOPS)
      const began = performance.now()
      runner.signal("SIGINT")
      const at = yield* endedWell(runner, key)
      console.log(`a runner in a match ended ${Math.round(at - began)} ms after its second signal`)
      assert.isBelow(at - began, allowed(IDLE_MS))
      assert.strictEqual(yield* rated("hurried"), 0)
    }).pipe(Effect.scoped)
  )
})
