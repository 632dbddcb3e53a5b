/**
 * A service as commands call it: by its address, with the kept session, and with its refusals in one
 * sentence. Commands provide the client over node:http: the one over undici does not load on Node 20.
 */
import { type Credential, IllAnswer, makeClient } from "@agon/api/Client.ts"
import { fieldErrors, invalidRequest } from "@agon/api/fieldErrors.ts"
import { text as variable } from "@agon/api/program/variables.ts"
import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { HttpClientError } from "effect/http"
import { CouldNotRun, No } from "./Answer.ts"
import * as SessionFile from "./account/SessionFile.ts"

const STANDARD_URL = "http://localhost:8080"

export const urlFlag = Flag.String("url").pipe(
  Flag.withDescription(`Address of the service (default: AGON_URL, or that of agon login, or ${STANDARD_URL})`),
  Flag.optional
)
export const jsonFlag = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** The address of the kept session. The session may have ended; `agon login` then signs in to the same service again. */
const addressKept = Effect.map(SessionFile.read, Option.match({ onNone: () => STANDARD_URL, onSome: ({ url }) => url }))

/** The origin of the service: the address comes from the flag, else from AGON_URL, else from the kept session, else the standard one is taken. */
export const addressOf = Effect.fnUntraced(function* (flag: Option.Option<string>) {
  const text = Option.isSome(flag) ? flag.value : (yield* variable("AGON_URL", "")) || (yield* addressKept)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "") return url.origin
  return yield* new CouldNotRun({ message: `The address of a service is like https://agon.example, not ${text}.` })
})

/** Longer than the service lets an answer take. A line that broke without a word, as on a laptop that slept, gives none. */
const ANSWER_TIMEOUT_S = 75

export const connect = (url: string, credential?: Credential) => makeClient(url, credential, { timeout_s: ANSWER_TIMEOUT_S })

/** The kept session and a client that has it. */
export const connectSignedIn = Effect.gen(function* () {
  const kept = yield* SessionFile.signedIn
  return { ...kept, client: yield* connect(kept.url, { session: kept.session }) }
})

/** A client that has the kept session where that is one of this service: it reads as the session's owner. */
export const connectAsKept = Effect.fnUntraced(function* (url: string) {
  const own = Option.filter(yield* SessionFile.read, (kept) => kept.url === url)
  const client = yield* connect(url, Option.isSome(own) ? { session: own.value.session } : undefined)
  return { client, isSignedIn: Option.isSome(own) }
})

/** The sentence for a request without an answer of the service: the connection failed, or another program answered. */
const unanswered = (url: string, { reason, response }: HttpClientError.HttpClientError): string => {
  if (response !== undefined) return `${url} does not answer as a service does: status ${response.status}.`
  const cause = "cause" in reason ? reason.cause : undefined
  return unreachable(url, reason.description ?? (messageOf(cause) || reason._tag))
}

/** The line's or the resolver's word; an attempt at several addresses has a code alone. */
export const messageOf = (cause: unknown): string => {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException
  return message || code || ""
}

export const unreachable = (url: string, why: string): string => `${url} cannot be reached: ${why}.`

/** Whether a call has failed without a word of the service: it was not reached, or something else answered in its place. */
export const isUnanswered = (error: unknown): boolean => HttpClientError.isHttpClientError(error) || error instanceof IllAnswer

/** Whatever a call fails with, in one sentence. */
export const sentenceOf = (url: string, error: unknown): string => {
  if (HttpClientError.isHttpClientError(error)) return unanswered(url, error)
  if (error instanceof IllAnswer) return `${url} gave an answer that this version of agon does not know.`
  // A request that no service would take was not sent; its refusal would have said the same.
  if (Schema.isSchemaError(error)) return invalidRequest(fieldErrors(error.issue)).detail
  const { code, detail } = error as { readonly code?: string; readonly detail?: string }
  if (code === "unauthenticated") return `Your session has ended. agon login --url ${url} starts a new one.`
  return detail ?? String(error)
}

/** Turns every failure of a command but its own into `CouldNotRun`. */
export const saying =
  (url: string) =>
  <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, CouldNotRun | No, R> =>
    Effect.mapError(command, (error) =>
      error instanceof CouldNotRun || error instanceof No ? error : new CouldNotRun({ message: sentenceOf(url, error) })
    )
