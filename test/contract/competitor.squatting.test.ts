/** Hashes of other people's weights, announced without the file: over HTTP on a real Postgres. */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"
import { bodyOf, fresh, modelOf, over, reenter, submit } from "../support/Submitting.ts"

const versionOf = (id: string) =>
  Effect.map(
    A.rows<{ readonly status: string; readonly reject_reason: string | null }>`SELECT status, reject_reason FROM version WHERE id = ${id}`,
    ([row]) => row!
  )

layer(A.layer, A.options)("an announcement of somebody's public weights", (it) => {
  it.effect("does not keep them from their owner, who sent them to an earlier season, and cannot be repeated", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      const { version } = yield* over("before", model)
      const { manifest_hash, weights_hash } = version
      const ways = {
        submitted: () => submit(bodyOf("submitted", model, { weights_hash, manifest_hash })),
        reentered: () => reenter({ game: "snakes", model, season: "reentered", from: "before" })
      }
      for (const [season, enter] of Object.entries(ways)) {
        const { id } = yield* A.season(season, { rules: { cooldown_s: 0 } })
        const squat = Effect.map(modelOf("bob"), (rival) => bodyOf(season, rival, { weights_hash }))
        const squatted = yield* submit(yield* squat, "bob")
        assert.strictEqual(squatted.status, 201, squatted.text)
        const entered = yield* enter()
        assert.strictEqual(entered.status, 201, entered.text)
        assert.deepStrictEqual(yield* versionOf(squatted.json.version_id), { status: "rejected", reject_reason: "upload_expired" })
        assert.strictEqual((yield* submit(yield* squat, "bob")).json.code, "weights_already_entered")
        const rows = yield* A.rows<{ readonly id: string }>`SELECT id FROM version WHERE season_id = ${id} AND status = 'testing'`
        assert.deepStrictEqual(rows, [{ id: entered.json.version_id }])
      }
    })
  )

  const lapses = {
    upload_expired: "The upload window ended before the service had received both files; submit again.",
    hash_mismatch: "The weights file is not the one whose hash was submitted.",
    too_large: "The weights file is larger than may be uploaded."
  } as const
  for (const [reject_reason, reject_detail] of Object.entries(lapses))
    it.effect(`keeps nobody from them for longer than one window, however many accounts announce them: ${reject_reason}`, () =>
      Effect.gen(function* () {
        const season = `lapsed-${reject_reason.replace("_", "-")}`
        const { id } = yield* A.season(season, { rules: { cooldown_s: 0 } })
        const weights_hash = fresh()
        const bodyFor = (as: string) => Effect.map(modelOf(as), (model) => bodyOf(season, model, { weights_hash }))
        const lapse = (version: string) => A.tell(id, { _tag: "RejectFiles", version, reject_reason, reject_detail } as never)
        const first = yield* submit(yield* bodyFor("bob"), "bob")
        const mine = yield* bodyFor("ada")
        assert.strictEqual((yield* submit(mine)).json.code, "weights_already_entered")
        yield* lapse(first.json.version_id)

        const squatted = [yield* submit(yield* bodyFor("bob"), "bob"), yield* submit(yield* bodyFor("root"), "root")]
        for (const { status, text } of squatted) assert.strictEqual(status, 201, text)
        const lapsed = yield* submit(mine)
        assert.strictEqual(lapsed.status, 201, lapsed.text)
        yield* lapse(lapsed.json.version_id)
        const again = yield* submit(mine)
        assert.strictEqual(again.status, 201, "who has let a window lapse is not kept out either")
        yield* A.tell(id, { _tag: "ReceiveFiles", version: again.json.version_id, weights_bytes: 2_000, manifest_bytes: 100 })
        for (const { json } of squatted)
          assert.deepStrictEqual(yield* versionOf(json.version_id), { status: "rejected", reject_reason: "upload_expired" })
        assert.deepStrictEqual(yield* versionOf(again.json.version_id), { status: "testing", reject_reason: null })
        assert.strictEqual((yield* submit(yield* bodyFor("bob"), "bob")).json.code, "weights_already_entered")
      })
    )

  it.effect("is taken first where neither has sent the file, and stays where both have", () =>
    Effect.gen(function* () {
      yield* A.season("neither")
      const weights_hash = fresh()
      const first = yield* submit(bodyOf("neither", yield* modelOf("bob"), { weights_hash }), "bob")
      const second = yield* submit(bodyOf("neither", yield* modelOf("ada"), { weights_hash }))
      assert.deepStrictEqual([first.status, second.json.code], [201, "weights_already_entered"])

      const model = yield* modelOf("ada")
      const { id, version } = yield* over("shared", model)
      const rival = yield* modelOf("bob")
      yield* A.rows`INSERT INTO version SELECT (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'ord', v.ord + 1000000,
        'model_id', ${rival}::uuid, 'owner_id', m.owner_id))).* FROM version v, model m WHERE v.id = ${version.id} AND m.id = ${rival}`
      yield* A.season("both")
      const theirs = yield* submit(bodyOf("both", rival, { weights_hash: version.weights_hash }), "bob")
      assert.strictEqual(theirs.status, 201, theirs.text)
      const mine = yield* submit(bodyOf("both", model, { weights_hash: version.weights_hash }))
      assert.strictEqual(mine.json.code, "weights_already_entered", `${id} ${mine.text}`)
    })
  )
})
