/**
 * Runners over HTTP: the whole service in a process of its own, on a database of its own with the same field.
 * Each runner is a connection that says what the contract's runner says: lease requests that carry the
 * results of the matches before. Matches are not played. The replays that they carry are small and all the
 * same. Measured are the protocol, the store's work for a replay of each match, and the commit.
 */

import { spawn } from "node:child_process"
import { hash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { LeaseAnswer, LeasedResult, RunnerSession, Work } from "@agon/api/runner/protocol.ts"
import { boardsOf } from "@agon/engine/registry.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { freePort } from "../../support/freePort.ts"
import { id } from "../../support/SeasonScript.ts"
import type { Contestant, Playing } from "./contestant.ts"
import { residentOf_mb } from "./cpu.ts"
import { insertField } from "./field.ts"

const SEASON = id("season", 2)
/** A key has at most 128 runners that are not gone. */
const RUNNERS_A_KEY = 100
const KEYS = 32
/** As `settings` of the field has it. */
const ENGINE = "sha256:engine"
const STARTS_WITHIN_S = 30
/** Node's own options for the service, such as `--cpu-prof`. */
const OPTIONS = (process.env["SERVICE_OPTIONS"] ?? "").split(" ").filter((option) => option !== "")
/** A runner that was given nothing asks again then: the longest wait would outlast a slot. */
const IDLE_MS = 2
/** The season is starting; a result that was refused is said again. */
const AWAY_MS = 50

export interface Served {
  readonly pid: number
  readonly contestants: ReadonlyArray<Contestant>
  readonly resident_mb: () => number
  readonly stop: () => Promise<void>
}

export const serve = async (url: Redacted.Redacted, entries: number): Promise<Served> => {
  const fill = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* insertField(sql, SEASON, entries, Date.now())
    const board = boardsOf("snakes").find(({ players }) => players === 2)!
    yield* sql.unsafe("UPDATE board SET file = $1::text::jsonb", [JSON.stringify(board)])
    yield* sql.unsafe(`UPDATE version SET weights_hash = 'sha256:' || encode(sha256(weights_hash::bytea), 'hex'),
      manifest_hash = 'sha256:' || encode(sha256(manifest_hash::bytea), 'hex')`)
    yield* sql.unsafe("VACUUM ANALYZE version")
    for (let n = 1; n <= KEYS; n++) {
      yield* sql.unsafe(
        "INSERT INTO runner_key (id, name, prefix, key_sha256, created_at) VALUES ($1::uuid, 'bench', 'agon-bench', $2::bytea, now())",
        [id("key", n), hash("sha256", secretOf(n), "buffer")]
      )
    }
  })
  await Effect.runPromise(fill.pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), Effect.scoped))
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), "agon-bench-"))
  const service = spawn(process.execPath, [...OPTIONS, join(import.meta.dirname, "../../../packages/server/src/main.ts")], {
    env: {
      PATH: process.env["PATH"],
      HOST: "127.0.0.1",
      PORT: String(port),
      DATABASE_URL: Redacted.value(url),
      AGON_DATA: data,
      AGON_DEV_SIGNIN: "1",
      AGON_METRICS: "off",
      AGON_DEMO: "0",
      AGON_RUNNERS: "0",
      AGON_AUDIT: "0",
      AGON_REPLAY_CHECK: "0",
      AGON_RUNTIMES: "bench",
      LOG_LEVEL: "error"
    },
    stdio: ["ignore", "ignore", "inherit"]
  })
  process.on("exit", () => service.kill("SIGKILL")) // also where the bench fails
  const ended = new Promise<void>((resolve) => service.on("exit", () => resolve()))
  await ready(port, () => service.exitCode !== null)
  const keys = keyring()
  return {
    pid: service.pid!,
    contestants: [1, 10].map((max) => runners(port, service.pid!, max, keys)),
    resident_mb: () => residentOf_mb(service.pid!),
    stop: async () => {
      service.kill("SIGTERM")
      await ended
      rmSync(data, { recursive: true, force: true })
    }
  }
}

const ready = async (port: number, ended: () => boolean) => {
  for (let tries = 0; tries < STARTS_WITHIN_S * 10; tries++) {
    if (ended()) throw new Error("the service ended")
    if (
      await fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false
      )
    )
      return
    await pause(100)
  }
  throw new Error("the service does not answer")
}

