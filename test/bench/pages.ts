/**
 * What a page of the site costs, against the API read beneath it: a ladder of 50 rows, kept, asked for again and again. The service has
 * core 0 with the site that stands behind it; wrk and Postgres share core 1. Rounds are interleaved, ratios are taken round by round,
 * and their median; the CPU is that of the service and the site together.
 *
 *   node test/bench/pages.ts [rounds, 9] [seconds, 1]
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { id } from "../support/SeasonScript.ts"
import { cpu_us, launch, load, median, onCoreOne, type Server, textOf } from "./http/launch.ts"
import { subjectOf, write } from "./http/Subject.ts"
import { insertField } from "./play/field.ts"

const SEASON = id("season", 1)
const ENTRIES = 2_000
const WARM_S = 5
const BAR = 1.5
const SITE = join(import.meta.dirname, "../../packages/site/src/main.ts")
const READ = `/v1/games/snakes/leaderboard?season=${SEASON}&ladder=open&cursor=0&limit=52`
const PAGE = `/games/snakes/seasons/${SEASON}/ladders/open`

const launchSite = ({ origin }: Server): ChildProcess => {
  const env = { PATH: process.env["PATH"]!, AGON_URL: origin, AGON_SITE_PORT: String(Number(new URL(origin).port) + 1) }
  return spawn("taskset", ["-c", "0", process.execPath, SITE], { env, stdio: "ignore" })
}

interface Side {
  readonly path: string
  readonly per_s: Array<number>
  readonly us: Array<number>
}

const measure = (server: Server, site: ChildProcess, sides: ReadonlyArray<Side>, rounds: number, seconds: number) => {
  const cpu = () => cpu_us(server) + cpu_us({ ...server, child: site })
  const gzip = ["-H", "Accept-Encoding: gzip"]
  for (const { path } of sides) load(server, path, WARM_S, ...gzip)
  for (let round = 0; round < rounds; round++) {
    for (const { path, per_s, us } of sides) {
      const before = cpu()
      const requests = load(server, path, seconds, ...gzip)
      per_s.push(requests / seconds)
      us.push((cpu() - before) / requests)
    }
  }
}

const main = async (url: Redacted.Redacted, rounds: number, seconds: number) => {
  const folder = mkdtempSync(join(tmpdir(), "agon-bench-"))
  const children: Array<ChildProcess> = []
  try {
    const fill = Effect.flatMap(PgClient.PgClient, (sql) => insertField(sql, SEASON, ENTRIES, Date.now()))
    await Effect.runPromise(fill.pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), Effect.scoped))
    const file = join(folder, "subject.json")
    writeFileSync(file, write(await Effect.runPromise(subjectOf(url, SEASON, Redacted.value(url)))))
    const server = await launch("page", file)
    children.push(server.child)
    const read: Side = { path: READ, per_s: [], us: [] }
    const page: Side = { path: PAGE, per_s: [], us: [] }
    const json = await textOf(server, READ)
    const site = launchSite(server)
    children.push(site)
    const html = await textOf(server, PAGE)
    console.log(`the read: ${json.length} bytes, ${gzipSync(json).length} gz; the page: ${html.length} bytes, ${gzipSync(html).length} gz`)
    measure(server, site, [read, page], rounds, seconds)
    const times = page.us.map((us, i) => us / read.us[i]!)
    const slower = read.per_s.map((per_s, i) => per_s / page.per_s[i]!)
    const range = (all: ReadonlyArray<number>) =>
      `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}..${Math.max(...all).toFixed(2)})`
    console.log(`reads/s ${median(read.per_s).toFixed(0)}, ${median(read.us).toFixed(1)} us CPU each`)
    console.log(`pages/s ${median(page.per_s).toFixed(0)}, ${median(page.us).toFixed(1)} us CPU each`)
    console.log(`a page costs ${range(times)} times its read by CPU, ${range(slower)} by time; bar ${BAR}`)
  } finally {
    for (const child of children) child.kill("SIGTERM")
    rmSync(folder, { recursive: true, force: true })
  }
}

onCoreOne("pages")
const [rounds = "9", seconds = "1"] = process.argv.slice(2)
const program = Effect.flatMap(Postgres.url({ migrate: true }), (url) => Effect.promise(() => main(url, Number(rounds), Number(seconds))))
Effect.runPromise(program).then(() => process.exit(0))
