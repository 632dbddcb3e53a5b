import type { Command } from "@agon/domain/season/Command.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../../../test/support/MemoryStore.ts"
import { board, id, lease, report, settings, submit } from "../../../../test/support/SeasonScript.ts"
import * as Mailbox from "./Mailbox.ts"
import * as SeasonActor from "./SeasonActor.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import { SeasonStore } from "./SeasonStore.ts"

const SEASON = id("season", 1)

it.effect(
  "a void is taken out of the ratings of a season that rates more than the first try may leave, each time that the log is read",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(2_000)
      const memory: MemoryStore.Memory = new Map()
      MemoryStore.createSeason(memory, SEASON, settings())
      const store = yield* SeasonStore.pipe(Effect.provide(MemoryStore.layer(memory)))
      const mailbox = yield* Mailbox.make(SEASON)
      const ask = <C extends Command>(command: C) => Mailbox.ask(mailbox, command)
      const play = Effect.fnUntraced(function* (matches: number) {
        for (let n = 0; n < matches; )
          for (const work of yield* ask(lease())) yield* Effect.tap(ask(report(work)), () => Effect.sync(() => n++))
      })
      let tries = 0
      /** Between the end of the log as it was read and the try to install, a hundred and fifty more are rated. */
      const earlier: typeof store.log.earlier = (...of) =>
        Effect.andThen(
          Effect.suspend(() => (++tries > 20 ? Effect.never : Effect.orDie(play(150)))),
          store.log.earlier(...of)
        )
      yield* SeasonActor.supervised(mailbox).pipe(
        Effect.provideService(SeasonStore, { ...store, log: { ...store.log, earlier } }),
        Effect.provide(SeasonEvents.layerSilent),
        Effect.provide(Logger.layer([])),
        Effect.forkScoped
      )
      yield* TestClock.adjust(0)
      yield* Mailbox.askAll(mailbox, [...board("plain"), submit(1), submit(2)])
      yield* play(40)

      const row = () => memory.get(SEASON)!
      const [match] = [...row().ended.values()].filter(({ rated_n }) => rated_n !== null)
      yield* ask({ _tag: "VoidMatch", match: match!.id, detail: "Its replay says otherwise.", found: null })
      assert.strictEqual(row().voiding.size, 1)
      for (let n = 0; n < 600 && row().voiding.size > 0; n++) yield* TestClock.adjust("100 millis")
      assert.strictEqual(row().voiding.size, 0, "the ratings are those of the log without it")
    })
)
