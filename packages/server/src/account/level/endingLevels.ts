/** Levels whose requests end with the account or the runner key that they are made under (Ongoing.ts). */

import * as A from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { clearSessionCookie } from "../sessionCookie.ts"
import type { Authenticate } from "./authenticate.ts"
import { Ongoing } from "./Ongoing.ts"

/**
 * A level as its middleware runs it: given the rest of the request and what was asked. Its
 * types differ from level to level.
 */
type Guard = (httpEffect: any, asked: any) => Effect.Effect<any, any, any>

/**
 * A guard whose requests end with the account or the runner key that they are made under, those that wait for
 * work as well. The moment is taken before the guard looks the credential up.
 */
const makeEndingWith = Effect.map(
  Ongoing,
  (ongoing) =>
    (
      holder: Effect.Effect<{ readonly id: string }, never, any>,
      refused: Effect.Effect<never, A.Unauthenticated, any>,
      guard: Guard
    ): Guard =>
    (httpEffect, asked) => {
      const moment = ongoing.moment()
      const request = Effect.flatMap(holder, ({ id }) => ongoing.inNameOf(id, moment, httpEffect as ReturnType<Guard>))
      return guard(
        Effect.catchTag(request, "Ended", () => refused),
        asked
      )
    }
)

/** A level whose writes are interrupted when the account is suspended; reads run on. */
export const makeUntilSuspended = Effect.map(
  makeEndingWith,
  (endingWith) =>
    <Level extends { readonly session: Guard }>({ session }: Level) => {
      const writing = endingWith(A.CurrentAccount, suspended, session)
      return {
        session: ((httpEffect, asked) => (asked.endpoint.method === "GET" ? session : writing)(httpEffect, asked)) as Level["session"]
      }
    }
)

/** A runner's key, with which every request under it ends. */
export const makeRunnerLevel = (authenticate: Authenticate) =>
  Effect.map(makeEndingWith, (endingWith): A.RunnerKey["Service"] => {
    const key: A.RunnerKey["Service"]["key"] = (httpEffect, asked) =>
      Effect.flatMap(authenticate.runnerKey(asked), (found) => Effect.provideService(httpEffect, A.CurrentKey, found))
    return { key: endingWith(A.CurrentKey, Effect.fail(keyEnded), key) as typeof key }
  })

export const keyEnded = new A.Unauthenticated({ detail: "The runner key was revoked meanwhile." })

const suspended = Effect.andThen(clearSessionCookie, Effect.fail(new A.Unauthenticated({ detail: "The account was suspended meanwhile." })))
