/**
 * Counters that stand at 0 from the start. Prometheus sees no rise in a series that begins with 1, so an
 * alert on the first event of a kind would never be made if its counter came with the event.
 */
import { Effect, type Metric } from "effect"

const beginning: Array<Metric.Counter<number>> = []

/**
 * Declares the counter, one series of it, to stand at 0 where metrics are told. For constants of
 * modules: nothing is forgotten.
 */
export const fromZero = (counter: Metric.Counter<number>): Metric.Counter<number> => {
  beginning.push(counter)
  return counter
}

/** Makes the series of all that are declared. */
export const begin: Effect.Effect<void> = Effect.withFiber(({ context }) => {
  for (const counter of beginning) counter.updateUnsafe(0, context)
  return Effect.void
})
