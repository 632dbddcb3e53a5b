/**
 * Audits that wait for another key: the runners of this one, which ask for work all the time, do
 * not look for them each time.
 */
import { SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { untilSuccess } from "../support/eventually.ts"
import { isAudit, keyed, playMatches, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const REQUESTS = 30
/** The service looks at audits that often (ReplayAudits.ts). */
const LOOK_EVERY_MS = 2_000

const spans: Array<Tracer.Span> = []
const keeping = Tracer.make({ span: (options) => spans[spans.push(new Tracer.NativeSpan(options)) - 1]! })
const traced = Service.layer({ replay_check: 0, audit: 1 }).pipe(
  Layer.provide([Layer.succeed(Tracer.Tracer, keeping), Layer.succeed(SettledAfter, 0)])
)
const takes = () => spans.filter(({ attributes }) => String(attributes.get("db.query.text")).includes("SET state = 'leased'")).length

layer(traced, { excludeTestServices: true })("an audit that waits for another key", (it) => {
  it.effect("costs the requests of this one a statement for each look of the service, and is given to the other", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("waiting")
      yield* seasonOf("waiting", fleet)
      yield* playMatches(fleet.client, yield* fleet.open(["match"]), 1)
      const own = yield* fleet.open(["audit"])
      const none = fleet.client.runner.lease({ payload: { runner: own, max: 1, wait_s: 0 } })
      yield* untilSuccess(Effect.filterOrFail(none, () => takes() > 0))
      const [before, began] = [takes(), performance.now()]
      for (let n = 0; n < REQUESTS; n++) assert.deepStrictEqual((yield* none).leases, [])
      const looks = Math.ceil((performance.now() - began) / LOOK_EVERY_MS) + 1
      assert.isAtMost(takes() - before, looks)
      assert.isBelow(looks, REQUESTS, "the requests came quickly enough to tell")
      const other = yield* keyed("other")
      const { leases } = yield* other.client.runner.lease({ payload: { runner: yield* other.open(["audit"]), max: 1, wait_s: 20 } })
      assert.isTrue(leases.some(isAudit))
    })
  )
})
