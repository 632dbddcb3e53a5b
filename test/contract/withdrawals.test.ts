/**
 * Matches whose board, versions or round change before their end: one that is queued is withdrawn and says
 * why, one that is being played is finished, and counts unless its round was reset meanwhile
 * (docs/contract.md#states-of-a-match).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, options, patch, post, read, refusal, rows, startRound, tell, urlOf } from "../support/Administration.ts"
import { playing, resultOf, runnerOf, type Work } from "../support/Fleet.ts"

const ADMITTED = { verdict: "admitted", param_count: 1, infer_us: 1, memory: { flat: 0, cell: 0 } }

const unplayable = { kind: "match", fault_reason: "engine_fault", detail: "no memory" }

type Runner = Effect.Success<ReturnType<typeof runnerOf>>

/** The next version of ada's model, submitted, reviewed, tried and entered by this runner. */
const enters = Effect.fnUntraced(function* (season_id: string, slug: string, model: string, digit: string, { lease, say }: Runner) {
  const hashes = { weights_hash: `sha256:${digit.repeat(64)}`, manifest_hash: `sha256:${"a".repeat(64)}` }
  const submitted = yield* post("/v1/submissions", { game: "snakes", season: slug, model, ...hashes }, "ada")
  assert.strictEqual(submitted.status, 201, submitted.text)
  const version = submitted.json.version_id as string
  yield* tell(season_id, { _tag: "ReceiveFiles", version, weights_bytes: 1_000, manifest_bytes: 100 })
  const status = Effect.map(read(`/v1/me/versions/${version}`, "ada"), ({ json }) => json.status)
  while ((yield* status) === "testing") {
    for (const work of yield* lease()) {
      const result = work.kind === "match" ? resultOf(work) : { kind: "admission", runtime_version: "test", ...ADMITTED }
      assert.deepStrictEqual(yield* say(`/leases/${work.lease}/result`, { ...result, lease: undefined }), { accepted: true })
    }
  }
  assert.strictEqual(yield* status, "entered")
  return version
})

/** Ada against a baseline: one match that is being played, one that is queued. */
const contest = Effect.fnUntraced(function* (slug: string) {
  const { id, url } = yield* playing(slug, { rules: { trial: { matches: 1 }, cooldown_s: 0 } })
  yield* patch(url("/baselines/two"), { enabled: false })
  const [{ model }] = (yield* rows<any>`INSERT INTO model (id, game, owner_id, name, created_at)
    SELECT gen_random_uuid(), 'snakes', id, ${slug}, now() FROM account WHERE username = 'ada' RETURNING id AS model`) as [any]
  const runner = yield* runnerOf(url("/runner-keys"))
  yield* enters(id, slug, model, "e", runner)
  const [played, queued] = yield* runner.lease({ max: 2 })
  yield* runner.release(queued!)
  const enterNext = enters(id, slug, model, "f", runner)
  return { id, url, model, runner, played: played!, queued: queued!, enterNext }
})
type Contest = Effect.Success<ReturnType<typeof contest>>

const causes: ReadonlyArray<{
  readonly reason: string
  readonly what: string
  readonly ends: string
  readonly happens: (contest: Contest) => Effect.Effect<unknown, unknown, any>
}> = [
  { reason: "superseded", what: "a newer version enters", ends: "rated", happens: ({ enterNext }) => enterNext },
  {
    reason: "baseline_disabled",
    what: "a baseline is switched off",
    ends: "rated",
    happens: ({ url }) => patch(url("/baselines/one"), { enabled: false })
  },
  {
    reason: "board_disabled",
    what: "its board is switched off",
    ends: "rated",
    happens: ({ url }) => patch(url("/maps/plain"), { enabled: false })
  },
  { reason: "season_closed", what: "the season closes", ends: "rated", happens: ({ url }) => post(url("/close")) },
  {
    reason: "round_reset",
    what: "a round starts",
    ends: "finished",
    happens: ({ id }) => startRound(id, 3)
  }
]

