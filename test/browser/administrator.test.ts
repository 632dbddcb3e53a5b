/**
 * An administrator's season in a real browser without scripts, from the sign-in to the frozen podium, by clicks alone. The test is the
 * runner, and two competitors who submit through the API. Every page of the desk is then looked at by axe, on a phone and a screen.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Client } from "@agon/api/Client.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import type { Upload } from "@agon/api/Wire.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { Chromium, missingChromium } from "../support/Chromium.ts"
import { eventually } from "../support/eventually.ts"
import { siteAnswers } from "../support/Pages.ts"
import { asTold, TRIES_MAX } from "../support/putOff.ts"
import { about, hashOf, playMatches, snakesZoo } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const HERE = { game: "snakes", slug: "spring-cup" }
const SEASON = "/games/snakes/seasons/spring-cup"
const DESK = `${SEASON}/admin`
/** The seats of the board and the baselines; competitors have the models after these. */
const BASELINES = 2

class Browser extends Context.Service<Browser, Chromium>()("test/Browser") {
  static readonly layer = Layer.effect(
    Browser,
    Effect.acquireRelease(
      Effect.promise(() => Chromium.launch()),
      (chromium) => Effect.promise(() => chromium.close())
    )
  )
}

/** By its title: an answer to a form may be put off too. */
const isPutOffPage = (title: string) => /^(Too many requests|Away for a moment) /.test(title)

/** Asks again until the page is no longer put off; a visitor who types is slower than this test. */
const settled = async (page: Page) => {
  for (let tries = 1; isPutOffPage(await page.title()); tries++) {
    assert.isBelow(tries, TRIES_MAX, page.url())
    await pause(1_000)
    await page.reload()
  }
}

const goTo = async (page: Page, path: string) => {
  await page.goto(new URL(path, page.url()).href)
  await settled(page)
}

/** Presses a button of a form, again where the account's rate of writes is met; answers the status. */
const press = async (page: Page, name: string): Promise<number> => {
  for (let tries = 1; ; tries++) {
    assert.isBelow(tries, TRIES_MAX, name)
    const posted = page.waitForResponse((answer) => answer.request().method() === "POST")
    await page.getByRole("button", { name, exact: true }).click()
    const answer = await posted
    await page.waitForLoadState()
    if (answer.status() !== 429) {
      await settled(page)
      return answer.status()
    }
    await asTold(await answer.headerValue("retry-after"))
  }
}

const follow = async (page: Page, name: string) => {
  await page.getByRole("main").getByRole("link", { name, exact: true }).click()
  await page.waitForLoadState()
  await settled(page)
}

/** Signs in at the page that the visitor wanted, and is back there afterwards. */
const signIn = async (page: Page, login: string) => {
  await page.getByRole("link", { name: /^Sign in with/ }).click()
  await page.locator('input[name="login"]').fill(login)
  await page.locator("button").click()
  await page.waitForLoadState()
  await settled(page)
}

const create = async (page: Page) => {
  await follow(page, "New season")
  await page.getByLabel("Name", { exact: true }).fill("Spring cup")
  await page.getByLabel("Takes models from, in UTC").fill("2026-01-01T00:00")
  await page.getByLabel("Takes models until, in UTC").fill("2025-01-01T00:00")
  await page.getByLabel("Seconds between two versions").fill("0")
  await page.getByLabel("Trial matches", { exact: true }).fill("1")
  assert.strictEqual(await press(page, "Create the season"), 400)
  assert.match((await page.locator("#create-submissions_close_at-fault").textContent())!, /after/)
  await page.getByLabel("Takes models until, in UTC").fill("2090-01-01T00:00")
  assert.strictEqual(await press(page, "Create the season"), 303)
  assert.strictEqual(new URL(page.url()).pathname, DESK)
}

const addBoard = async (page: Page) => {
  const board = snakesBoards.find(({ players }) => players === BASELINES)!
  await follow(page, "Boards")
  await page.getByLabel("Board file").fill(JSON.stringify(board))
  assert.strictEqual(await press(page, "Show its picture"), 200)
  assert.isTrue(await page.locator("form#add svg.agon-picture").isVisible())
  assert.strictEqual(await press(page, "Upload"), 303)
  assert.strictEqual(await press(page, `Bring into play: board ${board.map_id}`), 303)
  assert.isTrue(await page.getByRole("button", { name: `Take out of play: board ${board.map_id}` }).isVisible())
}

