/** A refusal is confirmed by another key (docs/contract.md#a-refusal-is-confirmed), over HTTP with the season's own actor. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, ask, baseline, log, options, post, rows, season } from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"

const measured = {
  kind: "admission",
  runtime_version: "test",
  verdict: "admitted",
  param_count: 1,
  infer_us: 1,
  memory: { flat: 0, cell: 0 }
}
const refused = {
  kind: "admission",
  runtime_version: "test",
  verdict: "rejected",
  reject_reason: "too_slow",
  reject_detail: "It took 2 s."
}

/** A runner of a new key of the season that examines, one model at a time. */
const examiner = Effect.fnUntraced(function* (url: (path: string) => string, name: string) {
  const { id, key } = (yield* post(url("/runner-keys"), { name })).json
  const say = (path: string, json: unknown) =>
    ask(`/v1/runner${path}`, { method: "POST", json, headers: { authorization: `Bearer ${key}` } })
  const engines = [{ game: "snakes", engine_digest: Fixture.engineDigest }]
  const { runner } = (yield* say("/sessions", { name, runtime_version: "test", engines, accepts: ["admission"], slots: 1 })).json
  const lease = Effect.map(say("/leases", { runner, max: 1, wait_s: 0 }), ({ json }) => json.leases as ReadonlyArray<any>)
  const judge = Effect.fnUntraced(function* (result: object) {
    const [work] = yield* lease
    assert.isDefined(work, `${name} is given nothing`)
    assert.deepStrictEqual((yield* say(`/leases/${work.lease}/result`, result)).json, { accepted: true })
    return work.attempt as number
  })
  return { id, runner, lease, judge }
})

const phaseOf = Effect.fnUntraced(function* (season_id: string, ord: number) {
  const [row] = yield* rows<{ status: string; phase: string | null; reject_reason: string | null }>`
    SELECT status, phase, reject_reason FROM version WHERE season_id = ${season_id}::uuid AND ord = ${String(ord)}::int`
  return [row!.status, row!.phase, row!.reject_reason]
})

layer(administration, options)("a refusal, where two keys have judged models", (it) => {
  it.effect("is confirmed by the other key, or overruled and named in the log", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("confirmed")
      const [one, other] = [yield* examiner(url, "one"), yield* examiner(url, "other")]
      yield* baseline(id, 7, "first", false)
      yield* one.judge(measured)
      yield* baseline(id, 8, "second", false)
      yield* other.judge(measured)

      yield* baseline(id, 9, "sound", false)
      assert.strictEqual(yield* one.judge(refused), 1)
      assert.deepStrictEqual(yield* phaseOf(id, 3), ["testing", "review", null])
      assert.deepStrictEqual(yield* one.lease, [])
      assert.strictEqual(yield* other.judge(measured), 2)
      assert.deepStrictEqual(yield* phaseOf(id, 3), ["disabled", null, null])
      const [doubt] = (yield* log(id)).filter(([, action]) => action === "runner.doubt")
      assert.deepStrictEqual(doubt!.slice(0, 3), [null, "runner.doubt", one.runner])
      assert.deepInclude(doubt![3], { key: one.id, said: "too_slow: It took 2 s." })

      yield* baseline(id, 10, "slow", false)
      yield* other.judge(refused)
      assert.deepStrictEqual(yield* phaseOf(id, 4), ["testing", "review", null])
      yield* one.judge({ ...refused, reject_reason: "not_deterministic" })
      assert.deepStrictEqual(yield* phaseOf(id, 4), ["rejected", null, "too_slow"])
    })
  )
})
