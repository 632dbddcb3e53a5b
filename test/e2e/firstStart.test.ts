/**
 * The first start, whose database is made while the rest of the service is loaded: ended at any
 * moment of it, the next one works.
 */
import { globSync } from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import { eventuallyAsync, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Service from "./Service.ts"
import { Visitor } from "./Visitor.ts"

afterAll(Service.cleanUp, PATIENCE_MS)

const newPlace = async () => ({ directory: Service.newDirectory(), port: await freePort(), runners: 0 })

/** Moments of a first start, by what it has made in its directory. */
const MOMENTS = [
  ["while initdb works", "postgres.initdb.*"],
  ["while the server comes up", "postgres"],
  ["while the schema is made", "postgres/postmaster.pid"]
] as const

describe("a first start", () => {
  it.each(MOMENTS)(
    "that is told to stop %s ends by itself with status 0, leaves no process, and the next one answers",
    async (_, made) => {
      const place = await newPlace()
      const first = Service.launch(place)
      await eventuallyAsync(made, () => globSync(made, { cwd: place.directory }).length > 0 || first.over())
      const family = Service.familyOf(first)
      process.kill(first.pid, "SIGTERM")
      assert.deepStrictEqual(await first.ended, { status: 0, signal: null }, first.log())
      await eventuallyAsync("the end of its processes", () => Service.stillRunning(family).length === 0)
      const next = await Service.start(place)
      Service.kill(next, next.pid)
    },
    PATIENCE_MS
  )

  it.each(MOMENTS)(
    "that is killed %s is made good by the next one",
    async (_, made) => {
      const place = await newPlace()
      const first = Service.launch(place)
      await eventuallyAsync(made, () => globSync(made, { cwd: place.directory }).length > 0 || first.over())
      Service.kill(first, first.pid)
      await first.ended
      const next = await Service.start(place)
      Service.kill(next, next.pid)
    },
    PATIENCE_MS
  )
})

describe("the demonstration", () => {
  it(
    "has two baselines in play before it sends the others, so that they play meanwhile",
    async () => {
      const service = await Service.start({ ...(await newPlace()), runners: 1, environment: { AGON_DEMO: "1" } })
      const admin = await Visitor.signedIn(service.origin, "admin")
      const done = async () => {
        const { json } = await admin.ask("GET", "/v1/admin/audit?limit=100")
        const rows: ReadonlyArray<{ readonly action: string }> = json.audit
        return rows.map(({ action }) => action.replace("baseline.", "")).filter((action) => action === "record" || action === "switch")
      }
      await eventuallyAsync("a third baseline", async () => (await done()).filter((action) => action === "record").length > 2)
      assert.deepStrictEqual((await done()).toReversed().slice(0, 5), ["record", "record", "switch", "switch", "record"])
    },
    PATIENCE_MS
  )
})
