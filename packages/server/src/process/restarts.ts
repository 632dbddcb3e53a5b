/**
 * The backoff between restarts of a program or fiber that is restarted for ever. Waits double from the first to the
 * longest. A run that lasted for longer than the longest wait resets them, since such runs end no more often than that,
 * with or without a wait.
 */
import { Duration, Effect, Schedule } from "effect"

export const restarts = (first: Duration.Input, longest: Duration.Input): Schedule.Schedule<Duration.Duration> => {
  const [first_ms, longest_ms] = [first, longest].map((wait) => Duration.toMillis(Duration.fromInputUnsafe(wait))) as [number, number]
  return Schedule.fromStepWithMetadata(
    Effect.sync(() => {
      let wait_ms = 0
      return ({ elapsedSincePrevious }) =>
        Effect.sync(() => {
          const afresh = wait_ms === 0 || elapsedSincePrevious - wait_ms > longest_ms
          wait_ms = afresh ? first_ms : Math.min(2 * wait_ms, longest_ms)
          const wait = Duration.millis(wait_ms)
          return [wait, wait] as [Duration.Duration, Duration.Duration]
        })
    })
  )
}
