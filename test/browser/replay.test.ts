/** The replay player in a real browser, under the strict policy of the site's pages. */
import { othelloBoards } from "@agon/engine/othello/boards.ts"
import { engineOf } from "@agon/engine/registry.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Chromium, missingChromium, type WatchedPage } from "../support/Chromium.ts"
import { PlayerPage } from "./PlayerPage.ts"

const REPLAYS = 100

const boards = [...snakesBoards, ...othelloBoards]
const recorded = (map_id: string, seed: number): Replay => {
  const board = boards.find((one) => one.map_id === map_id)!
  return record(engineOf(board.format.startsWith("snakes") ? "snakes" : "othello")!, board, seed).replay
}
const text = (replay: unknown) => JSON.stringify(replay)

const missing = missingChromium()
if (missing !== undefined) console.log(`skipped: ${missing}`)

describe.skipIf(missing !== undefined)("the replay player in a browser", () => {
  let chromium: Chromium
  let player: PlayerPage
  beforeAll(async () => {
    player = await PlayerPage.open()
    chromium = await Chromium.launch()
  })
  afterAll(async () => {
    await chromium?.close()
    await player?.close()
  })

  const open = (shown: Parameters<PlayerPage["show"]>[0], options?: Parameters<Chromium["open"]>[1], fragment = "") =>
    chromium.open(player.show(shown) + fragment, options)
  const verdictOf = async ({ page }: WatchedPage) => (await page.locator("agon-replay .verdict strong").textContent())!
  const turnOf = async ({ page }: WatchedPage) => (await page.locator("agon-replay .at").textContent())!
  const reaches = ({ page }: WatchedPage, turn: string) => page.locator("agon-replay .at", { hasText: new RegExp(`^${turn}$`) }).waitFor()

  it(`recomputes ${REPLAYS} matches of both games to the same state hash, on every board`, async () => {
    const replays = Array.from({ length: REPLAYS }, (_, seed) => recorded(boards[seed % boards.length]!.map_id, 4_000 + seed))
    const watched = await open({ replay: text(replays[0]) })
    for (const replay of replays) {
      const address = new URL(player.show({ replay: text(replay) })).pathname.replace("matches", "replays")
      await watched.page.locator("agon-replay").evaluate((element, src) => element.setAttribute("src", src), address)
      const row = watched.page.locator("agon-replay tr", {
        has: watched.page.getByRole("rowheader", { name: "State hash", includeHidden: true })
      })
      await row.filter({ hasText: replay.state_sha256 }).waitFor({ state: "attached" })
      assert.strictEqual(await verdictOf(watched), "Recomputed here: state hash equal.")
      assert.match((await row.textContent())!, /equal$/)
      assert.include(await turnOf(watched), ` of ${replay.turns}`)
    }
    assert.deepStrictEqual(watched.faults, [])
    await watched.close()
  })

  it("says what differs in a replay that was changed, and in which turn", async () => {
    const replay = recorded("open-11", 3011)
    const turned = replay.moves.map((row, turn) => (turn === 4 ? row.map((action) => (action === null ? null : (action + 2) % 4)) : row))
    for (const [changed, said] of [
      [{ ...replay, state_sha256: "0".repeat(64) }, /differs from what the rules give\./],
      [{ ...replay, scores: replay.scores.map((score) => score + 1) }, /differs/],
      [{ ...replay, moves: turned }, /differs from what the rules give, first in turn \d+\./],
      [{ ...replay, moves: replay.moves.slice(0, -1), strikes: replay.strikes.filter(({ turn }) => turn < replay.turns - 1) }, /differs/],
      [{ ...replay, events: replay.events.slice(1) }, /first in turn \d+\./]
    ] as const) {
      const watched = await open({ replay: text(changed) })
      assert.match(await verdictOf(watched), said)
      assert.isAbove(await watched.page.locator("agon-replay .verdict li").count(), 0)
      assert.deepStrictEqual(watched.faults, [])
      await watched.close()
    }
    const older = await open({ replay: text({ ...replay, engine_digest: "1".repeat(64) }) })
    assert.match(await verdictOf(older), /^Recomputed here: state hash equal\. The match was played with another build/)
    await older.close()
  })

  it("is played from the keyboard alone, links to a turn and follows such a link", async () => {
    const replay = recorded("open-11", 3011)
    const watched = await open({ replay: text(replay), names: ["Ada", "Grace"] }, {}, "#turn=12")
    const { page } = watched
    await reaches(watched, `Turn 12 of ${replay.turns}`)
    await verdictOf(watched)
    await page.keyboard.press("Tab")
    for (const [key, turn] of [
      ["ArrowRight", 13],
      ["Shift+ArrowRight", 23],
      ["ArrowLeft", 22],
      ["Shift+ArrowLeft", 12],
      ["End", replay.turns],
      ["Home", 0],
      ["ArrowRight", 1]
    ] as const) {
      await page.keyboard.press(key)
      await reaches(watched, `Turn ${turn} of ${replay.turns}`)
      assert.strictEqual(new URL(page.url()).hash, `#turn=${turn}`)
    }
    assert.match(
      (await page.locator("agon-replay [aria-live=polite]").textContent())!,
      /^Turn 1: 1 \u2068Ada\u2069 moves (up|right|down|left)/
    )
    for (let faster = 0; faster < 3; faster++) await page.keyboard.press(".")
    await page.keyboard.press("k")
    await reaches(watched, `Turn ${replay.turns} of ${replay.turns}`)
    await page.getByRole("button", { name: "Play" }).waitFor()
    assert.include(await page.locator("agon-replay [aria-live=polite]").textContent(), "The match ends")
    // From the board over the slider to the first button.
    for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key)
    await reaches(watched, `Turn 0 of ${replay.turns}`)
    await page.evaluate(() => {
      ;(globalThis as any).location.hash = "#turn=5"
    })
    await reaches(watched, `Turn 5 of ${replay.turns}`)
    assert.deepStrictEqual(watched.faults, [])
    await watched.close()
  })

  it("is played with the pointer, scrubbed, and jumped through by its moments", async () => {
    const replay = recorded("classic-8", 8011)
    const watched = await open({ replay: text(replay) })
    const { page } = watched
    await verdictOf(watched)
    await page.getByRole("slider", { name: "Turn" }).fill("30")
    await reaches(watched, `Turn 30 of ${replay.turns}`)
    await page.getByText(/^Moments/).click()
    await page.getByRole("button", { name: /The match ends/ }).click()
    await reaches(watched, `Turn ${replay.turns} of ${replay.turns}`)
    await page.getByLabel("Speed").selectOption("0.5 a second")
    await page.getByRole("button", { name: "Play" }).click()
    await page.getByRole("button", { name: "Pause" }).click()
    await page.getByRole("button", { name: "Play" }).waitFor()
    await page.getByRole("button", { name: "Full screen" }).click()
    await page.waitForFunction(() => (globalThis as any).document.fullscreenElement?.localName === "agon-replay")
    assert.deepStrictEqual(watched.faults, [])
    await watched.close()
  })

  it("has the board and what plays it on one screen, of a phone too, and beside the board that it is proven", async () => {
    const replay = text(recorded("classic-8", 8011))
    const names = Array.from({ length: 8 }, (_, seat) => `competitor ${seat}`)
    for (const [width, height] of [
      [1280, 800],
      [390, 664]
    ] as const) {
      const watched = await open({ replay, names }, { viewport: { width, height } })
      await verdictOf(watched)
      const edges = async (at: string) => (await watched.page.locator(`agon-replay ${at}`).first().boundingBox())!
      const [board, play, verdict] = [await edges(".board"), await edges("button.play"), await edges(".verdict")]
      assert.isAtMost(play.y + play.height - board.y, height, `from the board to its buttons, at ${width}`)
      if (width > 1_000) assert.isAtMost(verdict.y + verdict.height, board.y + board.height)
      else assert.isAbove(verdict.y, play.y)
      await watched.close()
    }
  })

  it("has nothing that axe finds, in both schemes, opened up, and fits a phone of 320 pixels", async () => {
    for (const map_id of ["arena-19", "holes-10"]) {
      for (const colorScheme of ["light", "dark"] as const) {
        const names = ["a".repeat(60), "b c ".repeat(15)]
        const watched = await open(
          { replay: text(recorded(map_id, 5)), names, turn: 9 },
          { colorScheme, viewport: { width: 320, height: 640 } }
        )
        const { page } = watched
        await verdictOf(watched)
        for (const summary of await page.locator("agon-replay summary").all()) await summary.click()
        assert.strictEqual(await watched.width(), 320)
        assert.deepStrictEqual(await watched.violations(), [])
        assert.deepStrictEqual(watched.faults, [])
        await watched.close()
      }
    }
  })

  it("shows hostile names as text, and says in a sentence what is wrong with a hostile replay", async () => {
    const replay = recorded("open-7", 11)
    const hostile = ["<img src=x onerror=alert(1)>", "\u202egnirts\u202c</script><script>alert(1)</script>"]
    const watched = await open({ replay: text(replay), names: [...hostile, 5, { a: 1 }] })
    await verdictOf(watched)
    const shown = (await watched.page.locator("agon-replay .seats").textContent())!
    assert.include(shown, hostile[0]!)
    assert.notInclude(shown, "\u202e")
    assert.strictEqual(await watched.page.locator("agon-replay img, agon-replay script").count(), 0)
    assert.deepStrictEqual(watched.faults, [])
    await watched.close()
    const script = "<script>alert(1)</script>"
    for (const [replay_text, said] of [
      ["", /not JSON/],
      ["<html>", /not JSON/],
      ["null", /not a replay/],
      ["[".repeat(1_000_000), /not JSON/],
      [`${"[".repeat(500_000)}${"]".repeat(500_000)}`, /not a replay/],
      [text({ ...replay, [script]: script }), /<script>alert\(1\)<\/script> is not a known key/],
      [text({ ...replay, moves: Array(500_000).fill([9, 9]) }), /moves must have at most/],
      [text({ ...replay, moves: replay.moves.map(() => [script, null]) }), /moves\[0\]/],
      [text({ ...replay, board: { ...replay.board, rows: 1e9 } }), /board\.rows/],
      [text({ ...replay, runtime_version: "x".repeat(5_000_000) }), /larger than 4 MiB/],
      [text(Object.fromEntries(Array.from({ length: 300_000 }, (_, key) => [`k${key}`, 0]))), /not a replay/]
    ] as const) {
      const bad = await open({ replay: replay_text })
      const sentence = await verdictOf(bad)
      assert.match(sentence, said)
      assert.isBelow(sentence.length, 500)
      assert.deepStrictEqual(bad.faults, [])
      await bad.close()
    }
  })

  it("fetches from its own origin alone, says when there is no replay, and leaves the page's own content", async () => {
    const watched = await open({ replay: text(recorded("open-7", 11)) })
    await verdictOf(watched)
    for (const [src, said] of [
      ["https://example.org/replay.json", "not on this site"],
      ["//example.org/", "not on this site"],
      ["javascript:alert(1)", "not on this site"]
    ] as const) {
      await watched.page.locator("agon-replay").evaluate((element, to) => element.setAttribute("src", to), src)
      await watched.page.getByText(said).waitFor()
      await watched.page.getByText("No script runs.").waitFor()
      assert.deepStrictEqual(watched.faults, [])
    }
    await watched.page.locator("agon-replay").evaluate((element) => element.setAttribute("src", "/nothing"))
    await watched.page.getByText("There is no replay of this match.").waitFor()
    await watched.close()
  })
})
