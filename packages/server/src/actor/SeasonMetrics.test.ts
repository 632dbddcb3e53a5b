import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../../../test/support/MemoryStore.ts"
import { id, lease, settings, submit } from "../../../../test/support/SeasonScript.ts"
import { valueOf } from "../../../../test/support/scrape.ts"
import * as Mailbox from "./Mailbox.ts"
import * as SeasonActor from "./SeasonActor.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import * as SeasonMetrics from "./SeasonMetrics.ts"
import { SeasonStore, StoreFailed } from "./SeasonStore.ts"

const SEASON = id("season", 1)

const started = Effect.fnUntraced(function* (wrap: (store: SeasonStore["Service"]) => SeasonStore["Service"] = (store) => store) {
  yield* TestClock.setTime(10_000_000)
  const memory: MemoryStore.Memory = new Map()
  MemoryStore.createSeason(memory, SEASON, settings())
  const store = wrap(yield* SeasonStore.pipe(Effect.provide(MemoryStore.layer(memory))))
  const mailbox = yield* Mailbox.make(SEASON)
  yield* SeasonMetrics.stayOf(mailbox)
  yield* SeasonActor.supervised(mailbox).pipe(
    Effect.provideService(SeasonStore, store),
    Effect.provide([SeasonEvents.layerSilent, Logger.layer([])]),
    Effect.forkScoped
  )
  yield* TestClock.adjust(0)
  return mailbox
})

const told = (figure: string) => Effect.map(PrometheusMetrics.format(), (text) => valueOf(text, `agon_season_${figure}`))

describe("the gauges of a season", () => {
  it.effect("tell the age of a candidate and of a lease at the scrape, whether or not anything happens in the season", () =>
    Effect.gen(function* () {
      const mailbox = yield* started()
      assert.deepStrictEqual([yield* told("review_oldest_seconds"), yield* told("lease_oldest_seconds")], [0, 0])
      yield* Mailbox.ask(mailbox, submit(1))
      yield* TestClock.adjust("40 minutes") // no runner asks
      assert.deepStrictEqual([yield* told("review_oldest_seconds"), yield* told("lease_oldest_seconds")], [2_400, 0])
      const [work] = yield* Mailbox.ask(mailbox, lease())
      for (let n = 0; n < 6; n++) {
        yield* TestClock.adjust("20 seconds")
        yield* Mailbox.ask(mailbox, { _tag: "Heartbeat", key: id("key", 1), leases: [work!.lease] })
      }
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([yield* told("review_oldest_seconds"), yield* told("lease_oldest_seconds")], [0, 125])
    })
  )

  it.effect("tell a season that cannot be claimed from one that is played, and from one that is closed", () =>
    Effect.gen(function* () {
      let refuses = true
      const mailbox = yield* started((store) => ({
        ...store,
        claim: (season) => (refuses ? Effect.fail(new StoreFailed({ season, cause: "no" })) : store.claim(season))
      }))
      const shown = Effect.all([told("here"), told("starting"), told("mailbox")])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* shown, [1, 1, undefined])
      refuses = false
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* shown, [1, 0, 0])
      yield* Mailbox.ask(mailbox, { _tag: "CloseSeason" })
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* shown, [1, 0, undefined])
    })
  )
})
