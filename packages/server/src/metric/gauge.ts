/** Gauges whose value is read at a scrape: nothing is counted while the service works. */
import { Effect, Metric, type Scope } from "effect"

export interface ReadGauge {
  readonly name: string
  readonly description: string
  readonly attributes?: Readonly<Record<string, string>>
  /** Must be quick: it runs on the event loop, once a scrape. */
  readonly read: () => number
}

/** The gauges exist as long as the scope. */
export const readGauges = (gauges: ReadonlyArray<ReadGauge>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Effect.context<never>(), (context) =>
      gauges.map(({ attributes = {}, description, name, read }) =>
        Metric.registerUnsafe(Metric.withAttributes(Metric.gauge(name, { description }), attributes), context, {
          get: () => ({ value: read() }),
          update: () => {},
          modify: () => {}
        })
      )
    ),
    (registered) => Effect.sync(() => registered.forEach(({ remove }) => remove()))
  ).pipe(Effect.asVoid)
