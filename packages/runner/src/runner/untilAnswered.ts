/**
 * Repeats calls until they are answered, with growing pauses and jitter, so that runners do
 * not retry at the same moment.
 */
import { seldom } from "@agon/api/program/seldom.ts"
import { Told } from "@agon/api/program/Told.ts"
import { Effect, Schedule } from "effect"
import { whyOf } from "./whyOf.ts"

/** Time for an answer beyond the wait that the call asks for. */
export const REQUEST_MARGIN_S = 15

/** The pause between tries grows up to this. */
const LONGEST_PAUSE = "5 seconds"
const PAUSES = Schedule.jittered(Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced(LONGEST_PAUSE)]))

/**
 * After a 503: a season that moves to another machine is away for a moment, so the first pauses are
 * short. They grow all the same, since a fleet of thousands that repeats itself every second would keep
 * down a service that comes back.
 */
const BRIEF_PAUSES = Schedule.jittered(Schedule.min([Schedule.exponential("500 millis", 1.3), Schedule.spaced(LONGEST_PAUSE)]))

const KEY_REFUSED =
  "the runner key is not valid, or was revoked; set AGON_RUNNER_KEY to a key that an administrator of the service at AGON_URL has made"

/** Errors of the call itself, which repeating would not mend. */
type Final<E> = Extract<E, { readonly code: "not_found" | "invalid_request" }>

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code
const isFinal = <E>(error: E): error is Final<E> => codeOf(error) === "not_found" || codeOf(error) === "invalid_request"

/**
 * Repeats a runner's calls; `what` is one of a few names. The same reason is a line in a minute, since a service that
 * answers at once that it cannot is asked several times a second. `wait_s` is the wait that the call asks for; one that
 * is not answered some time after it is made again. A revoked key is a defect, since no caller could handle it: the
 * runner ends.
 */
export const makeUntilAnswered = () => {
  const complaints = new Map<string, ReturnType<typeof seldom>>()
  const complain = (what: string, error: unknown) => {
    const tell = complaints.get(what) ?? seldom(`could not ${what}, trying again`)
    complaints.set(what, tell)
    const why = whyOf(error)
    // The rest of what the service says differs from one answer to the next: ids, times to wait.
    return tell({ reason: String(codeOf(error) ?? why), fields: { error: why } })
  }
  return <A, E, R>(what: string, call: Effect.Effect<A, E, R>, wait_s = 0): Effect.Effect<A, Final<E>, R> =>
    call.pipe(
      Effect.timeout(`${wait_s + REQUEST_MARGIN_S} seconds`),
      Effect.catch((error) => (codeOf(error) === "unauthenticated" ? Effect.die(new Told(KEY_REFUSED)) : Effect.fail(error))),
      Effect.tapError((error) => (isFinal(error) ? Effect.void : complain(what, error))),
      Effect.retry({ schedule: BRIEF_PAUSES, while: (error) => codeOf(error) === "unavailable" }),
      Effect.retry({ schedule: PAUSES, while: (error) => !isFinal(error) }),
      Effect.catch((error) => (isFinal(error) ? Effect.fail(error) : Effect.die(error)))
    )
}

export type UntilAnswered = ReturnType<typeof makeUntilAnswered>
