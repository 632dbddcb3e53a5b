/**
 * How a runner stops. SIGTERM and SIGINT interrupt its main fiber, once; matches under way then have some time to
 * end. A second signal means that nobody waits for that: the runner gives back what it holds and ends.
 *
 * The service tells the runner beside it to stop by SIGTERM. Ctrl-C at a terminal reaches that runner too, as
 * one of the terminal's processes, and is not a second wish.
 */
import { Effect } from "effect"

/** Time for what is being played, after a stop; docs/operating.md and deploy/ give the process longer than that. */
export const FINISH_S = 45
/** Time to tell the service that the runner has ended. */
export const CLOSE_S = 2

const SIGNALS_TO_HURRY = 2

/** Resumes with the second signal to stop. */
export const secondSignal = ({ tied }: { readonly tied: boolean }): Effect.Effect<void> => {
  let signals = 0
  let hurried = () => {}
  const hurry = new Promise<void>((resolve) => {
    hurried = resolve
  })
  const heard = () => {
    signals++
    if (signals === SIGNALS_TO_HURRY) hurried()
  }
  for (const signal of tied ? (["SIGTERM"] as const) : (["SIGTERM", "SIGINT"] as const)) process.on(signal, heard)
  return Effect.promise(() => hurry)
}
