/**
 * One series of a counter for each value of a label. The values come from lists of ours, so
 * that their number is bounded.
 */
import { Metric } from "effect"
import { fromZero } from "./fromZero.ts"

/** The values in `known` stand at 0 from the start; the others come with their first event. */
export const byLabel = <const Known extends string = never>(
  name: string,
  label: string,
  description: string,
  known: ReadonlyArray<Known> = []
) => {
  const all = Metric.counter(name, { description, incremental: true })
  const of = (value: string) => Metric.withAttributes(all, { [label]: value })
  const series = new Map<string, Metric.Counter<number>>(known.map((value) => [value, fromZero(of(value))]))
  return (value: string): Metric.Counter<number> => {
    const made = series.get(value) ?? of(value)
    series.set(value, made)
    return made
  }
}
