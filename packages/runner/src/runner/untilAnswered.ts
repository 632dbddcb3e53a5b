/** Calls are repeated until they are answered: with growing, jittered pauses, so that a fleet does not knock in step. */
import { Effect, Schedule } from "effect"

/** How long an answer may take beyond what the call itself waits. */
export const REQUEST_MARGIN_S = 15

/** The pause grows to this and stays. */
const LONGEST_PAUSE = "5 seconds"
const pauses = Schedule.jittered(Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced(LONGEST_PAUSE)]))

/** A season that moves to another machine says 503, and is back in a moment. */
const moments = Schedule.jittered(Schedule.spaced("750 millis"))

/** What is wrong with the call itself: repeating it would not help. */
type Final<E> = Extract<E, { readonly code: "not_found" | "invalid_request" }>

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code
const isFinal = <E>(error: E): error is Final<E> => codeOf(error) === "not_found" || codeOf(error) === "invalid_request"

/** A revoked key is no error that a caller could handle: the runner ends. */
export const untilAnswered = <A, E, R>(what: string, call: Effect.Effect<A, E, R>): Effect.Effect<A, Final<E>, R> =>
  call.pipe(
    Effect.catch((error) =>
      codeOf(error) === "unauthenticated" ? Effect.die(new Error("the runner key is not valid (any more)")) : Effect.fail(error)
    ),
    Effect.tapError((error) => (isFinal(error) ? Effect.void : Effect.logWarning(`could not ${what}, trying again`, String(error)))),
    Effect.retry({ schedule: moments, while: (error) => codeOf(error) === "unavailable" }),
    Effect.retry({ schedule: pauses, while: (error) => !isFinal(error) }),
    Effect.catch((error) => (isFinal(error) ? Effect.fail(error) : Effect.die(error)))
  )
