/** The metrics of requests; each costs a request under 0.1 us. */
import { Metric } from "effect"
import { fromZero } from "../metric/fromZero.ts"

const requests = Metric.counter("agon_http_requests_total", { description: "Answers, by class of status", incremental: true })

/** By the first digit of the status. */
const byClass = [1, 2, 3, 4, 5].map((digit) => fromZero(Metric.withAttributes(requests, { status: `${digit}xx` })))
export const answered = (status: number) => byClass[Math.floor(status / 100) - 1] ?? byClass[4]!

/** Answers written from the cache before a fiber starts; they are not among `agon_http_requests_total`. */
export const cacheHits = Metric.counter("agon_http_cache_hits_total", {
  description: "Answers written from the cache in front of the router",
  incremental: true
})

/** From the router to the complete answer, before it is written; runners' long polls included. */
export const durations = Metric.histogram("agon_http_request_duration_ms", {
  description: "Time to an answer",
  boundaries: [1, 2.5, 5, 10, 25, 50, 100, 250, 1000, 5000, 30_000]
})
