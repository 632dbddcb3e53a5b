/**
 * The cost of a read: the service's leaderboard against bare servers that send the same bytes, serialise the same object or
 * run the same statements, and against Fastify. The server has core 0; wrk, Postgres and this program share core 1.
 * Rounds are interleaved and short, so that the moods of the machine meet all of them; ratios are taken round by round, and
 * their median.
 *
 *   node test/bench/http.ts [rounds, 15] [seconds, 1] [kinds, all]
 *   node test/bench/http.ts --routes [rounds, 9] [seconds, 1]     five cached routes against bare servers of their bytes, and memory
 *   node test/bench/http.ts --profile KIND      where the time of one server goes
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { id } from "../support/SeasonScript.ts"
import { answer, CONNECTIONS, cpu_us, launch, load, median, onCoreOne, type Server } from "./http/launch.ts"
import { summary } from "./http/profile.ts"
import { compareRoutes } from "./http/routes.ts"
import { subjectOf, write } from "./http/Subject.ts"
import { insertField } from "./play/field.ts"

const KINDS = [
  "bare",
  "fastify",
  "cached",
  "behind",
  "json",
  "fastify-json",
  "fastify-schema",
  "typed",
  "pg",
  "sql-pg",
  "postgres"
] as const
type Kind = (typeof KINDS)[number]
/** The server that each is compared with, and the bar that it must reach (test/bench/README.md#every-bar). */
const AGAINST: Partial<Record<Kind, readonly [Kind, number?]>> = {
  fastify: ["bare"],
  cached: ["bare", 0.9],
  behind: ["bare"],
  "fastify-json": ["json"],
  "fastify-schema": ["json"],
  typed: ["json", 0.7],
  "sql-pg": ["pg"],
  postgres: ["sql-pg", 0.5]
}
const SEASON = id("season", 1)
const ENTRIES = 2_000
/** V8 compiles on the server's core for as long as this before the path is at speed. */
const WARM_S = 8

const bodyOf = (page: any) => JSON.stringify({ ...page, entries: page.entries.map((entry: object) => Object.entries(entry).toSorted()) })

const compare = async (servers: ReadonlyArray<Server>, path: string, rounds: number, seconds: number) => {
  const pages = await Promise.all(servers.map((server) => answer(server, path)))
  for (const [i, page] of pages.entries()) {
    if (bodyOf(page) !== bodyOf(pages[0])) throw new Error(`${servers[i]!.kind} answers another page than ${servers[0]!.kind}`)
  }
  console.log(`${Buffer.byteLength(JSON.stringify(pages[0]))} bytes, ${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s`)
  for (const server of servers) load(server, path, WARM_S)
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) {
      const before = cpu_us(server)
      const requests = load(server, path, seconds)
      server.per_s.push(requests / seconds)
      server.cpu_us.push((cpu_us(server) - before) / requests)
    }
  }
}

const report = (servers: ReadonlyArray<Server>) => {
  console.log("\nserver        requests/s   us CPU   against       of its requests/s     of its speed by CPU   bar")
  for (const { cpu_us, kind, per_s } of servers) {
    const [name, bar] = AGAINST[kind as Kind] ?? []
    const other = servers.find((one) => one.kind === name)
    const line = [kind.padEnd(12), median(per_s).toFixed(0).padStart(11), median(cpu_us).toFixed(1).padStart(9), (name ?? "").padStart(13)]
    if (other !== undefined) {
      const ratios = per_s.map((one, i) => one / other.per_s[i]!)
      const byCpu = cpu_us.map((one, i) => other.cpu_us[i]! / one)
      line.push(
        ...[ratios, byCpu].map((all) =>
          `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}..${Math.max(...all).toFixed(2)})`.padStart(22)
        )
      )
      if (bar !== undefined) line.push(`  ${bar.toFixed(2)} ${median(ratios) >= bar ? "reached" : "MISSED"}`)
    }
    console.log(line.join(" "))
  }
}

const profile = async (kind: Kind, file: string, path: string, folder: string) => {
  const server = await launch(kind, file, { nodeArgs: ["--cpu-prof", `--cpu-prof-dir=${folder}`] })
  await answer(server, path)
  const requests = load(server, path, WARM_S) + load(server, path, WARM_S)
  const ended = new Promise((resolve) => server.child.on("exit", resolve))
  server.child.kill("SIGTERM")
  await ended
  const name = readdirSync(folder).find((one) => one.endsWith(".cpuprofile"))!
  console.log(`${kind}: ${requests} requests, the first of them while it warmed up`)
  console.log(summary(JSON.parse(readFileSync(join(folder, name), "utf8")), requests))
}

const main = async (url: Redacted.Redacted, args: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "agon-bench-"))
  const servers: Array<Server> = []
  try {
    const fill = Effect.flatMap(PgClient.PgClient, (sql) => insertField(sql, SEASON, ENTRIES, Date.now()))
    await Effect.runPromise(fill.pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), Effect.scoped))
    const subject = await Effect.runPromise(subjectOf(url, SEASON, Redacted.value(url)))
    const file = join(folder, "subject.json")
    writeFileSync(file, write(subject))
    if (args[0] === "--profile") return await profile(args[1] as Kind, file, subject.path, folder)
    const [rounds = "15", seconds = "1", only = ""] = args
    for (const kind of KINDS) if (only === "" || only.split(",").includes(kind)) servers.push(await launch(kind, file))
    await compare(servers, subject.path, Number(rounds), Number(seconds))
    report(servers)
  } finally {
    for (const { child } of servers) child.kill("SIGTERM")
    rmSync(folder, { recursive: true, force: true })
  }
}

onCoreOne("http")
const args = process.argv.slice(2)
const program = Effect.gen(function* () {
  const url = Postgres.url({ migrate: true })
  if (args[0] !== "--routes") {
    const fields = yield* url
    yield* Effect.promise(() => main(fields, args))
  }
  const [, rounds = "9", seconds = "1"] = args
  if (args.length === 0 || args[0] === "--routes") yield* compareRoutes(yield* url, Number(rounds), Number(seconds))
})
Effect.runPromise(program).then(() => process.exit(0))
