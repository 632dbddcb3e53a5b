/**
 * Real processes are killed without warning while a season plays, one and several, in this order and that; and stopped
 * politely. Whatever happened: no rated match is lost, none is rated twice, the books add up, and play goes on.
 */

import { setTimeout as pause } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventuallyAsync, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { allowed } from "../support/slack.ts"
import { sample, slow } from "../support/slow.ts"
import * as Competition from "./Competition.ts"
import { audit, type Ledger } from "./Ledger.ts"
import * as Service from "./Service.ts"
import { Visitor } from "./Visitor.ts"
import { Witness } from "./Witness.ts"

const BOARDS = ["open-7"]
const BASELINES = ["straight-on", "careless", "random-safe"]
/** Rated matches that prove that play goes on. */
const MORE = slow ? 10 : 3
/** The longest that a stop may take (docs/operating.md#start). */
const STOP_MS = 10_000

type Victim = "service" | "runner" | "postgres"
/** The first kills most at once, and stands for them all in an ordinary run. */
const someOrders: ReadonlyArray<ReadonlyArray<Victim>> = [
  ["service", "postgres", "runner"],
  ["runner"],
  ["postgres"],
  ["service"],
  ["postgres", "service"]
]
const everyOrder: ReadonlyArray<ReadonlyArray<Victim>> = [
  ["runner"],
  ["postgres"],
  ["service"],
  ["service", "runner"],
  ["service", "postgres"],
  ["runner", "service"],
  ["runner", "postgres"],
  ["postgres", "service"],
  ["postgres", "runner"],
  ["service", "runner", "postgres"],
  ["service", "postgres", "runner"],
  ["runner", "service", "postgres"],
  ["runner", "postgres", "service"],
  ["postgres", "service", "runner"],
  ["postgres", "runner", "service"],
  ["postgres", "postgres", "postgres"]
]

describe("a service whose processes are killed while its season plays", () => {
  let options: Service.Options
  let service: Service.Service
  let witness: Witness
  let ledger: Ledger | undefined
  const lives: Array<ReadonlyArray<Service.Family>> = []

  const visitor = () => new Visitor(service.origin)
  const live = async () => {
    service = await Service.start(options)
  }
  const endOfLife = () => lives.push(Service.familyOf(service))

  /** Play goes on from here, and nothing that was known before is different or gone. */
  const goesOn = async () => {
    let before = 0
    await eventuallyAsync("an answer", async () => {
      before = await Competition.ratedSoFar(visitor())
      return true
    })
    await Competition.rated(visitor(), before + MORE)
    const now = await audit(service)
    for (const [id, result] of ledger?.results ?? []) assert.strictEqual(now.results.get(id), result, `match ${id} is as it was`)
    const shown = [...witness.seen.keys()]
    assert.deepStrictEqual(
      shown.filter((id) => !now.results.has(id)),
      [],
      "every match that was shown as rated is there"
    )
    assert.deepStrictEqual(witness.contradictions, [])
    ledger = now
  }

  beforeAll(async () => {
    options = { directory: Service.newDirectory(), port: await freePort() }
    await live()
    await Competition.open(await Visitor.signedIn(service.origin, "admin"), { boards: BOARDS, baselines: BASELINES })
    witness = new Witness(visitor())
    await goesOn()
  }, 300_000)
  afterAll(async () => {
    await witness?.stop()
    await Service.cleanUp()
  })

  const orders = (slow ? everyOrder : sample(someOrders)).map((victims) => ({ title: victims.join(", then "), victims }))
  it.each(orders)("loses and repeats nothing when SIGKILL ends its $title", async ({ victims }) => {
    endOfLife()
    const runner = Service.runnerPid(service)
    for (const victim of victims) {
      if (victim === "service") Service.kill(service, service.pid)
      if (victim === "runner") Service.killIfThere(runner) // it ends by itself with the service
      if (victim === "postgres") {
        let pid: number | undefined
        await eventuallyAsync("a Postgres to kill", () => {
          pid = Service.postgresPid(service)
          return pid !== undefined && Service.killIfThere(pid)
        })
      }
    }
    if (victims.includes("service")) {
      assert.strictEqual((await service.ended).signal, "SIGKILL")
      await live()
    }
    await goesOn()
  })

  it("answers 503 and never 500 while its database is away and on its way back", async () => {
    const statuses = new Set<number>()
    for (let kills = 0; kills < (slow ? 10 : 3); kills++) {
      const before = Service.postgresPid(service)
      await eventuallyAsync("a Postgres to kill", () => Service.killIfThere(Service.postgresPid(service)))
      await eventuallyAsync("the database's return", async () => {
        // Never cached, and read from the database, whose processes answer on for a moment.
        const { status } = await fetch(`${service.origin}${Competition.seasonPath}/playing`)
        statuses.add(status)
        return status === 200 && Service.postgresPid(service) !== before
      })
    }
    assert.deepStrictEqual([...statuses].toSorted(), [200, 503])
    await goesOn()
  })

  it.runIf(slow)("comes up after any number of starts that were killed in the middle", async () => {
    endOfLife()
    Service.kill(service, service.pid)
    await service.ended
    for (const after_ms of [200, 600, 1_000, 1_500, 2_000, 3_000, 4_500]) {
      const starting = Service.launch(options)
      await pause(after_ms)
      lives.push(Service.familyOf(starting))
      Service.kill(starting, starting.pid)
      await starting.ended
    }
    await live()
    await goesOn()
  })

  const statuses: Array<number | null> = []
  it.each(["SIGTERM", "SIGINT"] as const)(
    "stops on %s within 10 s, leaves nothing running, and takes up where it stopped",
    async (signal) => {
      endOfLife()
      const began = performance.now()
      process.kill(service.pid, signal)
      const end = await Promise.race([service.ended, pause(PATIENCE_MS)])
      const took_ms = performance.now() - began
      const left = Service.stillRunning(lives.flat())
      await live()
      assert.isDefined(end, "it ended")
      assert.isNull(end?.signal, "by itself")
      statuses.push(end!.status)
      assert.isBelow(took_ms, allowed(STOP_MS))
      assert.deepStrictEqual(left, [], "neither of this life nor of an earlier one")
      await goesOn()
    }
  )

  it("calls both of these stops a success: exit status 0", () => assert.deepStrictEqual(statuses, [0, 0]))

  it("still lists every match that it ever showed as rated", async () => {
    const listed = await witness.lookAtAll()
    assert.deepStrictEqual(
      [...witness.seen.keys()].filter((id) => !listed.has(id)),
      []
    )
    assert.deepStrictEqual(witness.contradictions, [])
  })
})
