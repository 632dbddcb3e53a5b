/** The runner that the service starts beside itself, when it, or the whole service, is killed while it holds work. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OwnRunner } from "@agon/server/runner/fleet/OwnRunner.ts"
import { RunnerKeys } from "@agon/server/runner/key/RunnerKeys.ts"
import { Runners } from "@agon/server/runner/session/Runners.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Redacted, Schedule } from "effect"
import { layer as administration, leaseAnother, leaseMatch, options, rows, season } from "../support/Administration.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-own-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const secret = "r".repeat(43)
/** Of a service that nobody reaches: the test leases in its name the work that its runner would have been given. */
const ownOf = (secret: string, node?: { readonly host: string; readonly port: number }) =>
  Layer.unwrap(
    Effect.map(temporary, (directory) =>
      OwnRunner.layer({ directory, host: "127.0.0.1", node, port: 1, runner_slots: 1 }, { platform_runner: Redacted.make(secret) })
    )
  )
const own = ownOf(secret)
const ownKey = Effect.flatMap(RunnerKeys, (keys) => keys.own("beside the service", `agon_rk_${secret}`))

/** Until the lease is not held any more; answers how long that took. */
const returned = Effect.fnUntraced(function* (lease: string) {
  const began = performance.now()
  const held = Effect.map(rows<any>`SELECT until IS NOT NULL AS held FROM live WHERE id = ${lease.split(".")[0]!}`, ([row]) => row.held)
  yield* Effect.repeat(held, { schedule: Schedule.spaced("20 millis"), until: (still) => !still })
  return performance.now() - began
})

/** Another process than this one. */
const startedAfter = (pid: number | undefined) =>
  Effect.flatMap(OwnRunner, (runner) =>
    Effect.repeat(
      Effect.sync(() => runner.pid()),
      { schedule: Schedule.spaced("50 millis"), until: (now) => now !== undefined && now !== pid }
    )
  )

layer(administration, options)("the runner beside the service", (it) => {
  it.effect("is started again when it is killed, and what it held, then or in the service's earlier life, goes back at once", () =>
    Effect.gen(function* () {
      const { id } = yield* season("spring")
      const key = Option.getOrThrow(yield* ownKey)
      const early = yield* leaseMatch(id, { key })
      yield* Effect.gen(function* () {
        assert.isBelow(yield* returned(early), 5_000) // the lease would have lasted for 30 s
        const pid = yield* startedAfter(undefined)
        const late = yield* leaseAnother(id, { key })
        process.kill(pid!, "SIGKILL")
        assert.isBelow(yield* returned(late), 5_000)
        yield* startedAfter(pid)
      }).pipe(Effect.provide(own))
    })
  )

  it.effect("is started again also while the database is away and its leases cannot be returned", () =>
    Effect.gen(function* () {
      const keys = yield* RunnerKeys
      let refused = 0
      const away = RunnerKeys.of({
        ...keys,
        returnLeases: () =>
          Effect.suspend(() => {
            refused++
            return Effect.die(new Error("the database is away"))
          })
      })
      yield* Effect.gen(function* () {
        const pid = yield* startedAfter(undefined)
        process.kill(pid!, "SIGKILL")
        const next = yield* startedAfter(pid)
        assert.isTrue(process.kill(next!, 0), "the other process runs")
        assert.throws(() => process.kill(pid!, 0), /ESRCH/)
        assert.strictEqual(refused, 2, "it was tried before each of the two lives, in vain")
      }).pipe(Effect.provide(own), Effect.provideService(RunnerKeys, away))
    })
  )

  it.effect("gets work also when three of its key's runners were flagged within the day, and the log says so", () =>
    Effect.gen(function* () {
      const key = { id: Option.getOrThrow(yield* ownKey), season_id: null }
      const said: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => void said.push(JSON.stringify(message)))])
      const session = { name: "beside", runtime_version: "v", engines: [], accepts: ["match"], slots: 1 } as const
      const opened = Effect.flatMap(Runners, (runners) => runners.open(key, session)).pipe(Effect.provide(listening))
      for (const _ of [1, 2, 3]) yield* opened
      said.splice(0, said.length, ...said.filter((line) => !line.includes("runtime")))
      assert.deepStrictEqual(said, [])
      yield* rows`UPDATE runner SET flagged_at = now() WHERE key_id = ${key.id} AND name = 'beside'`
      const { runner } = yield* opened
      assert.match(said.join(), new RegExp(`flagged three times within a day and goes on.*${runner}.*${key.id}`))
      const [opening] = yield* rows<any>`SELECT state FROM runner WHERE id = ${runner}`
      assert.strictEqual(opening.state, "active")
      yield* rows`DELETE FROM runner WHERE key_id = ${key.id} AND name = 'beside'`
    })
  )

  it.effect("is not started once its key was revoked, and the service starts without it, until it is given another", () =>
    Effect.gen(function* () {
      const keys = yield* RunnerKeys
      yield* keys.end(Option.getOrThrow(yield* ownKey), null)
      const runner = yield* Effect.provide(OwnRunner, own)
      assert.isUndefined(runner.pid())
      assert.isDefined(yield* Effect.provide(startedAfter(undefined), ownOf("s".repeat(43))))
    })
  )

  it.effect("has a key of its own beside each of several nodes, so that none returns what the runner of another holds", () =>
    Effect.gen(function* () {
      const keys = Effect.map(rows<any>`SELECT id FROM runner_key WHERE name = 'beside the service'`, ({ length }) => length)
      const before = yield* keys
      for (const port of [7070, 7071, 7071]) yield* Effect.provide(OwnRunner, ownOf("n".repeat(43), { host: "10.0.0.5", port }))
      assert.strictEqual(yield* keys, before + 2)
    })
  )
})
