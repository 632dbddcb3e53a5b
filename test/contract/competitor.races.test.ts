/**
 * Submissions that race each other and what is done to their season and model meanwhile,
 * over HTTP on a real Postgres.
 */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"
import { untilSuccess } from "../support/eventually.ts"
import { bodyOf, foresee, fresh, modelOf, submit } from "../support/Submitting.ts"
import type { Answered } from "../support/Web.ts"

const together = { concurrency: "unbounded" } as const
const said = (answers: ReadonlyArray<Answered>) => answers.map(({ json, status }) => `${status} ${json.code ?? ""}`.trim()).sort()
const versionsOf = (season_id: string) =>
  A.rows<{ readonly status: string; readonly reject_reason: string | null; readonly created_at: Date }>`
    SELECT status, reject_reason, created_at FROM version WHERE season_id = ${season_id} ORDER BY ord`
const ROUNDS = 6

layer(A.layer, A.options)("of submissions at once", (it) => {
  it.effect("for the last model that a competitor may have in a season exactly one wins, and for the last version of a model", () =>
    Effect.gen(function* () {
      const rules = { max_models_per_owner: 1, max_versions_per_model: 1, cooldown_s: 0 }
      for (let round = 0; round < ROUNDS; round++) {
        const models = yield* A.season(`models${round}`, { rules })
        const bodies = yield* Effect.forEach(Array.from({ length: 5 }), () =>
          Effect.map(modelOf("ada"), (model) => bodyOf(`models${round}`, model))
        )
        const forModels = yield* Effect.forEach(bodies, (body) => submit(body), together)
        assert.deepStrictEqual(said(forModels), ["201", ...Array(4).fill("409 model_cap_reached")])
        assert.lengthOf(yield* versionsOf(models.id), 1)

        const versions = yield* A.season(`versions${round}`, { rules })
        const model = yield* modelOf("ada")
        const others = Array.from({ length: 5 }, () => bodyOf(`versions${round}`, model))
        const forVersions = yield* Effect.forEach(others, (body) => submit(body), together)
        assert.deepStrictEqual(said(forVersions), ["201", ...Array(4).fill("409 version_cap_reached")])
        assert.lengthOf(yield* versionsOf(versions.id), 1)
      }
    })
  )

  it.effect("and the season's close, each is taken and rejected with it, or refused in the words of the preflight", () =>
    Effect.gen(function* () {
      const models = yield* Effect.forEach(["ada", "bob"], (as) => Effect.map(modelOf(as), (model) => ({ as, model })))
      const outcomes = new Set<string>()
      for (let round = 0; round < ROUNDS; round++) {
        const { id, url } = yield* A.season(`closed${round}`)
        // In the first round long after them, in the last long before, and in between at once.
        const close = Effect.delay(A.post(url("/close")), round === 0 ? "300 millis" : `${round} millis`)
        const posts = models.map(({ as, model }) =>
          Effect.delay(submit(bodyOf(`closed${round}`, model), as), round === ROUNDS - 1 ? "300 millis" : "0 millis")
        )
        const [closed, ...answers] = yield* Effect.all([close, ...posts], together)
        assert.strictEqual(closed.status, 200, closed.text)
        const { refusals } = (yield* foresee(`closed${round}`, models[0]!.model)).json
        for (const { json, status } of answers) {
          outcomes.add(`${status}`)
          if (status !== 201) assert.deepStrictEqual({ code: json.code, detail: json.detail }, refusals[0])
        }
        yield* over(id)
        const taken = answers.filter(({ status }) => status === 201)
        const rows = yield* versionsOf(id)
        assert.deepStrictEqual(
          rows.map(({ reject_reason, status }) => [status, reject_reason]),
          taken.map(() => ["rejected", "season_closed"])
        )
        const record = (yield* A.read("/v1/games/snakes/seasons")).json.find(({ slug }: any) => slug === `closed${round}`)
        assert.deepStrictEqual([record.state, record.in_flight_versions, record.entered_versions], ["closed", 0, taken.length])
      }
      assert.deepStrictEqual([...outcomes].sort(), ["201", "409"], "both came about")
    })
  )

  it.effect("and the end of its window, none is taken that the season took too late", () =>
    Effect.gen(function* () {
      const ends = Date.now() + 1_500
      const { id } = yield* A.season("ending", { submissions_close_at: new Date(ends).toISOString(), rules: { cooldown_s: 0 } })
      const answers: Array<Answered> = []
      // One after another by two competitors, each with a version that the season rejects at once,
      // so that the next may follow.
      const posting = (as: string) =>
        Effect.gen(function* () {
          const model = yield* modelOf(as)
          while (Date.now() < ends + 200) {
            const answer = yield* submit(bodyOf("ending", model), as)
            answers.push(answer)
            if (answer.status !== 201) continue
            const fault = { reject_reason: "hash_mismatch", reject_detail: "x" } as const
            yield* A.tell(id, { _tag: "RejectFiles", version: answer.json.version_id, ...fault })
          }
        })
      yield* Effect.all([posting("ada"), posting("bob")], together)
      assert.sameMembers([...new Set(said(answers))], ["201", "409 season_closed"])
      const rows = yield* versionsOf(id)
      assert.lengthOf(rows, answers.filter(({ status }) => status === 201).length)
      for (const { created_at } of rows) assert.isBelow(created_at.getTime(), ends)
    })
  )

  it.effect("and its model's retirement, it is taken or refused, and nothing is taken afterwards", () =>
    Effect.gen(function* () {
      const { id } = yield* A.season("retired", { rules: { cooldown_s: 0, max_models_per_owner: 100 } })
      let taken = 0
      for (let round = 0; round < ROUNDS; round++) {
        const model = yield* modelOf("ada")
        const retire = A.patch(`/v1/models/${model}`, { retired: true }, "ada")
        const [, answer] = yield* Effect.all([retire, submit(bodyOf("retired", model))], together)
        assert.include(["201", "409 model_retired"], said([answer])[0])
        assert.deepStrictEqual(said([yield* submit(bodyOf("retired", model))]), ["409 model_retired"])
        if (answer.status !== 201) continue
        taken++
        yield* A.tell(id, { _tag: "RejectFiles", version: answer.json.version_id, reject_reason: "hash_mismatch", reject_detail: "x" })
      }
      assert.lengthOf(yield* versionsOf(id), taken)
    })
  )

  it.effect("of the same files by many, in one season exactly one is taken, whoever else sends them", () =>
    Effect.gen(function* () {
      for (let round = 0; round < ROUNDS; round++) {
        const { id } = yield* A.season(`same${round}`, { rules: { cooldown_s: 0 } })
        const weights_hash = fresh()
        const senders = yield* Effect.forEach(["ada", "bob", "root", "ada", "bob", "root"], (as) =>
          Effect.map(modelOf(as), (model) => ({ as, body: bodyOf(`same${round}`, model, { weights_hash }) }))
        )
        const answers = yield* Effect.forEach(senders, ({ as, body }) => submit(body, as), together)
        const [won, ...lost] = said(answers)
        assert.strictEqual(won, "201")
        for (const one of lost) assert.include(["409 weights_already_entered", "409 candidate_in_flight", "409 cooldown"], one)
        assert.lengthOf(yield* versionsOf(id), 1)
      }
    })
  )
})

layer(A.layer, A.options)("of models at once", (it) => {
  it.effect("made under one name, or renamed to it, exactly one has it", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 4; round++) {
        const name = `Name ${round}`
        const makers = Array.from({ length: 4 }, () => A.post("/v1/games/othello/models", { name }, "ada"))
        const made = yield* Effect.all(makers, together)
        assert.deepStrictEqual(said(made), ["201", ...Array(3).fill("409 model_name_taken")])
        const models = [yield* modelOf("bob"), yield* modelOf("bob")]
        const renamed = yield* Effect.forEach(models, (model) => A.patch(`/v1/models/${model}`, { name }, "bob"), together)
        assert.deepStrictEqual(said(renamed), ["200", "409 model_name_taken"])
      }
    })
  )
})

const over = (season_id: string) =>
  A.rows<{ readonly closed: boolean }>`SELECT closed_at IS NOT NULL AS closed FROM season WHERE id = ${season_id}`.pipe(
    Effect.filterOrFail(([row]) => row!.closed),
    untilSuccess
  )
