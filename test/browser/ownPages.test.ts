/**
 * A competitor's own pages in a real browser, beside the service that `scripts/start` starts with its runners:
 * from the sign-in to a rated match of one's own by clicks, and the submission by keyboard alone.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Competition from "../e2e/Competition.ts"
import * as Service from "../e2e/Service.ts"
import { Visitor } from "../e2e/Visitor.ts"
import { Chromium, missingChromium, type WatchedPage } from "../support/Chromium.ts"
import { eventuallyAsync } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { isPutOff, retryPutOff } from "../support/putOff.ts"
import { leftOut } from "../support/slow.ts"

const BOARDS = ["open-7"]
const BASELINES = ["straight-on", "random-safe"]
/** Submitted by ada, and by bob with the keyboard. */
const [ADAS, BOBS] = ["nibbler", "roomy"] as const

/** Twice what a step has (Chromium.ts), so that a step which waits for ever says what it has waited for. */
const STEPS_HANG_AFTER_MS = 2 * HANGS_AFTER_MS

const missing = leftOut("two runners and a browser: a minute of CPU") ?? missingChromium()

describe.skipIf(missing !== undefined)("the competitor's own pages in a browser", () => {
  let service: Service.Service
  let chromium: Chromium
  const files = mkdtempSync(join(tmpdir(), "agon-own-pages-"))

  const pathsOf = (name: string) => ({ weights: join(files, `${name}.onnx`), manifest: join(files, `${name}.json`) })

  beforeAll(async () => {
    mkdirSync(files, { recursive: true })
    for (const name of [ADAS, BOBS]) {
      const { manifest, weights } = Competition.filesOf(name)
      writeFileSync(pathsOf(name).weights, weights)
      writeFileSync(pathsOf(name).manifest, manifest)
    }
    const environment = { AGON_SITE: "" }
    service = await Service.start({ directory: Service.newDirectory(), port: await freePort(), runners: 2, environment })
    await Competition.open(await Visitor.signedIn(service.origin, "admin"), { boards: BOARDS, baselines: BASELINES })
    await retryPutOff("the site", () => fetch(`${service.origin}/news`))
    chromium = await Chromium.launch()
  }, STEPS_HANG_AFTER_MS)

  afterAll(async () => {
    await chromium?.close()
    await Service.cleanUp()
    rmSync(files, { recursive: true, force: true })
  }, STEPS_HANG_AFTER_MS)

  const assertClean = async (
    { faults, violations }: { faults: ReadonlyArray<string>; violations: ReadonlyArray<string> },
    where: string
  ) => {
    assert.deepStrictEqual(violations, [], where)
    assert.deepStrictEqual(faults, [], where)
  }
  const clean = async (watched: WatchedPage) =>
    assertClean({ faults: watched.faults, violations: await watched.violations() }, watched.page.url())

  /**
   * From the front page, by the links that it has. The page that asks for the sign-in
   * says 401, which a browser logs.
   */
  const signedIn = async (login: string, options: Parameters<Chromium["open"]>[1] = {}) => {
    const watched = await chromium.open(`${service.origin}/`, options)
    const { page } = watched
    await page.getByRole("link", { name: "My page" }).click()
    await page.getByRole("link", { name: /^Sign in with/ }).click()
    await page.locator("input[name=login]").fill(login)
    await page.locator("button, input[type=submit]").first().click()
    await page.getByText(`Signed in as ${login}`).waitFor()
    watched.faults.splice(0, watched.faults.length, ...watched.faults.filter((fault) => !/status of 401/.test(fault)))
    return watched
  }

  const makeModel = async ({ page }: WatchedPage, name: string) => {
    await page.getByRole("link", { name: "My models" }).click()
    await page.getByLabel("Game").selectOption(Competition.GAME)
    await page.getByLabel("Name").fill(name)
    await page.getByRole("button", { name: "Make it" }).click()
    await page.getByRole("status").filter({ hasText: "The model is made" }).waitFor()
  }

  it(
    "leads from the sign-in to a rated match of one's own by clicks",
    async () => {
      const watched = await signedIn("ada")
      const { page } = watched
      await clean(watched)
      await makeModel(watched, "Nagini")
      await clean(watched)
      await page.getByRole("link", { name: "Submit to Trial run" }).click()
      await page.getByLabel("Weights, an ONNX file").setInputFiles(pathsOf(ADAS).weights)
      await page.getByLabel("Manifest, a JSON file").setInputFiles(pathsOf(ADAS).manifest)
      await clean(watched)
      const own = /\/me\/versions\/[^/]+$/
      await page.route(own, (route) => (route.request().resourceType() === "fetch" ? route.abort() : route.continue()))
      await page.getByRole("button", { name: "Submit" }).click()
      await page.waitForURL(/\/me\/versions\//)
      await clean(watched)
      // The page follows the version by itself, and says so while it has no answer.
      const silence = page.locator("agon-follow").getByText("nothing has been heard since")
      await silence.waitFor()
      watched.faults.length = 0
      await page.unroute(own)
      await silence.waitFor({ state: "detached" })
      watched.faults.length = 0
      await page.locator("#progress").getByText("entered", { exact: true }).waitFor()
      await page.getByRole("link", { name: "Its rated matches" }).click()
      await eventuallyAsync("a rated match of the version", async () => {
        if ((await page.locator("tbody a[href^='/matches/']").count()) > 0) return true
        const answer = await page.reload()
        if (isPutOff(answer?.status())) watched.faults.length = 0
        return false
      })
      await page.locator("tbody a[href^='/matches/']").first().click()
      await page.locator("agon-replay .verdict strong").getByText("Recomputed here: state hash equal.").waitFor()
      await watched.close()
    },
    STEPS_HANG_AFTER_MS
  )

  it(
    "takes a submission from the keyboard alone",
    async () => {
      const watched = await signedIn("bob")
      const { page } = watched
      // Takes choosers over from here on. Where that begins with the key that opens one, the key may come
      // first, and the chooser is shown to nobody: in 17 of 25 tries on a busy machine.
      page.on("filechooser", () => {})
      await makeModel(watched, "Kaa")
      await page.getByRole("link", { name: "Submit to Trial run" }).focus()
      await page.keyboard.press("Enter")
      await page.getByLabel("Weights, an ONNX file").focus()
      for (const path of [pathsOf(BOBS).weights, pathsOf(BOBS).manifest]) {
        const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")])
        await chooser.setFiles(path)
        await page.keyboard.press("Tab")
      }
      await page.keyboard.type("by keyboard")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/me\/versions\//)
      await page.locator("bdi").getByText("by keyboard").waitFor()
      await clean(watched)
      await watched.close()
    },
    STEPS_HANG_AFTER_MS
  )

  it(
    "says without scripts how a terminal submits, and forms work",
    async () => {
      const watched = await signedIn("eve", { javaScriptEnabled: false })
      const { page } = watched
      await makeModel(watched, "Ka")
      await page.getByRole("link", { name: "Submit to Trial run" }).click()
      await page.getByRole("heading", { name: "Without scripts" }).waitFor()
      assert.isTrue(await page.getByRole("link", { name: "The starter kit", exact: true }).isVisible())
      await page.getByRole("link", { name: "Sessions and sign out" }).click()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.waitForURL(`${service.origin}/`)
      assert.deepStrictEqual(watched.faults, [])
      await watched.close()
    },
    STEPS_HANG_AFTER_MS
  )
})
