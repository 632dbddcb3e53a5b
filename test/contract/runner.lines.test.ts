/** The log's lines about the fleet: one line for each change of a runner, which names it and tells no secret. */
import * as LogLines from "@agon/api/program/LogLines.ts"
import { RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { ask, layerWith, options, remove, rows } from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import { ofPlatform, playing, resultOf, runnerOf } from "../support/Fleet.ts"
import { unlimited } from "../support/Web.ts"

const heard: Array<any> = []
const hears = Layer.merge(
  Logger.layer([Logger.map(LogLines.json, (line) => void heard.push(JSON.parse(line)))]),
  Layer.succeed(References.MinimumLogLevel, "Debug")
)
const administration = layerWith(RateLimits.layer(unlimited), undefined, hears)

/** The lines that name this runner, without the time. */
const linesOf = (id: string) => heard.filter(({ runner }) => runner === id).map(({ time: _, ...line }) => line)
const messagesOf = (id: string) => linesOf(id).map(({ message }) => message)
const said = (id: string, message: string) =>
  eventually(
    `"${message}" of ${id}`,
    Effect.sync(() => messagesOf(id).includes(message))
  )
/** Longer than a runner may be silent. */
const silence = (id: string) => rows`UPDATE runner SET last_seen_at = now() - interval '3 minutes' WHERE id = ${id}`

layer(administration, options)("the log", (it) => {
  it.effect("has a line when a runner joins, one when it is told to drain, however often, and one when it is done", () =>
    Effect.gen(function* () {
      const { key_id, lease, release, runner } = yield* runnerOf(ofPlatform, { name: 'rack"}{"level":"error"}', accepts: ["match"] })
      const about = { runner, name: 'rack"}{"level":"error"}', key: key_id }
      const joined = { level: "info", message: "a runner joined", ...about, slots: 4, runtime_version: "test", isolation: null }
      assert.deepStrictEqual(linesOf(runner), [joined])
      yield* playing("drains")
      const [work] = yield* lease()
      for (const _ of [1, 2]) yield* remove(`/v1/runners/${runner}`)
      const drains = linesOf(runner).filter(({ message }) => message === "a runner drains")
      assert.deepStrictEqual(drains, [{ level: "info", message: "a runner drains", ...about, leases: 1 }])
      yield* release(work!)
      yield* said(runner, "a runner was drained and is done")
      assert.deepStrictEqual(linesOf(runner).at(-1), { level: "info", message: "a runner was drained and is done", ...about })
    })
  )

  it.effect("has a line when a runner vanishes and one when it returns", () =>
    Effect.gen(function* () {
      const { key_id, lease, runner } = yield* runnerOf(ofPlatform, { accepts: ["admission"] })
      yield* silence(runner)
      yield* said(runner, "a runner vanished")
      yield* eventually(
        "it is heard of again",
        Effect.map(lease(), () => messagesOf(runner).includes("a runner returned"))
      )
      yield* lease()
      assert.deepStrictEqual(messagesOf(runner), ["a runner joined", "a runner vanished", "a runner returned"])
      const about = { runner, name: "rack", key: key_id }
      assert.deepStrictEqual(linesOf(runner)[1], { level: "info", message: "a runner vanished", ...about })
      yield* remove(`${ofPlatform}/${key_id}`)
      const ended = heard.filter(({ key, message }) => key === key_id && message.startsWith("a runner key was revoked"))
      assert.deepStrictEqual(
        ended.map(({ level, name }) => [level, name]),
        [["info", "rack"]]
      )
    })
  )

  it.effect("has a line when a runner says that it has stopped", () =>
    Effect.gen(function* () {
      const { key, key_id, runner } = yield* runnerOf(ofPlatform)
      yield* ask(`/v1/runner/sessions/${runner}`, { method: "DELETE", headers: { authorization: `Bearer ${key}` } })
      assert.deepStrictEqual(linesOf(runner)[1], { level: "info", message: "a runner stopped", runner, key: key_id })
    })
  )

  it.effect("tells of single pieces of work at debug alone", () =>
    Effect.gen(function* () {
      const { id: season } = yield* playing("single")
      const { lease, runner, say } = yield* runnerOf(ofPlatform, { accepts: ["match"] })
      const [work] = yield* lease()
      yield* say(`/leases/${work!.lease}/result`, resultOf(work!))
      const [, leased, ended] = linesOf(runner)
      const about = { level: "debug", season, lease: work!.lease, runner }
      assert.deepStrictEqual(leased, { ...about, message: "work leased", kind: "match" })
      assert.deepStrictEqual(ended, { ...about, message: "match ended", ending: "rated", turns: 3, played_ms: 1 })
      const others = heard.filter(({ lease, level }) => lease === work!.lease && level !== "debug")
      assert.deepStrictEqual(others, [])
    })
  )

  it.effect("has the key of no runner", () =>
    Effect.sync(() => {
      assert.isAbove(heard.length, 10)
      assert.notInclude(JSON.stringify(heard), "agon_rk_")
    })
  )
})
