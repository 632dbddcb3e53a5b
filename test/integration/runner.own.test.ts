/** The runner that the service starts beside itself, when it is killed while it holds work. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OwnRunner } from "@agon/server/runner/OwnRunner.ts"
import { leaseMatch, layer as administration, options, rows, season } from "../support/Administration.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-own-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Of a service that nobody reaches: what its runner would have been given, the test leases in its name. */
const own = Layer.unwrap(
  Effect.map(temporary, (directory) =>
    OwnRunner.layer({ directory, host: "127.0.0.1", port: 1, runner_slots: 1 }, { platform_runner: Redacted.make("r".repeat(43)) })
  )
)

layer(own.pipe(Layer.provideMerge(administration)), options)("the runner beside the service", (it) => {
  it.effect("is started again when it is killed, and what it held goes back to the queue at once", () =>
    Effect.gen(function* () {
      const runner = yield* OwnRunner
      const { id } = yield* season("spring")
      const [key] = yield* rows<{ readonly id: string }>`SELECT id FROM runner_key`
      const lease = yield* leaseMatch(id, { key: key!.id })
      const held = Effect.map(rows<any>`SELECT until IS NOT NULL AS held FROM live WHERE id = ${lease.split(".")[0]!}`, ([row]) => row.held)
      assert.isTrue(yield* held)
      const pid = runner.pid()!
      const killed = performance.now()
      process.kill(pid, "SIGKILL")
      yield* Effect.repeat(held, { schedule: Schedule.spaced("20 millis"), until: (still) => !still })
      assert.isBelow(performance.now() - killed, 5_000) // the lease would have lasted for 30 s
      yield* Effect.repeat(
        Effect.sync(() => runner.pid()),
        { schedule: Schedule.spaced("50 millis"), until: (now) => now !== undefined && now !== pid }
      )
    })
  )
})
