/**
 * Answers that say to come back later. Whoever asks again at once takes the very tokens that the reads
 * beneath a page need, and may never see it; so a test waits as long as it is told.
 */
import { setTimeout as pause } from "node:timers/promises"
import { RateLimited } from "@agon/api/Problem.ts"
import { Effect, Schedule } from "effect"

export const isPutOff = (status: number | undefined): boolean => status === 503 || status === 429

/** Of a service that has nothing to do but this test. */
export const TRIES_MAX = 150

/** Waits as long as `Retry-After` tells. */
export const asTold = (retryAfter: string | null | undefined): Promise<void> => pause(1_000 * Number(retryAfter ?? 1))

interface Answer {
  readonly status: number
  readonly headers: Headers
}

/** Asks until the answer is no longer put off. */
export const retryPutOff = async <A extends Answer>(name: string, ask: () => Promise<A>): Promise<A> => {
  for (let tries = 1; ; tries++) {
    const answer = await ask()
    if (!isPutOff(answer.status)) return answer
    if (tries === TRIES_MAX) throw new Error(`${name} was put off ${tries} times, the last time with ${answer.status}`)
    await asTold(answer.headers.get("retry-after"))
  }
}

/** A call of the typed client, made again while the rate of its account is met. */
export const untilTaken = Effect.retry({
  while: (problem) => problem instanceof RateLimited,
  schedule: Schedule.spaced("1 second"),
  times: TRIES_MAX
})
