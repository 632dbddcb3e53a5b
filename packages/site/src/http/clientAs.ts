/**
 * The client for personal pages: one for all visitors, since making one holds the event loop for 10 ms, which anybody could cause who
 * sends a cookie. Calls have the credential of the page that they are made for, and none elsewhere.
 */
import { type Client, type Credential, makeSharedClient } from "@agon/api/Client.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Context, Effect } from "effect"

class CurrentCredential extends Context.Reference<Credential>("agon/site/CurrentCredential", { defaultValue: () => undefined }) {}

/** Calls that `use` makes with the client have this credential. */
export type ClientAs = <A, E, R>(
  credential: Credential,
  use: (client: Client) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E | NotFound, R>

/**
 * A path loses `.` and `..`, so the library's client throws at them in the place of a parameter. A form may bring them: they name nothing.
 */
const isDots = (defect: unknown) => defect instanceof Error && defect.message.startsWith("Invalid path parameter: ")
const noSuch = new NotFound({ detail: "There is nothing under this path." })

export const makeClientAs = (service: string) =>
  Effect.map(
    makeSharedClient(
      service,
      Effect.map(CurrentCredential, (credential) => credential)
    ),
    (client): ClientAs =>
      (credential, use) =>
        Effect.provideService(
          Effect.suspend(() => use(client)),
          CurrentCredential,
          credential
        ).pipe(Effect.catchDefect((defect) => (isDots(defect) ? Effect.fail(noSuch) : Effect.die(defect))))
  )
