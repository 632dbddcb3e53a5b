/**
 * What a read costs: the service's leaderboard against bare servers that send the same bytes, serialise the same object or
 * run the same statements, and against Fastify. The server has core 0; wrk, Postgres and this program share core 1.
 * Rounds are interleaved and short, so that the moods of the machine meet all of them; ratios are taken round by round, and
 * their median.
 *
 *   node test/bench/http.ts [rounds, 15] [seconds, 1] [kinds, all]
 *   node test/bench/http.ts --profile KIND      where the time of one server goes
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as Postgres from "../support/Postgres.ts"
import { id } from "../support/SeasonScript.ts"
import { insertField } from "./play/field.ts"
import { summary } from "./http/profile.ts"
import { subjectOf, write } from "./http/Subject.ts"

const KINDS = ["bare", "fastify", "cached", "behind", "json", "fastify-json", "typed", "pg", "sql-pg", "postgres"] as const
type Kind = (typeof KINDS)[number]
/** Whom each is compared with, and what it must reach (DESIGN.md section 7). */
const AGAINST: Partial<Record<Kind, readonly [Kind, number?]>> = {
  fastify: ["bare"],
  cached: ["bare", 0.9],
  behind: ["bare"],
  "fastify-json": ["json"],
  typed: ["json", 0.5],
  "sql-pg": ["pg"],
  postgres: ["sql-pg", 0.5]
}
const SEASON = id("season", 1)
const ENTRIES = 2_000
/** V8 compiles on the server's core for as long as this before the path is at speed. */
const WARM_S = 8
const TICK_US = 10_000
const CONNECTIONS = 32

interface Server {
  readonly kind: Kind
  readonly origin: string
  readonly child: ChildProcess
  readonly per_s: Array<number>
  readonly cpu_us: Array<number>
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })

const launch = async (kind: Kind, file: string, ...nodeArgs: ReadonlyArray<string>): Promise<Server> => {
  const port = await freePort()
  const program = join(import.meta.dirname, "http/server.ts")
  const args = ["-c", "0", process.execPath, ...nodeArgs, program, kind, String(port), file]
  const child = spawn("taskset", args, { stdio: ["ignore", "inherit", "inherit"] })
  return { kind, origin: `http://127.0.0.1:${port}`, child, per_s: [], cpu_us: [] }
}

/** The body, once there is one. */
const answer = async ({ child, kind, origin }: Server, path: string): Promise<any> => {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`${kind} ended with ${child.exitCode}`)
    const response = await fetch(`${origin}${path}`).catch(() => undefined)
    if (response?.ok) return response.json()
    await pause(100)
  }
  throw new Error(`${kind} does not answer`)
}

/** User and system time of a process; field 14 and 15 of proc(5), counted from the state. */
const cpu_us = ({ child }: Server) => {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

const load = ({ kind, origin }: Server, path: string, seconds: number): number => {
  const out = execFileSync("wrk", ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, `${origin}${path}`], { encoding: "utf8" })
  if (/Non-2xx/.test(out)) throw new Error(`${kind}: ${out}`)
  return Number(/(\d+) requests in/.exec(out)![1])
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1]!
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
    const [name, bar] = AGAINST[kind] ?? []
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
  const server = await launch(kind, file, "--cpu-prof", `--cpu-prof-dir=${folder}`)
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

for (const tool of ["wrk", "taskset"]) {
  if (spawnSync(tool, ["--version"]).error !== undefined) {
    console.log(`http: skipped, ${tool} is not installed (Debian: apt install ${tool === "wrk" ? "wrk" : "util-linux"})`)
    process.exit(0)
  }
}
execFileSync("taskset", ["-cp", "1", String(process.pid)], { stdio: "ignore" }) // Postgres and wrk inherit it
Postgres.url({ migrate: true })
  .pipe(
    Effect.flatMap((url) => Effect.promise(() => main(url, process.argv.slice(2)))),
    Effect.runPromise
  )
  .then(() => process.exit(0))
