/**
 * The look-ups of a request's leases share their statements: a runner names 256, and one after
 * another they cost 768 statements. Those that use the seasons' own connections use one.
 */

import { randomUUID } from "node:crypto"
import { SLOTS_MAX } from "@agon/api/runner/protocol.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { keyed, playMatches, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

/** The looks at open work and at the season of a lease, and those that other parts make meanwhile. */
const STATEMENTS_MAX = 12

/** More than a node has connections for its seasons. */
const REPEATS = 40

const spans: Array<Tracer.Span> = []
const keeping = Tracer.make({ span: (options) => spans[spans.push(new Tracer.NativeSpan(options)) - 1]! })
const traced = Service.layer().pipe(Layer.provide(Layer.succeed(Tracer.Tracer, keeping)))

const looks = () => spans.filter(({ attributes }) => String(attributes.get("db.query.text")).includes("match_audit")).length

/** The most spans of this name that were open at the same time. */
const atOnce = (name: string) => {
  const all = spans.flatMap(({ name: other, status }) => (other === name && status._tag === "Ended" ? [status] : []))
  return Math.max(0, ...all.map(({ startTime }) => all.filter((one) => one.startTime <= startTime && startTime < one.endTime).length))
}

layer(traced, { excludeTestServices: true, timeout: "60 seconds" })("leases that nobody knows", (it) => {
  it.effect("are looked up together, in a lease request and in a heartbeat", () =>
    Effect.gen(function* () {
      const { client, open } = yield* keyed("statements")
      const runner = yield* open(["match"])
      const leases = Array.from({ length: SLOTS_MAX }, () => `${randomUUID()}.1`)
      const results = leases.map((lease) => ({ lease, kind: "audit", state_sha256: "0".repeat(64) }) as const)
      const before = looks()
      const told = yield* client.runner.lease({ payload: { runner, max: 0, wait_s: 0, results } })
      assert.deepStrictEqual(
        told.results,
        leases.map((lease) => ({ lease, accepted: false, reason: "unknown" }))
      )
      const reported = looks()
      assert.isAbove(reported, before, "statements are seen")
      assert.isAtMost(reported - before, STATEMENTS_MAX)
      const beat = yield* client.runner.heartbeat({ payload: { runner, leases } })
      assert.deepStrictEqual(
        beat.leases,
        leases.map((lease) => ({ lease, lost: true }))
      )
      assert.isAtMost(looks() - reported, STATEMENTS_MAX)
    })
  )

  it.effect("leave connections to the seasons where a runner repeats its results on many of its own, and share their statements", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("repeats")
      yield* seasonOf("repeated", fleet)
      const [work] = yield* playMatches(fleet.client, yield* fleet.open(["match"]), 1)
      const payload = { kind: "match", fault_reason: "engine_fault", detail: "again" } as const
      const again = fleet.client.runner.result({ params: { lease: work!.lease }, payload })
      const answers = yield* Effect.all(
        Array.from({ length: REPEATS }, () => again),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ accepted }) => accepted)), new Set([true]))
      const statements = spans.filter(({ name }) => name === "SeasonStore.answerOf").length
      assert.isAtLeast(statements, 1, "they are seen")
      assert.isBelow(statements, REPEATS)
      assert.strictEqual(atOnce("SeasonStore.answerOf"), 1)
    })
  )
})
