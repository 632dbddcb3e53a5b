/**
 * When the pages of the site are seen on a phone: first contentful paint, largest contentful paint and bytes,
 * in Debian's Chromium with the figures of Lighthouse's mobile profile ("slow 4G"): 150 ms a round trip, 1.6
 * Mbit/s, a processor four times as slow, a window of 412 by 823. Each load has a profile of its own, so
 * nothing is in its cache. Chromium delays each request by one round trip and opens connections without
 * delay; a visitor who comes over TLS 1.3 waits for two round trips more, which the last column adds.
 *
 * The pages are those of the demonstration season after some matches, with no runner beside them while they are loaded.
 *
 *   node test/bench/paint.ts [loads of each page, 5] [matches, 20]
 */
import type { Page } from "playwright-core"
import { restedDemo } from "../e2e/restedDemo.ts"
import * as Service from "../e2e/Service.ts"
import { Visitor } from "../e2e/Visitor.ts"
import { Chromium, missingChromium } from "../support/Chromium.ts"
import { median } from "./http/launch.ts"

const ROUND_TRIP_MS = 150
const DOWN_BYTES_PER_S = (1.6 * 1024 * 1024) / 8
const UP_BYTES_PER_S = (750 * 1024) / 8
const CPU_SLOWER = 4
const PHONE = { viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true }
/** One for TCP, one for TLS 1.3. */
const CONNECTING_MS = 2 * ROUND_TRIP_MS
const BAR_MS = 1_000
/** Paint is over when nothing was painted larger for so long. */
const QUIET_MS = 2_000

const [loads = "5", matches = "20"] = process.argv.slice(2)

interface Load {
  readonly first_ms: number
  readonly largest_ms: number
  readonly bytes: number
  readonly requests: number
}

/** By name; the match is the longest, and the model the first of the ladder. */
const pagesOf = async (origin: string): Promise<Readonly<Record<string, string>>> => {
  const visitor = new Visitor(origin)
  const [match] = (await visitor.get("/v1/matches?season=demo&sort=longest&limit=1")).matches
  const [first] = (await visitor.get("/v1/games/snakes/leaderboard?season=demo&ladder=open&limit=1")).entries
  const season = "/games/snakes/seasons/demo"
  return {
    home: "/",
    season,
    ladder: `${season}/ladders/open`,
    match: `/matches/${match.id}`,
    model: `/models/${first.model_id}`
  }
}

/** Runs in the page, before anything of it. */
const watchPaint = () => {
  const told = { first_ms: 0, largest_ms: 0, at_ms: 0 }
  const { PerformanceObserver } = globalThis as any
  const watch = (type: string, see: (at: number) => void) =>
    new PerformanceObserver((list: any) => {
      for (const entry of list.getEntries()) see(entry.startTime)
      told.at_ms = performance.now()
    }).observe({ type, buffered: true })
  watch("paint", (at) => void (told.first_ms = at))
  watch("largest-contentful-paint", (at) => void (told.largest_ms = at))
  ;(globalThis as any).painted = told
}

const painted = async (page: Page, quiet_ms: number) => {
  await page.waitForFunction((quiet_ms) => performance.now() - (globalThis as any).painted.at_ms > quiet_ms, quiet_ms)
  return (await page.evaluate(() => (globalThis as any).painted)) as { readonly first_ms: number; readonly largest_ms: number }
}

const load = async (chromium: Chromium, address: string): Promise<Load> => {
  const { page } = await chromium.open("about:blank", PHONE)
  const session = await page.context().newCDPSession(page)
  let [bytes, requests] = [0, 0]
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength
    requests++
  })
  await session.send("Network.enable")
  const throttled = { offline: false, latency: ROUND_TRIP_MS, downloadThroughput: DOWN_BYTES_PER_S, uploadThroughput: UP_BYTES_PER_S }
  await session.send("Network.emulateNetworkConditions", throttled)
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWER })
  await page.addInitScript(watchPaint)
  const answer = await page.goto(address, { waitUntil: "networkidle" })
  if (answer?.status() !== 200) throw new Error(`${address} answered ${answer?.status()}`)
  const { first_ms, largest_ms } = await painted(page, QUIET_MS)
  await page.context().close()
  return { first_ms, largest_ms, bytes, requests }
}

const shown = (all: ReadonlyArray<number>) => `${median(all).toFixed(0)} (${Math.min(...all).toFixed(0)}..${Math.max(...all).toFixed(0)})`

const main = async () => {
  const origin = await restedDemo(Number(matches))
  const chromium = await Chromium.launch()
  const pages = Object.entries(await pagesOf(origin))
  const seen = new Map<string, Array<Load>>(pages.map(([name]) => [name, []]))
  for (let round = 0; round < Number(loads); round++) {
    for (const [name, path] of pages) seen.get(name)!.push(await load(chromium, origin + path))
  }
  console.log("page, first contentful paint ms, largest ms, largest ms over a new connection, bytes, requests")
  for (const [name, loads] of seen) {
    const largest = loads.map(({ largest_ms }) => largest_ms)
    const whole = median(largest) + CONNECTING_MS
    const { bytes, requests } = loads.at(-1)!
    const first = shown(loads.map(({ first_ms }) => first_ms))
    const verdict = whole < BAR_MS ? "under" : "OVER"
    console.log(`${name}: ${first}, ${shown(largest)}, ${whole.toFixed(0)} (${verdict} ${BAR_MS}), ${bytes}, ${requests}`)
  }
  await chromium.close()
}

const missing = missingChromium()
if (missing !== undefined) console.log(`paint: skipped, ${missing}`)
else await main().finally(Service.cleanUp)
