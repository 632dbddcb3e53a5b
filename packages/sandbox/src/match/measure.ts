/**
 * Measures what a match costs beside inference: `node packages/sandbox/src/match/measure.ts`.
 * Prints one line a model: turns, time in models, share outside them, from an idle process to the first choice.
 */
import { boardsOf } from "@agon/engine/boards/demoBoards.ts"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { Console, Effect } from "effect"
import { Arena } from "../Arena.ts"
import { convolving, linear, manifest } from "../admission/testModels.ts"

const board = { ...boardsOf("snakes").find(({ players }) => players === 2)!, min_food: 20 }
const models = { nano: linear(), "6 convolutions": convolving(6), "12 convolutions": convolving(12), "40 convolutions": convolving(40) }
const REPEATS = 5

const main = Effect.gen(function* () {
  const arena = yield* Arena
  yield* Console.log(`isolation ${arena.isolation}`)
  for (const [name, weights] of Object.entries(models)) {
    const seat = { weights, manifest: manifest(), memory_cap_bytes: memoryCapOf(weights.length) }
    const request = { game: "snakes", board, seed: 3, rules: { max_turns: 300, strike_limit: 3 }, seats: [seat, seat] }
    const runs: Array<{ readonly share: number; readonly line: string }> = []
    for (let i = 0; i < REPEATS; i++) {
      const start_ms = performance.now()
      const { turns, played_ms, inferring_ms } = yield* arena.play(request)
      const rest_ms = performance.now() - start_ms - played_ms
      const share = 1 - inferring_ms / played_ms
      runs.push({
        share,
        line: `${turns} turns in ${played_ms} ms, ${inferring_ms} ms of it in models; start and end ${Math.round(rest_ms)} ms`
      })
    }
    runs.sort((a, b) => a.share - b.share)
    const middle = runs[Math.floor(REPEATS / 2)]!
    yield* Console.log(`${name}: ${(100 * middle.share).toFixed(1)} % outside inference (median of ${REPEATS}); ${middle.line}`)
  }
})

await Effect.runPromise(Effect.scoped(main.pipe(Effect.provide(Arena.layer({ slots: 1 })))))
