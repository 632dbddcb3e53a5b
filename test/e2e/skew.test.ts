/**
 * Two nodes behind nginx on one Postgres, each with a clock of its own (libfaketime). People sign in while both are behind,
 * by a day and by 20 minutes: a node that is ahead would find the provider's ID tokens expired. Then one is a day ahead, and
 * files are uploaded through either; each season plays on at the other node when its own is stopped, and when the clock of
 * one is set forward and back.
 */

import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventuallyAsync } from "../support/eventually.ts"
import { slow } from "../support/slow.ts"
import { missingNginx } from "./Nginx.ts"
import * as Nodes from "./Nodes.ts"
import { Seasons } from "./Seasons.ts"
import type { Visitor } from "./Visitor.ts"

const AHEAD_S = 86_400
const BEHIND_S = -1_200
const SLUGS = ["spring", "summer"]
const VISITORS = ["ada", "bob", "eve"]
/** A season whose time stands still falls behind by as much as passes. */
const WATCHED_MS = 15_000
/** How long a process may take to see that its clock was set. */
const SEEN_MS = 2_000

const [library] = globSync("/usr/lib/*/faketime/libfaketime.so.1")
const missing =
  (slow ? undefined : "two minutes and a half; scripts/test --slow runs it") ??
  missingNginx() ??
  (library === undefined ? "libfaketime is not installed" : undefined)

describe.skipIf(missing !== undefined)(`nodes whose clocks differ${missing === undefined ? "" : `: ${missing}`}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "agon-skew-"))
  const fileOf = (n: number) => join(directory, String(n))
  const setClock = (n: number, ahead_s: number) => writeFileSync(fileOf(n), `${ahead_s < 0 ? "" : "+"}${ahead_s}\n`)
  const admins = new Map<string, Visitor>()
  const figures: Array<string> = []
  let world: Nodes.World
  let seasons: Seasons

  beforeAll(async () => {
    setClock(0, -AHEAD_S)
    setClock(1, BEHIND_S)
    const own = (n: number) => ({
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: fileOf(n),
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1"
    })
    world = await Nodes.start(2, { environment: {}, apart: false, own })
    for (const name of ["admin", ...SLUGS, ...VISITORS]) admins.set(name, await world.signedIn(name))
    setClock(0, AHEAD_S)
    await pause(SEEN_MS)
    await world.query("UPDATE account SET admin = true") // each writes at a rate of its own
    const { key } = await admins.get("admin")!.post("/v1/runner-keys", { name: "fleet" })
    world.runner(key, 1)
    const administered = new Map(SLUGS.map((slug) => [slug, admins.get(slug)!]))
    seasons = await Seasons.open(world, administered, { boards: ["open-7"], baselines: ["straight-on", "careless", "random-safe"] })
  }, 300_000)

  afterAll(async () => {
    await seasons?.stop()
    await world?.end()
    rmSync(directory, { recursive: true })
    if (figures.length > 0) console.log(figures.join("\n"))
  }, 60_000)

  const times = () => world.query<{ readonly now: number }>("SELECT (head->>'now')::float8 AS now FROM season ORDER BY slug")
  /** Every season plays, and the time of none stands still. */
  const goOn = async (what: string) => {
    await seasons.goOn()
    const [before, began] = [await times(), performance.now()]
    await pause(WATCHED_MS)
    await seasons.goOn()
    const [after, passed_ms] = [await times(), performance.now() - began]
    const went_ms = after.map(({ now }, n) => now - before[n]!.now)
    figures.push(`${what}: in ${Math.round(passed_ms)} ms the seasons' time went on by ${went_ms.map(Math.round).join(" and ")} ms`)
    for (const one of went_ms) assert.isAbove(one, passed_ms / 3)
  }

  it("sign people in, whichever node they come to", async () => {
    for (const name of VISITORS) assert.property(await admins.get(name)!.get("/v1/me"), "username")
  })

  it("play on where a season moves from one to the other", async () => {
    await goOn("at first")
    for (const [n, node] of world.nodes.entries()) {
      node.signal("SIGTERM")
      await node.stopped()
      await goOn(`without the node that is ${n === 0 ? "ahead" : "behind"}`)
      await node.start()
    }
  }, 300_000)

  it("play on where a clock is set forward by an hour, and back by two", async () => {
    for (const by_s of [3_600, -3_600]) {
      setClock(1, BEHIND_S + by_s)
      await pause(SEEN_MS)
      await goOn(`set by ${by_s} s`)
    }
  }, 300_000)

  it("say it, and keep the books", async () => {
    for (const node of world.nodes) {
      await eventuallyAsync("a line of the log", () => node.process.log().includes("this machine's clock is not the database's"))
    }
    await seasons.addUp(admins, (figure) => figures.push(figure))
  }, 300_000)
})
