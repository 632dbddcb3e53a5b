/**
 * The answers to what a version waits for and when it plays next, as its owner reads them
 * (docs/contract.md#what-a-version-waits-for).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, options, patch, post, read, rows, urlOf } from "../support/Administration.ts"
import { resultOf, runnerOf } from "../support/Fleet.ts"
import { type World, world } from "../support/SmallWorld.ts"
import { bodyOf, modelOf, submit } from "../support/Submitting.ts"

type Runner = Effect.Success<ReturnType<typeof runnerOf>>

const PATIENCE_MS = 120_000

const own = (version: string, as = "ada") =>
  Effect.map(read(`/v1/me/versions/${version}`, as), ({ json }) => ({ waiting: json.waiting, next_match_eta_s: json.next_match_eta_s }))
const because = (reason: string) => ({ waiting: { reason, ahead: 0, eta_s: null }, next_match_eta_s: null })

/** Plays until the owner is told when the next match is; a season is seen at work for a few seconds first. */
const untilForetold = Effect.fnUntraced(function* ({ lease, say }: Runner, { adder }: World) {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
    const told = yield* own(adder.version)
    if (told.next_match_eta_s !== null) return told
    for (const work of yield* lease()) yield* say(`/leases/${work.lease}/result`, { ...resultOf(work), lease: undefined })
  }
  return assert.fail("no figure was told")
})

layer(administration, options)("what a version waits for", (it) => {
  it.effect("is told to its owner alone: a runner, a board, or its turn and about when that comes", () =>
    Effect.gen(function* () {
      const all = yield* world
      const { adder, one } = all
      assert.deepStrictEqual(yield* own(adder.version), because("no_runner"))
      const elsewhere = yield* runnerOf(urlOf("two", "/runner-keys"))
      assert.deepStrictEqual(yield* own(adder.version), because("no_runner"), "another season's runner does not play here")

      const runner = yield* runnerOf(urlOf("one", "/runner-keys"))
      const { next_match_eta_s, waiting } = yield* untilForetold(runner, all)
      assert.isNull(waiting)
      const [low, high] = next_match_eta_s
      assert.isTrue(Number.isInteger(low) && Number.isInteger(high) && low >= 0 && low < high, `${low} to ${high}`)

      const shown = (yield* read(`/v1/versions/${adder.version}`)).json
      for (const field of ["waiting", "next_match_eta_s", "reject_detail"]) assert.notProperty(shown, field)
      assert.strictEqual((yield* read(`/v1/me/versions/${adder.version}`, "bob")).status, 404)

      for (const { board_id } of yield* rows<{ board_id: string }>`SELECT map_id AS board_id FROM board WHERE season_id = ${one.id}`)
        yield* patch(urlOf("one", `/maps/${board_id}`), { enabled: false })
      assert.deepStrictEqual(yield* own(adder.version), because("no_board"))
      yield* post(urlOf("one", "/close"))
      assert.deepStrictEqual((yield* own(adder.version)).next_match_eta_s, null)
      assert.isString(elsewhere.runner)
    })
  )

  it.effect("of a candidate is in the list as on its own page, and is its files first", () =>
    Effect.gen(function* () {
      const made = yield* submit(bodyOf("two", yield* modelOf("bob")), "bob")
      assert.strictEqual(made.status, 201, made.text)
      assert.deepStrictEqual(yield* own(made.json.version_id, "bob"), because("upload"))
      const { candidates } = (yield* read("/v1/me/candidates", "bob")).json
      assert.deepStrictEqual(
        candidates.map(({ version_id, waiting }: any) => [version_id, waiting.reason]),
        [[made.json.version_id, "upload"]]
      )
    })
  )
})
