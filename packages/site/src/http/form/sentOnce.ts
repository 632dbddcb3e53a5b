/**
 * A form that is sent twice, by a double click, a reload or an impatient second try, is taken once. The API has no idempotency keys, so
 * the site recognises the second: each form that a page shows has a random text of its own, in a hidden field, and two are the same where
 * the session, the address and all that was sent are the same, this text included. So the same words written on a page that was loaded
 * again are another form, and so are other words on a page that the browser went back to.
 *
 * Of a form that adds something this text does not count. A visitor who goes back gets the page anew, with another text and with the words
 * that the browser has kept, and would have them there twice. The same words to the same people within the hour are hardly ever meant: the
 * second is led to the first. Whoever takes back what was added may write the same words again, so that forgets what the session has added.
 *
 *   first ──▶ the form's calls, beside the request ──▶ their answer is told, and remembered for a minute, or for an hour where the form adds
 *             something
 *   second ──▶ waits for that answer, or finds it; a refusal is not remembered, so that the form can be sent again
 *
 * The calls go on when the first request is broken off, which browsers do on a second click. Forms without such a text are taken each time.
 * This is memory of one process: of several sites behind one address each knows the forms that it has had.
 */
import { hash } from "node:crypto"
import { Clock, Deferred, Effect, Exit, type Scope } from "effect"
import type { Done, Shown } from "./Form.ts"
import { ONCE_FIELD } from "./inputs.ts"
import type { Pairs } from "./posted.ts"

export const REMEMBERED_MS = 60_000
export const ADDED_MS = 3_600_000
/** Some 500 bytes each. Beyond it the oldest is forgotten. */
export const REMEMBERED_MAX = 10_000
/** Calls beside requests at once. Beyond it a form's calls end with its request, and a second one is not recognised. */
export const UNDER_WAY_MAX = 256
/** In characters of JSON. An answer that is shown once, such as a secret, is shorter; a longer one is a preview, and changes nothing. */
const SHOWN_MAX = 2_000

type Outcome = Done | Shown

export interface Sending {
  readonly session: string
  /** Of the page, with its parameters. */
  readonly address: string
  readonly pairs: Pairs
  /** As its form says. */
  readonly adds?: boolean
  readonly takesBack?: boolean
}

export type SentOnce = <E>(sending: Sending, send: Effect.Effect<Outcome, E>) => Effect.Effect<Outcome, E>

interface Taken {
  readonly session: string
  readonly outcome: Deferred.Deferred<Outcome, unknown>
  readonly since_ms: number
}

const ONCE = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** Undefined where the form has no text of its own. */
const keyOf = ({ address, adds, pairs, session }: Sending): string | undefined => {
  if (!pairs.some(([name, text]) => name === ONCE_FIELD && ONCE.test(text))) return undefined
  const counted = adds === true ? pairs.filter(([name]) => name !== ONCE_FIELD) : pairs
  return hash("sha256", JSON.stringify([session, address, counted]))
}

const isShort = (outcome: Outcome): boolean => !("shown" in outcome) || (JSON.stringify(outcome.shown) ?? "").length <= SHOWN_MAX

export const makeSentOnce = (scope: Scope.Scope): SentOnce => {
  const [sent, added] = [makeMemory(scope, REMEMBERED_MS), makeMemory(scope, ADDED_MS)]
  return (sending, send) => {
    if (sending.adds === true) return added.once(sending, send)
    return sent.once(sending, sending.takesBack === true ? Effect.tap(send, added.forgetOf(sending.session)) : send)
  }
}

const makeMemory = (scope: Scope.Scope, kept_ms: number) => {
  const all = new Map<string, Taken>()
  let underWay = 0

  /** Down to so many, the oldest first, and those of too long ago. */
  const forget = (now_ms: number, most: number) => {
    for (const [key, { since_ms }] of all) {
      if (all.size <= most && now_ms - since_ms < kept_ms) return
      all.delete(key)
    }
  }

  const forgetOf = (session: string) =>
    Effect.sync(() => {
      for (const [key, taken] of all) if (taken.session === session) all.delete(key)
    })

  /** Whoever runs it is not interrupted before the calls are on their way. */
  const begin = (key: string, session: string, since_ms: number, send: Effect.Effect<Outcome, unknown>): Effect.Effect<Taken> => {
    forget(since_ms, REMEMBERED_MAX - 1)
    const taken: Taken = { session, outcome: Deferred.makeUnsafe(), since_ms }
    all.set(key, taken)
    underWay++
    const settled = Effect.onExit(send, (exit) => {
      underWay--
      if (!(Exit.isSuccess(exit) && isShort(exit.value)) && all.get(key) === taken) all.delete(key)
      return Deferred.done(taken.outcome, exit)
    })
    return Effect.as(Effect.forkIn(Effect.exit(settled), scope), taken)
  }

  const once: SentOnce = <E>(sending: Sending, send: Effect.Effect<Outcome, E>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      const key = keyOf(sending)
      if (key === undefined) return send
      forget(now_ms, REMEMBERED_MAX)
      return Effect.uninterruptibleMask((restore) => {
        const known = all.get(key)
        if (known === undefined && underWay >= UNDER_WAY_MAX) return restore(send)
        const taken = known === undefined ? begin(key, sending.session, now_ms, send) : Effect.succeed(known)
        return Effect.flatMap(taken, ({ outcome }) => restore(Deferred.await(outcome) as Effect.Effect<Outcome, E>))
      })
    })
  return { once, forgetOf }
}
