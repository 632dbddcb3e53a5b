/** One trace follows a match through the service and a runner, two processes, to a collector. */

import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Telemetry from "@agon/api/program/Telemetry.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Collector, collector, type Span } from "../support/Collector.ts"
import { eventually } from "../support/eventually.ts"
import { keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const RUNNER = join(import.meta.dirname, "../../packages/runner/src/main.ts")
const OF_MATCH = ["agon lease", "agon result", "agon-runner report", "agon-runner work"]
const OF_WORK = ["agon-runner fetch", "agon-runner play"]

/** The runner as a process of its own. */
const running = (key: string, origin: string, collector: string) => {
  const directory = mkdtempSync(join(tmpdir(), "agon-traces-"))
  const options = { AGON_URL: origin, AGON_RUNNER_KEY: key, AGON_RUNNER_CACHE: join(directory, "files"), AGON_RUNNER_FINISH_S: "0" }
  return Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [RUNNER], { env: { ...process.env, ...options, OTLP_URL: collector }, stdio: "ignore" })),
    (child) =>
      Effect.promise(async () => {
        const ended = child.exitCode !== null || new Promise((resolve) => child.once("exit", resolve))
        child.kill("SIGTERM")
        await ended
        rmSync(directory, { recursive: true, force: true })
      })
  )
}

/** A match that was played at the first attempt, and whose spans have all arrived. */
const wholeMatch = ({ spans }: Collector) => {
  const below = (parent: Span) => spans.filter(({ parentSpanId, traceId }) => traceId === parent.traceId && parentSpanId === parent.spanId)
  for (const match of spans) {
    if (match.name !== "match" || match.attributes["ending"] !== "rated" || match.attributes["attempts"] !== 1) continue
    const parts = below(match)
    const work = parts.find(({ name }) => name === "work")
    const commit = spans.find(({ spanId }) => spanId === match.links[0]?.spanId)
    const purge = commit && below(commit).find(({ name }) => name === "purge")
    if (work !== undefined && parts.length >= OF_MATCH.length && commit !== undefined && purge !== undefined)
      return { match, parts, work, inWork: below(work), commit, purge }
  }
  return undefined
}

const names = (spans: ReadonlyArray<Span>) => spans.map(({ name, program }) => `${program} ${name}`).sort()
const inOrder = (...times: ReadonlyArray<number>) =>
  assert.deepStrictEqual(
    times,
    times.toSorted((a, b) => a - b)
  )

const traced = Effect.fnUntraced(function* (there: Collector) {
  const { origin } = yield* Service.Service
  const fleet = yield* keyed("traced")
  yield* seasonOf("traced", fleet)
  yield* running(fleet.secret, origin, there.url)
  yield* eventually(
    "the spans of a match",
    Effect.sync(() => wholeMatch(there) !== undefined)
  )
  const { commit, inWork, match, parts, purge, work } = wholeMatch(there)!
  assert.strictEqual(match.parentSpanId, undefined)
  assert.deepStrictEqual(names(parts), OF_MATCH)
  assert.includeMembers(names(inWork), OF_WORK)
  assert.deepInclude(
    commit.links.map(({ spanId, traceId }) => ({ spanId, traceId })),
    { spanId: match.spanId, traceId: match.traceId }
  )
  assert.deepStrictEqual([match.program, commit.program, commit.name, purge.program], ["agon", "agon", "season commit", "agon"])
  assert.notStrictEqual(commit.traceId, match.traceId)

  const part = (name: string) => [...parts, ...inWork].find((span) => span.name === name)!
  // Each process by its own clock.
  inOrder(match.begun_ms, part("lease").ended_ms, part("result").begun_ms, commit.ended_ms, part("result").ended_ms)
  inOrder(work.begun_ms, part("fetch").ended_ms, part("play").begun_ms, part("play").ended_ms, work.ended_ms)
  inOrder(work.ended_ms, part("report").begun_ms, part("report").ended_ms)

  // A runner sends what belongs to a match, and no secret: neither its key nor links to files.
  const others = there.spans.filter(({ parentSpanId, program }) => program === "agon-runner" && parentSpanId === undefined)
  assert.deepStrictEqual(others, [])
  assert.notInclude(JSON.stringify(there.spans), fleet.secret)
  assert.notMatch(JSON.stringify(there.spans), /signature=(?!REDACTED)/i)
})

it.live(
  "a match is one trace over service and runner, linked with the commit that ended it and the purge after it",
  () =>
    Effect.gen(function* () {
      const there = yield* collector()
      const sent = Telemetry.layer({ url: there.url, share: 1, name: "agon" }).pipe(Layer.provide(NodeHttpClient.layerUndici))
      yield* Effect.provide(Effect.scoped(traced(there)), Service.layer({ otlp_url: there.url }).pipe(Layer.provide(sent)))
    }).pipe(Effect.scoped),
  300_000
)
