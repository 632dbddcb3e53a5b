/** The data that a collector is sent, and the cost of a collector that takes nothing. */

import * as Telemetry from "@agon/api/program/Telemetry.ts"
import { idsOf } from "@agon/server/actor/MatchTraces.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Tracer } from "effect"
import { type Collector, collector } from "../support/Collector.ts"
import { eventually } from "../support/eventually.ts"
import * as Service from "../support/Service.ts"

const sentTo = ({ url }: Collector, share: number) =>
  Telemetry.layer({ url, share, name: "test" }).pipe(Layer.provide(NodeHttpClient.layerUndici))

/** In parts, between which the exporter has its turn. */
const spans = (count: number) =>
  Effect.forEach(
    Array.from({ length: count / 500 }),
    () =>
      Effect.andThen(
        Effect.repeat(Effect.withSpan(Effect.void, "one"), { times: 499 }),
        Effect.promise(() => new Promise(setImmediate))
      ),
    { discard: true }
  )

describe("traces", () => {
  it.effect("are sent in the share that is asked for, each whole", () =>
    Effect.gen(function* () {
      const sent: Array<Tracer.Span> = []
      const plain = yield* Effect.tracer
      const keeping = Tracer.make({ span: (options) => sent[sent.push(plain.span(options)) - 1]! })
      let throws = 0
      const random = { nextDoubleUnsafe: () => (throws++ % 8) / 8, nextIntUnsafe: () => 0 }
      const nested = Effect.withSpan(Effect.withSpan(Effect.void, "inner"), "outer")
      yield* Effect.withTracer(Effect.repeat(nested, { times: 79 }), Telemetry.sampling(keeping, 0.25, random))
      const traces = Object.values(Object.groupBy(sent, ({ traceId }) => traceId))
      assert.lengthOf(traces, 80)
      assert.isTrue(traces.every((trace) => trace!.length === 2 && trace![0]!.sampled === trace![1]!.sampled))
      assert.lengthOf(
        traces.filter((trace) => trace![0]!.sampled),
        20
      )
    })
  )

  it("of matches are chosen by the match alone, the same on every node", () => {
    const matches = Array.from({ length: 2_000 }, (_, i) => `01900001-0000-7000-8000-${i.toString(16).padStart(12, "0")}`)
    const chosen = matches.filter((match) => idsOf(match, 0.25) !== undefined)
    assert.isAbove(chosen.length, 350)
    assert.isBelow(chosen.length, 650)
    assert.isTrue(matches.every((match) => idsOf(match, 0) === undefined && idsOf(match, 1) !== undefined))
    assert.strictEqual(new Set(matches.map((match) => idsOf(match, 1)!.traceId)).size, matches.length)
    assert.match(idsOf(matches[0]!, 1)!.traceId, /^[0-9a-f]{32}$/)
    assert.match(idsOf(matches[0]!, 1)!.spanId, /^[0-9a-f]{16}$/)
  })
})

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const FORGED: ReadonlyArray<Record<string, string>> = [
  { traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
  { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: "a=b" },
  { b3: `${TRACE}-b7ad6b7169203331-1` },
  { "x-b3-traceid": TRACE, "x-b3-spanid": "b7ad6b7169203331", "x-b3-sampled": "1", "x-b3-flags": "1" },
  { traceparent: `00-${TRACE}-b7ad6b7169203331-01${"0".repeat(8_000)}` },
  { traceparent: "\xff\xfe-%00" },
  { traceparent: "" }
]

describe("headers that name a trace", () => {
  /**
   * The spans that are sent until the service has stopped; with a share of all it is asked
   * until the collector has some.
   */
  const asked = Effect.fnUntraced(function* (share: number) {
    const there = yield* collector()
    const asking = Effect.gen(function* () {
      const { origin } = yield* Service.Service
      for (const headers of FORGED) {
        const { status } = yield* Effect.promise(() => fetch(`${origin}/v1/games`, { headers }))
        assert.strictEqual(status, 200)
      }
      if (share > 0)
        yield* eventually(
          "spans",
          Effect.sync(() => there.spans.some(({ name }) => name === "GET"))
        )
    })
    yield* Effect.provide(asking, Service.layer().pipe(Layer.provide(sentTo(there, share))))
    return there.spans
  }, Effect.scoped)

  it.live("have nothing sent that the share leaves out", () => Effect.map(asked(0), (spans) => assert.deepStrictEqual(spans, [])), 180_000)

  it.live(
    "put no request into a trace of theirs",
    () =>
      Effect.map(asked(1), (spans) => {
        assert.isNotEmpty(spans.filter(({ name }) => name === "GET"))
        assert.deepStrictEqual(
          spans.filter(({ traceId }) => traceId === TRACE),
          []
        )
      }),
    180_000
  )
})

describe("a collector that takes nothing", () => {
  /** Makes spans, and closes the exporter; answers the warnings, and how often it may have tried: anew each minute. */
  const against = Effect.fnUntraced(function* (there: Collector, count: number) {
    const warned: Array<string> = []
    const logger = Logger.layer([Logger.make(({ logLevel, message }) => void (logLevel === "Warn" && warned.push(String(message))))])
    const begun = performance.now()
    yield* Effect.provide(spans(count), sentTo(there, 1).pipe(Layer.provide(logger)))
    return { warned: warned.length, tries: 1 + Math.floor((performance.now() - begun) / 60_000) }
  })

  it.live(
    "holds up nobody and gets a bounded number of batches where it never answers",
    () =>
      Effect.gen(function* () {
        const there = yield* collector("hangs")
        const { tries, warned } = yield* against(there, 40_000)
        assert.isAtLeast(there.mostOpen(), 2)
        assert.isAtMost(there.mostOpen(), Telemetry.IN_FLIGHT_MAX)
        assert.isAtMost(there.spans.length, tries * Telemetry.IN_FLIGHT_MAX * 1_000)
        assert.isAtLeast(warned, 1)
        assert.isAtMost(warned, tries)
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "is asked a few times and then left alone where it answers 500",
    () =>
      Effect.gen(function* () {
        const there = yield* collector("refuses")
        const { tries, warned } = yield* against(there, 20_000)
        assert.isAtMost(there.requests(), tries * 3 * Telemetry.IN_FLIGHT_MAX)
        assert.isAtMost(warned, tries)
      }).pipe(Effect.scoped),
    180_000
  )
})
