/**
 * The cost of a page of the site, against the API read beneath it: a ladder of 50 rows, in two pairs.
 *
 *   kept   page and read as they are asked for again and again
 *   anew   page and read as after each write: the read is answered from the database, the page rendered from it. Each request is for
 *          another part of the ladder, so that the site has kept no page that it could confirm, and the service keeps no answer. The
 *          name of the game is all that the page reads besides, once a minute
 *
 * The service has core 0 with the site that stands behind it; wrk and Postgres share core 1. Rounds are
 * interleaved, ratios are taken round by round, and their median; the CPU is that of the service and the site
 * together, without and with that of Postgres. At the end of a round wrk leaves requests under way, whose
 * rest is counted in no round: the next one begins when they are done.
 *
 *   node test/bench/pages.ts [rounds, 9] [seconds, 1] [--profile: of the site, while pages are made anew]
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { id } from "../support/SeasonScript.ts"
import { CONNECTIONS, cpu_us, launch, load, median, onCoreOne, type Server, textOf } from "./http/launch.ts"
import { subjectOf, write } from "./http/Subject.ts"
import { parentOf, serverCpu_us } from "./play/cpu.ts"
import { insertField } from "./play/field.ts"

const SEASON = id("season", 1)
const ENTRIES = 2_000
/**
 * After so many requests V8 has optimized both paths: by their number, since a busy machine answers a
 * fraction of them in a second.
 */
const WARM_REQUESTS = 1_500
const WARM_S = 2
const BAR = 1.5
const SITE = join(import.meta.dirname, "../../packages/site/src/main.ts")
/** Where a profile is left, for the developer tools of Chromium. */
const PROFILES = join(tmpdir(), "agon-profile")

/** Parts of the ladder that are asked for in turn, more than the site keeps pages for. */
const PARTS = 1_900
const readAt = (cursor: number | string) => `/v1/games/snakes/leaderboard?season=${SEASON}&ladder=open&cursor=${cursor}&limit=52`
const pageAt = (cursor: number | string) => `/games/snakes/seasons/${SEASON}/ladders/open?cursor=${cursor}`

/**
 * Asks for one part after the other, over all runs: one that began where another did would
 * find its pages kept by the site.
 */
class Turns {
  #asked = 0
  readonly file: string
  readonly path: string
  constructor(file: string, path: string) {
    this.file = file
    this.path = path
  }
  /** Arguments of wrk. */
  get args(): ReadonlyArray<string> {
    const [before, after] = this.path.split("PART") as [string, string]
    writeFileSync(
      this.file,
      `local n = ${this.#asked}
request = function()
  n = n + 1
  return wrk.format("GET", "${before}" .. (n * 7 % ${PARTS}) .. "${after}")
end
`
    )
    return ["-s", this.file]
  }
  /** Those that were answered, and those that wrk has left under way. */
  after(answered: number): void {
    this.#asked += answered + CONNECTIONS
  }
}

const launchSite = ({ origin }: Server, nodeArgs: ReadonlyArray<string> = []): ChildProcess => {
  const env = { PATH: process.env["PATH"]!, AGON_URL: origin, AGON_SITE_PORT: String(Number(new URL(origin).port) + 1) }
  return spawn("taskset", ["-c", "0", process.execPath, ...nodeArgs, SITE], { env, stdio: "ignore" })
}

interface Side {
  readonly path: string
  readonly turns: Turns | undefined
  readonly per_s: Array<number>
  readonly us: Array<number>
  /** Of `us`, the site's. */
  readonly site_us: Array<number>
  /** Besides `us`, that of Postgres. */
  readonly postgres_us: Array<number>
}

interface Pair {
  readonly name: string
  readonly server: Server
  readonly site: ChildProcess
  readonly read: Side
  readonly page: Side
}

const side = (path: string, turns?: Turns): Side => ({ path, turns, per_s: [], us: [], site_us: [], postgres_us: [] })

const LOOKED_AFTER_MS = 400
/** The processor time that both processes take in that time without a request. */
const IDLE_US = 30_000

/**
 * The requests that wrk has left under way are answered: the site has as many of one visitor
 * under way as wrk has connections.
 */
const isIdle = async ({ server, site }: Pair) => {
  const cpu = () => cpu_us(server) + cpu_us({ ...server, child: site })
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    await pause(LOOKED_AFTER_MS)
    const now = cpu()
    if (now - before <= IDLE_US) return
    before = now
  }
}

