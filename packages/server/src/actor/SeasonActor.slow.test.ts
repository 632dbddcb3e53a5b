/** A season on a database whose every statement takes two seconds. */

import type { Command } from "@agon/domain/season/Command.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../../../test/support/MemoryStore.ts"
import { board, id, lease, report, settings, submit } from "../../../../test/support/SeasonScript.ts"
import * as Mailbox from "./Mailbox.ts"
import * as SeasonActor from "./SeasonActor.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import { SeasonStore } from "./SeasonStore.ts"

const SEASON = id("season", 1)
const STATEMENT_MS = 2_000

/** The same store, each of whose functions takes as long as those of its statements that follow each other. */
const slowed = (store: SeasonStore["Service"], count: () => void): SeasonStore["Service"] => {
  const after = <Run extends (...of: Array<any>) => Effect.Effect<any, any>>(statements: number, run: Run): Run =>
    ((...of) => Effect.andThen(Effect.sleep(statements * STATEMENT_MS), run(...of))) as Run
  const { earlier, ended, left, page, place, rewrite } = store.log
  return {
    ...store,
    claim: (season) => Effect.andThen(Effect.sync(count), after(13, store.claim)(season)),
    commit: after(1, store.commit),
    removed: after(1, store.removed),
    written: after(1, store.written),
    log: {
      earlier: after(1, earlier),
      ended: after(2, ended),
      left: after(1, left),
      page: after(2, page),
      place: after(1, place),
      rewrite: after(1, rewrite)
    }
  }
}

it.effect("voids a match and rates the others without it, in one incarnation", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(2_000)
    const memory: MemoryStore.Memory = new Map()
    MemoryStore.createSeason(memory, SEASON, settings())
    const store = yield* SeasonStore.pipe(Effect.provide(MemoryStore.layer(memory)))
    const mailbox = yield* Mailbox.make(SEASON)
    let claims = 0
    yield* SeasonActor.supervised(mailbox).pipe(
      Effect.provideService(
        SeasonStore,
        slowed(store, () => claims++)
      ),
      Effect.provide(SeasonEvents.layerSilent),
      Effect.provide(Logger.layer([])),
      Effect.forkScoped
    )
    /** Waits for as long as it takes. */
    const within = <A, E>(asked: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(asked, { startImmediately: true })
        while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
        return yield* Fiber.join(fiber)
      })
    const ask = <C extends Command>(command: C) => within(Mailbox.ask(mailbox, command))
    yield* TestClock.adjust("26 seconds")
    yield* within(Mailbox.askAll(mailbox, [...board("plain"), submit(1), submit(2)]))
    const row = () => memory.get(SEASON)!
    const rated = () => [...row().ended.values()].filter(({ rated_n }) => rated_n !== null)
    while (rated().length < 4) for (const work of yield* ask(lease())) yield* ask(report(work))

    const audit = { id: id("audit", 1), actor: null, action: "match.void", subject: "a match", detail: null } as const
    yield* ask({ _tag: "VoidMatch", match: rated()[0]!.id, detail: "Its replay says otherwise.", found: null, audit })
    assert.strictEqual(row().voiding.size, 1)
    for (let n = 0; n < 120 && row().voiding.size > 0; n++) yield* TestClock.adjust("1 second")
    assert.strictEqual(row().voiding.size, 0)
    assert.strictEqual(claims, 1)
  })
)
