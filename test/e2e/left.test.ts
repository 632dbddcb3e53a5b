/** Programs whose terminal closes, or whose lines nobody reads any more: each stops as on SIGTERM and leaves no process. */
import { afterAll, assert, describe, it } from "vitest"
import { eventuallyAsync, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Service from "./Service.ts"

afterAll(Service.cleanUp, PATIENCE_MS)

const place = async () => ({ directory: Service.newDirectory(), port: await freePort(), runners: 1, environment: { AGON_SITE: "own" } })
const noneRuns = (family: ReadonlyArray<Service.Family>) =>
  eventuallyAsync("the end of its processes", () => Service.stillRunning(family).length === 0)

describe("a service", () => {
  it(
    "whose terminal closes stops in order, with site, runner and Postgres",
    async () => {
      const service = await Service.start(await place())
      await eventuallyAsync("site and runner", () => Service.runnerPid(service) !== undefined && Service.sitePid(service) !== undefined)
      const family = Service.familyOf(service)
      // A terminal that closes tells all its processes; Postgres has a session of its own.
      for (const { command, pid } of family) if (!command.includes("postgres")) process.kill(pid, "SIGHUP")
      assert.deepStrictEqual(await service.ended, { status: 0, signal: null }, service.log())
      await noneRuns(family)
      assert.notInclude(service.log(), "is started again")
    },
    PATIENCE_MS
  )

  it(
    "whose lines nobody reads stops in order, with one sentence and no trace",
    async () => {
      const service = Service.launch(await place())
      service.stopReading()
      await eventuallyAsync("its Postgres", () => Service.postgresPid(service) !== undefined || service.over())
      const family = Service.familyOf(service)
      assert.deepStrictEqual(await service.ended, { status: 1, signal: null }, service.log())
      await noneRuns(family)
      assert.strictEqual(service.log(), "nobody takes the lines on standard output (write EPIPE): the program stops\n")
    },
    PATIENCE_MS
  )
})