const secretOf = (key: number) => `agon-bench-key-${key}`

/** The key of the next session. */
const keyring = () => {
  let sessions = 0
  return () => {
    const key = 1 + Math.floor(sessions++ / RUNNERS_A_KEY)
    if (key > KEYS) throw new Error(`the bench has keys for ${KEYS * RUNNERS_A_KEY} runners`)
    return secretOf(key)
  }
}

interface Session {
  readonly secret: string
  readonly runner: string
}

/** Says it again until the season has started. */
const posting = async <A>(agent: Agent, port: number, path: string, secret: string, body: object): Promise<A> => {
  for (;;) {
    const { status, text } = await posted(agent, port, path, secret, JSON.stringify(body))
    if (status < 300) return JSON.parse(text)
    if (status !== 503) throw new Error(`${path}: ${status} ${text}`)
    await pause(AWAY_MS)
  }
}

/** Sessions are opened before a slot begins, and kept from slot to slot, as those of real runners are. */
const runners = (port: number, pid: number, max: number, nextKey: () => string): Contestant => {
  const sessions: Array<Session> = []
  const opened = async (agent: Agent, n: number) => {
    const secret = nextKey()
    const engines = [{ game: "snakes", engine_digest: ENGINE }]
    const opening = { name: `bench-${n}`, runtime_version: "bench", engines, accepts: ["match"], slots: max }
    const { runner } = await posting<RunnerSession>(agent, port, "/v1/runner/sessions", secret, opening)
    sessions[n] = { secret, runner }
  }
  const start = async (count: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: count })
    await Promise.all(Array.from({ length: count }, (_, n) => (n in sessions ? undefined : opened(agent, n))))
    return played(agent, port, max, sessions.slice(0, count))
  }
  return { name: `agon over HTTP, ${max === 1 ? "one" : "ten"} at a time`, pid, start }
}

const played = (agent: Agent, port: number, max: number, sessions: ReadonlyArray<Session>): Playing => {
  let playing = true
  let cycles = 0
  const play = async ({ runner, secret }: Session, n: number) => {
    let works: ReadonlyArray<Work> = []
    while (playing || works.length > 0) {
      const matches = works.filter((work) => work.kind === "match")
      const results = matches.map((work) => resultOf(work, n))
      const asking = { runner, max: playing ? max : 0, wait_s: 0, holds: [], results }
      const answer = await posting<LeaseAnswer>(agent, port, "/v1/runner/leases", secret, asking)
      cycles += answer.results.filter(({ accepted }) => accepted).length
      works = answer.leases
      if (works.length === 0 && playing) await pause(IDLE_MS)
    }
  }
  const all = sessions.map(play)
  const stop = async () => {
    playing = false
    await Promise.all(all)
    agent.destroy()
  }
  return { cycles: () => cycles, stop }
}

const WINS = { score: 2, rank: 1 }
const LOSES = { score: 1, rank: 2 }
const resultOf = ({ lease, seats }: Extract<Work, { kind: "match" }>, winner: number): LeasedResult => ({
  lease,
  kind: "match",
  runtime_version: "bench",
  reason: "last_standing",
  turns: 77,
  played_ms: 1_234,
  seats: seats.map(({ seat }) => ({ seat, ...(seat === winner % seats.length ? WINS : LOSES), strikes: 0 })),
  state_sha256: "0".repeat(64),
  replay: { hash: `sha256:${hash("sha256", REPLAY)}`, bytes: REPLAY.length, inline: REPLAY }
})

/** Nothing that a check would believe; the service of the bench checks none. */
const REPLAY = "{}"

/** `fetch` would cost the machine more than the service does. */
const posted = (agent: Agent, port: number, path: string, secret: string, body: string) =>
  sent(agent, "POST", new URL(`http://127.0.0.1:${port}${path}`), Buffer.from(body), {
    authorization: `Bearer ${secret}`,
    "content-type": "application/json"
  })

const sent = (agent: Agent, method: string, { pathname, port, search }: URL, body: Buffer, more: Record<string, string> = {}) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const headers = { ...more, "content-length": body.length }
    const asked = request({ agent, port, path: pathname + search, headers, host: "127.0.0.1", method }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode!, text }))
    })
    asked.on("error", reject)
    asked.end(body)
  })