const measure = async (pairs: ReadonlyArray<Pair>, postmaster: number, rounds: number, seconds: number) => {
  const gzip = ["-H", "Accept-Encoding: gzip"]
  const asked = ({ server }: Pair, { path, turns }: Side, seconds: number) => {
    const answered = load(server, path, seconds, ...gzip, ...(turns?.args ?? []))
    turns?.after(answered)
    return answered
  }
  for (const pair of pairs) {
    for (const each of [pair.read, pair.page]) {
      for (let warm = 0; warm < WARM_REQUESTS; await isIdle(pair)) warm += asked(pair, each, WARM_S)
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const pair of pairs) {
      for (const each of [pair.read, pair.page]) {
        await isIdle(pair)
        const cpu = () => [cpu_us(pair.server), cpu_us({ ...pair.server, child: pair.site }), serverCpu_us(postmaster)] as const
        const [service_us, site_us, postgres_us] = cpu()
        const requests = asked(pair, each, seconds)
        const [service, site, postgres] = cpu()
        each.per_s.push(requests / seconds)
        each.us.push((service + site - service_us - site_us) / requests)
        each.site_us.push((site - site_us) / requests)
        each.postgres_us.push((postgres - postgres_us) / requests)
      }
    }
  }
}

const report = ({ name, page, read }: Pair) => {
  const whole = ({ postgres_us, us }: Side) => us.map((us, i) => us + postgres_us[i]!)
  const over = (those: ReadonlyArray<number>, these: ReadonlyArray<number>) => those.map((one, i) => one / these[i]!)
  const range = (all: ReadonlyArray<number>) => `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}..${Math.max(...all).toFixed(2)})`
  const said = ({ per_s, postgres_us, site_us, us }: Side) =>
    `${median(per_s).toFixed(0)}/s, ${median(us).toFixed(0)} us CPU each, ${median(site_us).toFixed(0)} of them the site's, and ${median(postgres_us).toFixed(0)} of Postgres`
  console.log(`${name}: reads ${said(read)}; pages ${said(page)}`)
  const [times, withPostgres] = [over(page.us, read.us), over(whole(page), whole(read))]
  const slower = over(read.per_s, page.per_s)
  console.log(
    `${name}: a page costs ${range(times)} times its read by CPU, ${range(withPostgres)} with Postgres, ${range(slower)} by time; bar ${BAR}`
  )
}

const main = async (url: Redacted.Redacted, rounds: number, seconds: number, profile: boolean) => {
  const folder = mkdtempSync(join(tmpdir(), "agon-bench-"))
  const children: Array<ChildProcess> = []
  const beside = async (kind: string, file: string, nodeArgs: ReadonlyArray<string> = []) => {
    const server = await launch(kind, file)
    const site = launchSite(server, nodeArgs)
    children.push(server.child, site)
    const json = await textOf(server, readAt(0))
    const html = await textOf(server, pageAt(0))
    if (!html.includes("Snakes</bdi></a>, <a")) throw new Error("the page does not name its game, so it asks for it again each time")
    return { server, site, json, html }
  }
  try {
    const fill = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* insertField(sql, SEASON, ENTRIES, Date.now())
      const [backend] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
      return parentOf(backend!.pid)
    })
    const postmaster = await Effect.runPromise(fill.pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), Effect.scoped))
    const file = join(folder, "subject.json")
    writeFileSync(file, write(await Effect.runPromise(subjectOf(url, SEASON, Redacted.value(url)))))
    const { html, json, ...kept } = await beside("page", file)
    const { server, site } = await beside("page-anew", file, profile ? ["--cpu-prof", `--cpu-prof-dir=${PROFILES}`] : [])
    console.log(`the read: ${json.length} bytes, ${gzipSync(json).length} gz; the page: ${html.length} bytes, ${gzipSync(html).length} gz`)
    const anew = (name: string, path: string) => side(path, new Turns(join(folder, `${name}.lua`), path))
    const pairs: ReadonlyArray<Pair> = [
      { name: "kept", ...kept, read: side(readAt(0)), page: side(pageAt(0)) },
      { name: "anew", server, site, read: anew("reads", readAt("PART")), page: anew("pages", pageAt("PART")) }
    ]
    await measure(pairs, postmaster, rounds, seconds)
    for (const pair of pairs) report(pair)
  } finally {
    for (const child of children) child.kill("SIGTERM")
    if (profile) await Promise.all(children.map((child) => once(child, "exit")))
    rmSync(folder, { recursive: true, force: true })
  }
}

onCoreOne("pages")
const words = process.argv.slice(2)
const [rounds = "9", seconds = "1"] = words.filter((word) => word !== "--profile")
const program = Effect.flatMap(Postgres.url({ migrate: true }), (url) =>
  Effect.promise(() => main(url, Number(rounds), Number(seconds), words.includes("--profile")))
)
Effect.runPromise(program).then(() => process.exit(0))
