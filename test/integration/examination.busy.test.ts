/** Admission on a machine that does much else: good models are admitted, and measured as on a quiet one. */
import { spawn } from "node:child_process"
import { boardsOf } from "@agon/engine/registry.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { demoWeightClasses, zoo } from "@agon/zoo/zoo.ts"
import { assert, layer, vi } from "@effect/vitest"
import { Effect } from "effect"
import { leftOut } from "../support/slow.ts"

// Bounded by events: every model has its verdict. Beside the loops each takes some seconds.
vi.setConfig({ testTimeout: 900_000 })

const LOOPS = 8
/** A loop ends by itself, should nobody stop it. */
const LOOP = "const end = performance.now() + 600_000; while (performance.now() < end);"
/**
 * Beside the loops caches and threads of the processor are shared, which costs every instruction; a clock
 * would be off by the number of loops and more.
 */
const FACTOR_MAX = 4
/** Times under it are those of a run's frame more than of the model. */
const FRAME_US = 150

const besideLoops = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => Array.from({ length: LOOPS }, () => spawn(process.execPath, ["--eval", LOOP], { stdio: "ignore" }))),
    () => use,
    (loops) => Effect.sync(() => loops.forEach((loop) => loop.kill("SIGKILL")))
  )

const models = zoo.slice(0, 10)
const examineAll = Effect.gen(function* () {
  const arena = yield* Arena
  return yield* Effect.forEach(models, ({ build, game, name }) => {
    const { manifest, weights } = build()
    const request = { game, weights, manifest, weight_classes: demoWeightClasses, boards: boardsOf(game).slice(0, 2) }
    return Effect.map(arena.examine(request), (verdict) => ({ name, verdict }))
  })
})

const missing = leftOut("eight busy loops disturb what runs beside them for half a minute")

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("beside eight busy loops", (it) => {
  it.effect.skipIf(missing !== undefined)("ten of the zoo's models are admitted, ten of ten, with the times of a quiet machine", () =>
    Effect.gen(function* () {
      const quiet = yield* examineAll
      const busy = yield* besideLoops(examineAll)
      const times = busy.map(({ name, verdict }, at) => {
        const before = quiet[at]!.verdict
        assert.strictEqual(verdict.verdict, "admitted", `${name}: ${JSON.stringify(verdict)}`)
        assert.strictEqual(before.verdict, "admitted", `${name}: ${JSON.stringify(before)}`)
        return verdict.verdict === "admitted" && before.verdict === "admitted" ? ([name, before.infer_us, verdict.infer_us] as const) : null
      })
      console.info(`quiet and busy: ${times.map((time) => time?.join(" ")).join(", ")} us`)
      for (const time of times) {
        const [name, before_us, busy_us] = time!
        assert.isBelow(busy_us, FACTOR_MAX * Math.max(FRAME_US, before_us), name)
      }
    })
  )
})
