import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { seldom, seldomSaid } from "./seldom.ts"

/** The lines that are logged meanwhile: message and fields. */
const logged = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    yield* Effect.provide(effect, Logger.layer([Logger.make(({ message }) => void lines.push(message))]))
    return lines
  })

describe("lines that would repeat themselves", () => {
  it.effect("are logged once a minute for each reason, and say how many were left out", () =>
    Effect.gen(function* () {
      const tell = seldom("a mail was not sent")
      const unsent = (outcome: string) => tell({ reason: outcome, fields: { outcome } })
      const lines = yield* logged(
        Effect.gen(function* () {
          for (let i = 0; i < 500; i++) yield* unsent("unreachable")
          yield* unsent("timeout")
          yield* TestClock.adjust("59 seconds")
          yield* unsent("unreachable")
          yield* TestClock.adjust("1 second")
          yield* unsent("unreachable")
          yield* TestClock.adjust("1 minute")
          yield* unsent("unreachable")
        })
      )
      assert.deepStrictEqual(lines, [
        ["a mail was not sent", { outcome: "unreachable" }],
        ["a mail was not sent", { outcome: "timeout" }],
        ["a mail was not sent", { outcome: "unreachable", left_out: 500 }],
        ["a mail was not sent", { outcome: "unreachable" }]
      ])
    })
  )
  it.effect("are logged though the clock was set back since", () =>
    Effect.gen(function* () {
      const tell = seldom("the disk is full")({ reason: "disk", fields: {} })
      yield* TestClock.setTime(86_400_000)
      yield* tell
      yield* TestClock.setTime(0)
      assert.lengthOf(yield* logged(tell), 1)
    })
  )
  it.effect("of more reasons than are remembered are logged again", () =>
    Effect.gen(function* () {
      const tell = seldom("a file was not received")
      const lines = yield* logged(Effect.forEach([...Array(65).keys(), 0], (n) => tell({ reason: `${n}`, fields: {} })))
      assert.strictEqual(lines.length, 66)
    })
  )
})

it.effect(
  "lines of others, in fibers that a layer has forked, are logged once a minute too, and none of their other lines is left out",
  () =>
    Effect.gen(function* () {
      const repeating = Layer.effectDiscard(
        Effect.gen(function* () {
          yield* Effect.logWarning("still away", { n: 1 }).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
          yield* Effect.logInfo("starting").pipe(Effect.repeat(Schedule.spaced("30 seconds")), Effect.forkScoped)
        })
      )
      const others: Array<unknown> = []
      const second = Logger.layer([Logger.make(({ message }) => void others.push(message))], { mergeWithExisting: true })
      const lines = yield* logged(
        Effect.andThen(Layer.build(repeating.pipe(Layer.provide(seldomSaid(["still away"])))), TestClock.adjust("2 minutes")).pipe(
          Effect.scoped,
          Effect.provide(second)
        )
      )
      assert.deepStrictEqual(
        lines.filter((line) => JSON.stringify(line) !== '["starting"]'),
        [
          ["still away", { n: 1 }],
          ["still away", { n: 1 }, { left_out: 59 }],
          ["still away", { n: 1 }, { left_out: 59 }]
        ]
      )
      assert.lengthOf(lines, 3 + 5)
      assert.deepStrictEqual(others, lines)
    })
)
