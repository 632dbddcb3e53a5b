/** A runner that says of a rival's candidate that it reached the strike limit in its trial (docs/contract.md#a-refusal-is-confirmed). */
import { retryRefused } from "@agon/api/retryRefused.ts"
import { Submitted } from "@agon/api/submission/api.ts"
import { sendFiles } from "@agon/api/submission/sendFiles.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { hashOf, isMatch, type Keyed, keyed, playMatches, report, seasonOf, snakesZoo } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

/** The next match that the runner is given of this candidate's trial; others are played truly. */
const trialOf = Effect.fnUntraced(function* ({ client }: Keyed, runner: string, candidate: string) {
  for (;;) {
    const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 20 } })
    const [work] = leases.filter(isMatch)
    const seat = work!.seats.findIndex(({ version_id }) => version_id === candidate)
    if (work!.is_trial && seat >= 0) return { work: work!, seat }
    yield* report(client, work!)
  }
})

layer(Service.layer({ replay_check: 0, audit: 0 }), { excludeTestServices: true })("a failed trial match", (it) => {
  it.effect("is played again by another key, counts for nothing where that one plays it well, and the log names the liar", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("honest")
      const here = yield* seasonOf("trials", fleet)
      const honest = yield* fleet.open(["match"])
      yield* playMatches(fleet.client, honest, 1)

      const { manifest, weights } = snakesZoo[3]!.build()
      const files = { manifest, weights }
      const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
      const { game } = here
      const model = yield* retryRefused(fleet.admin.model.createModel({ params: { game }, payload: { name: "slandered" } }))
      const payload = { game, season: here.slug, model: model.id, ...hashes }
      const submitted = yield* retryRefused(fleet.admin.submission.submit({ payload }))
      if (!(submitted instanceof Submitted)) return assert.fail("it is new")
      yield* Effect.provide(sendFiles(submitted.upload, files), NodeHttpClient.layerUndici)
      const examiner = yield* retryRefused(fleet.open(["admission"]))
      const { leases } = yield* fleet.client.runner.lease({ payload: { runner: examiner, max: 1, wait_s: 20 } })
      const measured = { verdict: "admitted", param_count: 1, infer_us: 10, memory: { flat: 0, cell: 0 } } as const
      const verdict = { kind: "admission", runtime_version: "test", ...measured } as const
      yield* fleet.client.runner.result({ params: { lease: leases[0]!.lease }, payload: verdict })

      const liar = yield* keyed("liar", fleet.admin)
      const runner = yield* retryRefused(liar.open(["match"]))
      const { seat, work } = yield* trialOf(liar, runner, submitted.version_id)
      const struck = (each: number) => ({ strikes: each === seat ? work.rules.strike_limit : 0, rank: each === seat ? 2 : 1 })
      yield* report(liar.client, work, { told: (told) => ({ ...told, seats: told.seats.map((one, i) => ({ ...one, ...struck(i) })) }) })
      const own = yield* fleet.admin.version.ownVersion({ params: { id: submitted.version_id } })
      assert.deepInclude(own, { status: "testing", phase: "trial" })
      assert.deepInclude(own.trial, { played: 0, failed: 0 })

      for (let n = 0; n < own.trial!.matches; n++) {
        const mine = yield* trialOf(fleet, honest, submitted.version_id)
        if (n === 0) assert.deepStrictEqual([mine.work.match_id, mine.work.seed], [work.match_id, work.seed])
        yield* report(fleet.client, mine.work)
      }
      assert.deepInclude(yield* fleet.admin.version.ownVersion({ params: { id: submitted.version_id } }), { status: "entered" })
      const { audit } = yield* retryRefused(fleet.admin.notice.seasonAudit({ params: here, query: { limit: 5 } as never }))
      const doubts = audit.filter(({ action }) => action === "runner.doubt")
      assert.deepStrictEqual(
        doubts.map(({ actor, subject }) => ({ actor, subject })),
        [{ actor: null, subject: runner }]
      )
      assert.deepInclude(doubts[0]!.detail as object, { key: liar.key, match: work.match_id })
    })
  )
})