layer(administration, options)("a match", (it) => {
  for (const { ends, happens, reason, what } of causes) {
    it.effect(`that is queued when ${what} is withdrawn as ${reason}; one that is being played is ${ends}`, () =>
      Effect.gen(function* () {
        const slug = reason.replace("_", "-")
        const here = yield* contest(slug)
        yield* happens(here) as Effect.Effect<unknown>
        const seen = (match: string) => Effect.map(read(`/v1/me/matches/${match}`, "ada"), ({ json }) => json)
        const successor = reason === "superseded" ? 2 : null
        assert.deepInclude(yield* seen(here.queued.match_id), { status: "cancelled", withdrawn_reason: reason, successor })
        assert.deepInclude(yield* seen(here.played.match_id), { status: "queued", withdrawn_reason: null })
        const reported = (work: Work) => here.runner.say(`/leases/${work.lease}/result`, { ...resultOf(work), lease: undefined })
        assert.deepStrictEqual(yield* reported(here.played), { accepted: true })
        assert.deepInclude(yield* seen(here.played.match_id), { status: ends, withdrawn_reason: null, successor: null })
        const [record] = (yield* read("/v1/games/snakes/seasons")).json.filter((one: any) => one.slug === slug)
        assert.strictEqual(record.matches_played, ends === "rated" ? 1 : 0)
        assert.deepStrictEqual(yield* reported(here.queued), { accepted: false, reason: "released" })
      })
    )
  }

  it.effect("that a runner could not play and that is then withdrawn has no fault: it did not fail", () =>
    Effect.gen(function* () {
      const { played, runner, url } = yield* contest("unplayed")
      const another = yield* runnerOf(url("/runner-keys"))
      const [theirs] = yield* another.lease()
      yield* another.say(`/leases/${theirs!.lease}/result`, { ...resultOf(theirs!), lease: undefined })
      const reported = runner.say(`/leases/${played.lease}/result`, unplayable)
      assert.deepStrictEqual(yield* reported, { accepted: true })
      yield* patch(url("/maps/plain"), { enabled: false })
      const withdrawn = { status: "cancelled", withdrawn_reason: "board_disabled", fault_reason: null }
      assert.deepInclude((yield* read(`/v1/me/matches/${played.match_id}`, "ada")).json, withdrawn)
      assert.deepStrictEqual(yield* reported, { accepted: true })
    })
  )

  it.effect("that a runner could not play fails at once where no other key plays, and says why", () =>
    Effect.gen(function* () {
      const { played, runner } = yield* contest("alone")
      for (const detail of ["no memory", "the repeat"])
        assert.deepStrictEqual(yield* runner.say(`/leases/${played.lease}/result`, { ...unplayable, detail }), { accepted: true })
      const failed = { status: "failed", fault_reason: "engine_fault", withdrawn_reason: null }
      assert.deepInclude((yield* read(`/v1/me/matches/${played.match_id}`, "ada")).json, failed)
    })
  )

  it.effect("of a retired model is made and played as before, though the model takes no submissions any more", () =>
    Effect.gen(function* () {
      const { model, runner } = yield* contest("retired")
      yield* patch(`/v1/models/${model}`, { retired: true }, "ada")
      const hashes = { weights_hash: `sha256:${"7".repeat(64)}`, manifest_hash: `sha256:${"7".repeat(64)}` }
      const refused = yield* post("/v1/submissions", { game: "snakes", season: "retired", model, ...hashes }, "ada")
      assert.deepStrictEqual(refusal(refused), [409, "model_retired"])
      const [again] = yield* runner.lease()
      const { seats } = (yield* read(`/v1/me/matches/${again!.match_id}`, "ada")).json
      assert.isTrue(seats.some((seat: any) => seat.model === "retired" && seat.mine))
      const [{ n }] = (yield* rows<any>`SELECT count(*)::int AS n FROM rating r JOIN season s ON s.id = r.season_id
        WHERE s.slug = 'retired' AND r.active`) as [any]
      assert.strictEqual(n, 4) // two entries on two ladders
      assert.strictEqual((yield* read(urlOf("retired", "/playing"))).json.playing, 2)
    })
  )
})
