/**
 * Kept answers of five routes against a bare server that sends the same bytes, round by round in turn, and what memory the
 * service takes: when it has started, while it answers from its cache, and while every request is one it has not seen.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { id, insertRows, versionNumber } from "../../support/ManyRows.ts"
import { cpu_us, launch, load, median, memory_mb, type Server, textOf } from "./launch.ts"

const SIZE = { matches: 20_000, entries: 2_000 }
const ROUTES = [
  "/v1/games/snakes",
  "/v1/games/snakes/leaderboard?season=big&limit=20",
  "/v1/games/snakes/seasons/big/maps",
  "/v1/matches?season=big",
  `/v1/versions/${id("version", versionNumber(1, 101))}`
]
const BAR = 0.9
const WARM_S = 4
const UNSEEN_S = 15
/** Every request asks for another page. */
const UNSEEN = `local n = 0
request = function() n = n + 1; return wrk.format("GET", "/v1/matches?season=big&limit=60&cursor=" .. n) end`

const range = (all: ReadonlyArray<number>) => `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}..${Math.max(...all).toFixed(2)})`

const compareRoute = (service: Server, bare: Server, path: string, bytes: number, rounds: number, seconds: number) => {
  const one = (server: Server) => {
    const before = cpu_us(server)
    const requests = load(server, path, seconds)
    return { per_s: requests / seconds, cpu_us: (cpu_us(server) - before) / requests }
  }
  for (const server of [service, bare]) load(server, path, WARM_S)
  const pairs = Array.from({ length: rounds }, () => [one(service), one(bare)] as const)
  const ratios = pairs.map(([ours, theirs]) => ours.per_s / theirs.per_s)
  const byCpu = pairs.map(([ours, theirs]) => theirs.cpu_us / ours.cpu_us)
  const per_s = median(pairs.map(([ours]) => ours.per_s)).toFixed(0)
  const verdict = median(ratios) >= BAR ? "reached" : "MISSED"
  console.log(
    `${path.padEnd(62)} ${String(bytes).padStart(6)} ${per_s.padStart(8)}  ${range(ratios).padStart(19)}  ${range(byCpu).padStart(19)}  ${verdict}`
  )
}

const remember = (service: Server, folder: string) => {
  const { now } = memory_mb(service)
  const script = join(folder, "unseen.lua")
  writeFileSync(script, UNSEEN)
  const requests = load(service, "/", UNSEEN_S, "-s", script)
  const after = memory_mb(service)
  console.log(
    `memory, MB: ${now.toFixed(0)} after the kept answers, ${after.now.toFixed(0)} after ${requests} pages not asked for before, ${after.most.toFixed(0)} at the most`
  )
}

const run = async (url: string, rounds: number, seconds: number) => {
  const folder = mkdtempSync(join(tmpdir(), "agon-bench-"))
  const servers: Array<Server> = []
  try {
    const file = join(folder, "bodies.json")
    writeFileSync(file, JSON.stringify({ url, bodies: {} }))
    const service = await launch("service", file, { program: "routesServer.ts" })
    servers.push(service)
    await textOf(service, ROUTES[0]!)
    console.log(`\nmemory, MB: ${memory_mb(service).now.toFixed(0)} when the service has answered once`)
    const bodies: Record<string, string> = {}
    for (const path of ROUTES) bodies[path] = await textOf(service, path)
    writeFileSync(file, JSON.stringify({ url, bodies }))
    const bare = await launch("bare", file, { program: "routesServer.ts" })
    servers.push(bare)
    await textOf(bare, ROUTES[0]!)
    console.log(`${"route, cached".padEnd(62)}  bytes requests/s    of bare's requests/s     of its speed by CPU  bar ${BAR}`)
    for (const path of ROUTES) compareRoute(service, bare, path, Buffer.byteLength(bodies[path]!), rounds, seconds)
    remember(service, folder)
  } finally {
    for (const { child } of servers) child.kill("SIGTERM")
    rmSync(folder, { recursive: true, force: true })
  }
}

export const compareRoutes = (url: Redacted.Redacted, rounds: number, seconds: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, SIZE)).pipe(
    Effect.provide(PgClient.layer({ url, maxConnections: 1 })),
    Effect.orDie,
    Effect.andThen(Effect.promise(() => run(Redacted.value(url), rounds, seconds)))
  )