const makeKey = async (page: Page): Promise<string> => {
  await follow(page, "Runners")
  await page.getByLabel("Name", { exact: true }).fill("the test")
  assert.strictEqual(await press(page, "Make a key"), 200)
  return (await page.locator("pre").textContent())!
}

const send = async (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array<ArrayBuffer>) =>
  assert.strictEqual((await fetch(url, { method: "PUT", headers, body })).status, 200)

/** Records a baseline and sends its files as the page says. */
const recordBaseline = async (page: Page, { build, name }: (typeof snakesZoo)[number]) => {
  const { manifest, weights } = build()
  await page.getByLabel("Name", { exact: true }).fill(name)
  await page.getByLabel("Hash of the weights").fill(hashOf(weights))
  await page.getByLabel("Hash of the manifest").fill(hashOf(manifest))
  assert.strictEqual(await press(page, "Record"), 200)
  const commands = (await page.locator("pre").textContent())!.split("\n")
  for (const [i, bytes] of [weights, manifest].entries()) {
    const headers = [...commands[i]!.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name!, value!] as const)
    const [url = ""] = /https?:[^']+/.exec(commands[i]!) ?? []
    await send(url, Object.fromEntries(headers), bytes)
  }
}

/** Takes so many candidates and finds nothing wrong with them. */
const admit = Effect.fnUntraced(function* (runner: Client, count: number) {
  const { runner: id } = yield* runner.runner.openSession({ payload: { ...about, accepts: ["admission"] } })
  const verdict = { verdict: "admitted", param_count: 1, infer_us: 10, memory: { flat: 0, cell: 0 } } as const
  for (let n = 0; n < count; n++) {
    const { leases } = yield* runner.runner.lease({ payload: { runner: id, max: 1, wait_s: 20 } })
    yield* runner.runner.result({
      params: { lease: leases[0]!.lease },
      payload: { kind: "admission", runtime_version: "test", ...verdict }
    })
  }
})

/** A competitor's model, as the program of theirs submits it. */
const submit = Effect.fnUntraced(function* (login: string, { build, name }: (typeof snakesZoo)[number]) {
  const client = yield* (yield* Service.Service).as(login)
  const { manifest, weights } = build()
  const { id } = yield* client.model.createModel({ params: { game: HERE.game }, payload: { name } })
  const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
  const { upload } = yield* retryRefused(
    client.submission.submit({ payload: { game: HERE.game, season: HERE.slug, model: id, ...hashes } })
  )
  const put = ({ headers, url }: Upload, bytes: Uint8Array<ArrayBuffer>) => Effect.promise(() => send(url, headers, bytes))
  yield* put(upload.weights, weights)
  yield* put(upload.manifest, manifest)
})

/** Until both competitors have two counted matches behind them: one of them will be voided. */
const play = Effect.fnUntraced(function* (runner: Client) {
  const { runner: id } = yield* runner.runner.openSession({ payload: { ...about, accepts: ["match"] } })
  const ladder = Effect.flatMap(Service.Service, ({ as }) => as("ada")).pipe(
    Effect.flatMap((client) =>
      client.leaderboard.leaderboard({ params: { game: HERE.game }, query: { season: HERE.slug, ladder: "open", limit: 50, cursor: 0 } })
    )
  )
  const bothHavePlayed = Effect.gen(function* () {
    yield* playMatches(runner, id, 2)
    const { entries } = yield* ladder
    return entries.filter(({ baseline, matches }) => !baseline && matches > 1).length === 2
  })
  yield* eventually("both competitors have played", bothHavePlayed)
})

const planAndWithdraw = async (page: Page) => {
  await follow(page, "Rounds")
  await page.getByLabel("Plan", { exact: true }).selectOption("the finals")
  await page.getByLabel("Matches of each model on each of its ladders").fill("10")
  await page.getByLabel("Start, in UTC").fill("2089-01-01T00:00")
  assert.strictEqual(await press(page, "Plan"), 303)
  assert.strictEqual(await press(page, "Withdraw: Finals"), 303)
  assert.isTrue(await page.getByRole("cell", { name: "withdrawn" }).isVisible())
}

