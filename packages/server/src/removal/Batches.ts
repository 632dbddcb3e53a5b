/**
 * Rows are removed in small transactions with pauses, so that nobody waits long for a row that they hold, and
 * play goes on beside them. A batch that took long is followed by smaller ones. Where another transaction
 * holds a row, or the server went away, a batch is tried again.
 */
import { Duration, Effect, Schedule } from "effect"

/** Rows named by one batch; a batch of matches removes their seats besides. */
export const ROWS = { least: 20, first: 250, most: 1_000 }
/** Batches are made smaller above the one and larger below the other. */
const SLOW_MS = 200
const QUICK_MS = 50
const AGAIN = Schedule.max([Schedule.spaced("1 second"), Schedule.upTo(Schedule.forever, { times: 5 })])

/** The size of the next batch. */
const nextSize = (size: number, took_ms: number): number => {
  if (took_ms > SLOW_MS) return Math.max(ROWS.least, Math.floor(size / 2))
  return took_ms < QUICK_MS ? Math.min(ROWS.most, size * 2) : size
}

/**
 * Runs a batch until it finds nothing. `batch` gets the most rows that it may name and answers how many it
 * found. Pauses as long as each took.
 */
export const inBatches = Effect.fnUntraced(function* <E, R>(batch: (limit: number) => Effect.Effect<number, E, R>) {
  let size = ROWS.first
  for (;;) {
    const [took, found] = yield* Effect.timed(Effect.retry(batch(size), AGAIN))
    if (found === 0) return
    size = nextSize(size, Duration.toMillis(took))
    yield* Effect.sleep(took)
  }
})
