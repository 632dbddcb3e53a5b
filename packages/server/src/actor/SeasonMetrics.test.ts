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

const SEASON = id("season", 1)

const started = Effect.gen(function* () {
  yield* TestClock.setTime(10_000_000)
  const memory: MemoryStore.Memory = new Map()
  MemoryStore.createSeason(memory, SEASON, settings())
  const mailbox = yield* Mailbox.make(SEASON)
  yield* SeasonActor.supervised(mailbox).pipe(
    Effect.provide([MemoryStore.layer(memory), SeasonEvents.layerSilent, Logger.layer([])]),
    Effect.forkScoped
  )
  yield* TestClock.adjust(0)
  return mailbox
})

const told = (figure: string) => Effect.map(PrometheusMetrics.format(), (text) => valueOf(text, `agon_season_${figure}`))

describe("the gauges of a season", () => {
  it.effect("tell the age of a candidate and of a lease at the scrape, whether or not anything happens in the season", () =>
    Effect.gen(function* () {
      const mailbox = yield* started
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
})