const voidTheLast = async (page: Page) => {
  await follow(page, "Matches")
  const main = page.getByRole("main")
  await main
    .getByRole("link", { name: /^Void the match/ })
    .first()
    .click()
  await page.waitForLoadState()
  await settled(page)
  await main.getByLabel("Reason").fill("The board was drawn wrongly.")
  assert.strictEqual(await press(page, "Void the match"), 200)
  assert.isTrue(await main.getByRole("status").isVisible())
}

const close = async (page: Page) => {
  await goTo(page, DESK)
  await page.getByLabel(`Type ${HERE.slug} to close it`).fill(HERE.slug)
  assert.strictEqual(await press(page, "Close the season"), 303)
}

const isFrozen = async (page: Page) => {
  await goTo(page, SEASON)
  return (await page.getByRole("heading", { name: "Podium", exact: true }).count()) === 1
}

const all = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(Service.layer({ site: "own" })), Layer.provideMerge(Browser.layer))

const PAGES = [
  ...["", "/boards", "/baselines", "/entries", "/people", "/rounds", "/runners", "/matches", "/notices", "/log"].map(
    (part) => `${DESK}${part}`
  ),
  ...[
    "",
    "/seasons",
    "/users",
    "/words",
    "/comments",
    "/threads",
    "/stories",
    "/posts",
    "/announcements",
    "/picks",
    "/runners",
    "/log"
  ].map((part) => `/admin${part}`)
]

const missing = missingChromium()
if (missing !== undefined) it.skip(`an administrator in a browser: ${missing}`, () => {})
else
  layer(all, { excludeTestServices: true, timeout: "240 seconds" })("an administrator in a browser without scripts", (it) => {
    it.effect("leads a season from its creation to its frozen podium by clicks, on pages that axe finds nothing wrong with", () =>
      Effect.gen(function* () {
        const { origin, runner } = yield* Service.Service
        const chromium = yield* Browser
        const watched = yield* Effect.promise(() => chromium.open(`${origin}/admin`, { javaScriptEnabled: false }))
        const { page } = watched
        const step = (clicks: (page: Page) => Promise<unknown>) => Effect.promise(() => clicks(page))
        yield* step((page) => signIn(page, "admin"))
        yield* step(create)
        yield* step(addBoard)
        const secret = yield* Effect.promise(() => makeKey(page))
        const fleet = yield* runner(secret)
        yield* step((page) => follow(page, "Baselines"))
        for (const model of snakesZoo.slice(0, BASELINES)) yield* step((page) => recordBaseline(page, model))
        yield* admit(fleet, BASELINES)
        yield* step((page) => goTo(page, `${DESK}/baselines`))
        for (const { name } of snakesZoo.slice(0, BASELINES)) yield* step((page) => press(page, `Bring into play: baseline ${name}`))
        yield* submit("ada", snakesZoo[BASELINES]!)
        yield* submit("bob", snakesZoo[BASELINES + 1]!)
        yield* admit(fleet, 2)
        yield* play(fleet)
        yield* step(planAndWithdraw)
        yield* step(voidTheLast)
        yield* step(close)
        yield* eventually(
          "the podium is frozen",
          Effect.promise(() => isFrozen(page))
        )
        assert.isAbove(yield* Effect.promise(() => page.getByRole("link", { name: "ada" }).count()), 0)
        const storageState = yield* Effect.promise(() => page.context().storageState())
        yield* Effect.promise(() => watched.close())
        for (const [index, path] of PAGES.entries()) {
          const viewport = { width: index % 2 === 0 ? 320 : 1280, height: 800 }
          const colorScheme = index % 4 < 2 ? "dark" : "light"
          const shown = yield* Effect.promise(() => chromium.open(`${origin}${path}`, { storageState, viewport, colorScheme }))
          assert.deepStrictEqual(yield* Effect.promise(() => shown.violations()), [], path)
          assert.deepStrictEqual(shown.faults, [], path)
          assert.isAtMost(yield* Effect.promise(() => shown.width()), viewport.width, path)
          yield* Effect.promise(() => shown.close())
        }
      })
    )
  })
