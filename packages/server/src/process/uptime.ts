import type { Clock } from "effect"

/** Milliseconds of a clock that nobody sets, for how long ago something was: the host's time may be set back. */
export const uptimeOf_ms = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000
