/**
 * How long one run of a model takes: the worst of the medians over the kinds of observation, in processor
 * time. A short run is mostly not interrupted, so the time on the clock is exact, and a few interrupted runs
 * do not move its median. A long run is interrupted on a busy machine, but its thread's processor time is
 * then exact. Neither can be too small, so the smaller of the two is taken.
 */
import type { Instance } from "../worker/Instance.ts"
import type { Kind } from "./observations.ts"

const WARM_UP_RUNS = 3
const RUNS_MAX = 40
/** A kind is measured after this many runs and this much processor time; slow models get by with fewer runs. */
const ENOUGH = [
  { runs: 7, cpu_us: 40_000 },
  { runs: 3, cpu_us: 150_000 }
] as const
/** Ten ticks of the processor time counter; below that it is too coarse. */
const CPU_COUNTED_MIN_US = 40_000

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

/**
 * Asks for one run and answers its fault, or null. `unfit`: the model does not accept such an observation, for example
 * because it uses it as an index. That is no fault if no match shows such an observation.
 */
export type Run<Fault> = (seat: Instance, kind: Kind) => Promise<Fault | "unfit" | null>

const measureKind = async <Fault>(seat: Instance, kind: Kind, run: Run<Fault>): Promise<Fault | number> => {
  const exchange = seat.channel.take(0)
  const times: Array<number> = []
  let from_us = 0
  let cpu_us = 0
  const enough = () => times.length >= RUNS_MAX || ENOUGH.some((least) => times.length >= least.runs && cpu_us >= least.cpu_us)
  for (let at = 0; !enough(); at++) {
    exchange.observation.set(kind.observations[at % kind.observations.length]!)
    const fault = await run(seat, kind)
    if (fault === "unfit") break
    if (fault !== null) return fault
    if (at < WARM_UP_RUNS) from_us = seat.channel.cpu_us
    else {
      times.push(seat.channel.infer_us)
      cpu_us = seat.channel.cpu_us - from_us
    }
  }
  if (times.length === 0) return 0
  return cpu_us < CPU_COUNTED_MIN_US ? median(times) : Math.min(median(times), cpu_us / times.length)
}

/** Measures on the first board of the channel. Answers the worst kind, in microseconds, at least 1. */
export const measure = async <Fault>(seat: Instance, kinds: ReadonlyArray<Kind>, run: Run<Fault>): Promise<Fault | number> => {
  let worst_us = 1
  for (const kind of kinds) {
    const measured = await measureKind(seat, kind, run)
    if (typeof measured !== "number") return measured
    worst_us = Math.max(worst_us, Math.round(measured))
  }
  return worst_us
}
