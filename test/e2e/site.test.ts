/**
 * `scripts/start` as a visitor meets it: the front page is the site's, and nothing of
 * the site outlives the service.
 */

import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventuallyAsync, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Service from "./Service.ts"

describe("scripts/start", () => {
  let service: Service.Service
  beforeAll(async () => {
    const environment = { AGON_SITE: "", AGON_DEMO: "1" }
    service = await Service.start({ directory: Service.newDirectory(), port: await freePort(), runners: 0, environment })
  }, PATIENCE_MS)
  afterAll(Service.cleanUp, PATIENCE_MS)

  it(
    "shows the site at its address, with the demonstration season and a way to sign in, and says so",
    async () => {
      let page = ""
      await eventuallyAsync("the front page", async () => {
        const answer = await fetch(`${service.origin}/`, { redirect: "manual" })
        page = await answer.text()
        return answer.status === 200 && page.includes("/games/snakes/seasons/demo")
      })
      assert.include(page, `<a href="/me">My page</a>`)
      const board = `${service.origin}/games/snakes/seasons/demo/boards/open-7`
      await eventuallyAsync("a board of the season, which is made after it", async () => (await fetch(board)).status === 200)
      assert.strictEqual((await fetch(`${service.origin}/docs`)).status, 200)
      const told = service.lines().map((line) => JSON.parse(line))
      assert.include(
        told.find(({ message }) => message === "the service answers"),
        { at: service.origin, pages: `${service.origin}/` }
      )
    },
    PATIENCE_MS
  )

  it(
    "takes the site with it when it is killed",
    async () => {
      const family = Service.familyOf(service)
      const site = family.filter(({ pid }) => pid === Service.sitePid(service))
      assert.strictEqual(site.length, 1)
      Service.kill(service, service.pid)
      await service.ended
      await eventuallyAsync("the end of the site", () => Service.stillRunning(site).length === 0)
    },
    PATIENCE_MS
  )
})
