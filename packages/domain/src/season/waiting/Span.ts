/** An interval of time, in ms from now. */
export interface Span {
  readonly low: number
  readonly high: number
}

/** Runners ask at once when work appears; an answer, and their next request, take this long at most. */
export const AT_ONCE: Span = { low: 0, high: 3_000 }

/**
 * When a queue whose starts come at this rate (per ms) has come to the `from`-th to `to`-th start from now.
 * The first starts are spread like chance arrivals, many together lie closer to their mean; the shares beside
 * that are for a rate that changes meanwhile. Chosen so that more than 80 % of matches start inside of their
 * interval (Forecast.test.ts).
 */
export const afterStarts = (from: number, to: number, rate: number): Span => ({
  low: (from / rate) * Math.max(0, 0.85 - 1 / Math.sqrt(from)),
  high: (to / rate) * (1.1 + 1.1 / Math.sqrt(to)) + 1_000
})

export const later = (span: Span, ms: number): Span => ({ low: span.low + ms, high: span.high + ms })

/** Both must have passed, side by side. */
export const both = (a: Span, b: Span): Span => ({ low: Math.max(a.low, b.low), high: Math.max(a.high, b.high) })

/** One after the other. */
export const inTurn = (a: Span, b: Span): Span => ({ low: a.low + b.low, high: a.high + b.high })

export const either = (a: Span | null, b: Span | null): Span | null =>
  a === null || b === null ? (a ?? b) : { low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) }

/** Whole seconds, outwards. */
export const seconds = ({ high, low }: Span): readonly [number, number] => [Math.floor(low / 1_000), Math.ceil(high / 1_000)]
