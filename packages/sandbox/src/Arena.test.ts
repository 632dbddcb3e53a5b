import { verify } from "@agon/engine/replay/verify.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Arena } from "./Arena.ts"
import type { MatchRequest } from "./match/Match.ts"
import { board, linear, manifest, weightClasses } from "./testing/models.ts"

const match = (weights: ReadonlyArray<Uint8Array>, over: Partial<MatchRequest> = {}): MatchRequest => ({
  game: "snakes",
  board,
  seed: 7,
  rules: { max_turns: 60, strike_limit: 3 },
  seats: weights.map((one) => ({ weights: one, manifest: manifest(), memory_cap_bytes: 64 * 1_048_576 })),
  ...over
})

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("Arena", (it) => {
  it.effect("admits a plain model and says what it is", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const verdict = yield* arena.examine({
        game: "snakes",
        weights: linear(),
        manifest: manifest(),
        weight_classes: weightClasses,
        boards: [board, { rows: 7, cols: 19, players: 4 }]
      })
      assert.deepInclude(verdict, { verdict: "admitted", param_count: 48, memory: { flat: 0, cell: 0 } })
    })
  )

  it.effect("plays a match whose replay verifies, and the same match to the same state", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const first = yield* arena.play(match([linear(1), linear(2)]))
      const again = yield* arena.play(match([linear(1), linear(2)]))
      const check = verify(JSON.parse(JSON.stringify(first.replay)))
      assert.isTrue(check.ok, JSON.stringify(check))
      assert.strictEqual(again.state_sha256, first.state_sha256)
      assert.deepStrictEqual(again.replay, first.replay)
    })
  )
})
