/** One series of a counter for each value of a label. The values come from lists of ours, so that their number is bounded. */
import { Metric } from "effect"

export const byLabel = (name: string, label: string, description: string) => {
  const all = Metric.counter(name, { description, incremental: true })
  const series = new Map<string, Metric.Counter<number>>()
  return (value: string): Metric.Counter<number> => {
    const known = series.get(value)
    if (known !== undefined) return known
    const made = Metric.withAttributes(all, { [label]: value })
    series.set(value, made)
    return made
  }
}
