/**
 * The first start, whose database is made while the rest of the service is loaded: ended at any
 * moment of it, the next one works.
 */
import { globSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hashOf } from "@agon/engine/hash.ts"
import { demoWeightClasses, zoo } from "@agon/zoo/zoo.ts"
import { afterAll, assert, describe, it } from "vitest"
import { eventuallyAsync, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { leftOut } from "../support/slow.ts"
import * as Service from "./Service.ts"
import { Visitor } from "./Visitor.ts"

afterAll(Service.cleanUp, PATIENCE_MS)

const HOUR_MS = 3_600_000

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

interface Entry {
  readonly model: string
  readonly owner: string
  readonly matches: number
}

/** The steps of baselines by the audit log, the last one first. */
const baselineSteps = async (admin: Visitor) => {
  const { json } = await admin.ask("GET", "/v1/admin/audit?limit=100")
  const rows: ReadonlyArray<{ readonly action: string }> = json.audit
  return rows.map(({ action }) => action.replace("baseline.", ""))
}

const records = async (admin: Visitor) => (await baselineSteps(admin)).filter((action) => action === "record").length

describe("the demonstration", () => {
  it(
    "has two baselines in play before it sends the others, so that they play meanwhile",
    async () => {
      const service = await Service.start({ ...(await newPlace()), runners: 1, environment: { AGON_DEMO: "1" } })
      const admin = await Visitor.signedIn(service.origin, "admin")
      const done = async () => (await baselineSteps(admin)).filter((action) => action === "record" || action === "switch")
      await eventuallyAsync("a third baseline", async () => (await records(admin)) > 2)
      assert.deepStrictEqual((await done()).toReversed().slice(0, 5), ["record", "record", "switch", "switch", "record"])
    },
    PATIENCE_MS
  )

  it.skipIf(leftOut("the whole demonstration takes a minute or two") !== undefined)(
    "comes to its end by itself: every baseline plays, and so do two competitors who came by submission",
    async () => {
      const service = await Service.start({ ...(await newPlace()), runners: 2, environment: { AGON_DEMO: "1" } })
      await eventuallyAsync("its line in the log", () => service.log().includes("the demonstration season is complete"))
      const visitor = new Visitor(service.origin)
      const ladder = async () => (await visitor.get("/v1/games/snakes/leaderboard?season=demo")).entries as ReadonlyArray<Entry>
      const played = (entries: ReadonlyArray<Entry>) => entries.reduce((sum, { matches }) => sum + matches, 0)
      await eventuallyAsync("both competitors, in matches that count", async () => {
        const competitors = (await ladder()).filter(({ matches, model }) => ["anaconda", "garter"].includes(model) && matches > 0)
        return (
          competitors
            .map(({ owner }) => owner)
            .toSorted()
            .join() === "ada,grace"
        )
      })
      await eventuallyAsync("fifty matches", async () => played(await ladder()) >= 2 * 50)
      const baselines = zoo.filter(({ game }) => game === "snakes").map(({ name }) => name)
      assert.includeMembers(
        (await ladder()).map(({ model }) => model),
        baselines
      )
      await eventuallyAsync("the strongest of the zoo above the weakest", async () => {
        const places = (await ladder()).map(({ model }) => model)
        return places.indexOf("sovereign") < places.indexOf("straight-on")
      })
    },
    HANGS_AFTER_MS
  )

  it(
    "that was stopped with a baseline announced and its files not sent goes on with all of them",
    async () => {
      const place = { ...(await newPlace()), runners: 1 }
      const stopped = await Service.start(place)
      const first = await Visitor.signedIn(stopped.origin, "admin")
      const [from, to] = [new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS)].map((date) => date.toISOString())
      const season = { name: "Demonstration", slug: "demo", submissions_open_at: from, submissions_close_at: to }
      const open = { visibility: "public", entry: "open", fleet: { matches: "both", admissions: "both" }, providers: [] }
      await first.ask("POST", "/v1/games/snakes/seasons", { ...season, ...open, weight_classes: demoWeightClasses })
      const { manifest, weights } = zoo.find(({ name }) => name === "wary")!.build()
      const announced = { name: "wary", weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
      assert.strictEqual((await first.ask("POST", "/v1/games/snakes/seasons/demo/baselines", announced)).status, 201)
      Service.kill(stopped, stopped.pid)
      await stopped.ended
      writeFileSync(join(place.directory, "demo"), "begun")
      const service = await Service.start({ ...place, environment: { AGON_DEMO: "1" } })
      const admin = await Visitor.signedIn(service.origin, "admin")
      await eventuallyAsync("more baselines than the first two and that one", async () => (await records(admin)) > 3)
    },
    PATIENCE_MS
  )
})
