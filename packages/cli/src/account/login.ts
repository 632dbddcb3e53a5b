/**
 * `agon login`: signs in by a code that is approved in a browser, and keeps the session
 * (docs/contract.md#signing-in-a-device). A service that does not answer for a while is asked
 * again until the code is over.
 */
import { hostname } from "node:os"
import type { Client } from "@agon/api/Client.ts"
import { waitOf } from "@agon/api/retryRefused.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Duration, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { HttpClientError } from "effect/http"
import { answer, CouldNotRun } from "../Answer.ts"
import { addressOf, connect, isUnanswered, jsonFlag, saying, urlFlag } from "../Service.ts"
import * as SessionFile from "./SessionFile.ts"

/** Characters of a device's name, at most. */
const NAME_MAX = 64
const SLOWER_S = 5
const COOKIE = "service_session"
/** The end of the sentence for a visitor who is signed in already: nothing is done, and another account needs a sign-out first. */
const ALREADY = " already; agon logout comes before another sign-in."

const nameOfThis = () => [...`agon on ${hostname()}`].slice(0, NAME_MAX).join("")

interface Waiting {
  readonly device_code: string
  readonly interval: number
  readonly expires_in: number
}

/** The session's token; undefined where the person has refused. */
const tokenOf = (client: Client, { device_code, expires_in, interval }: Waiting) => {
  const ask = (interval_s: number): Effect.Effect<string | undefined, CouldNotRun | unknown> =>
    Effect.sleep(Duration.seconds(interval_s)).pipe(
      Effect.andThen(client.device.completeDeviceSignIn({ payload: { device_code }, responseMode: "decoded-and-response" })),
      Effect.map(([, { cookies }]): string | undefined => cookies.cookies[COOKIE]?.value),
      Effect.catch((error) => {
        if (HttpClientError.isHttpClientError(error) || waitOf(error) !== undefined) return ask(interval_s)
        const { code } = error as { readonly code?: string }
        if (code === "authorization_pending") return ask(interval_s)
        if (code === "slow_down") return ask(interval_s + SLOWER_S)
        return code === "access_denied" ? Effect.succeed(undefined) : Effect.fail(error)
      })
    )
  const over = Effect.fail(new CouldNotRun({ message: "Nobody has approved the code in time; sign in again." }))
  return Effect.timeoutOrElse(ask(interval), { duration: Duration.seconds(expires_in), orElse: () => over })
}

const isStanding = ({ session, url }: SessionFile.SavedSession) =>
  Effect.flatMap(connect(url, { session }), (client) => client.account.me()).pipe(
    Effect.as(true),
    Effect.catchTag("unauthenticated", () => Effect.succeed(false))
  )

/** Whether the session at another service stands in the way: not where that one answers no more, which would then be for ever. */
const hinders = (kept: SessionFile.SavedSession) =>
  isStanding(kept).pipe(
    Effect.catchIf(isUnanswered, () => Effect.succeed(false)),
    saying(kept.url)
  )

const signIn = Effect.fnUntraced(function* (url: string, json: boolean) {
  const kept = yield* SessionFile.read
  if (Option.isSome(kept) && kept.value.url !== url && (yield* hinders(kept.value)))
    return yield* new CouldNotRun({ message: `You are signed in at ${kept.value.url}: agon logout first.` })
  if (Option.isSome(kept) && kept.value.url === url && (yield* isStanding(kept.value))) return { ...kept.value, stood: true }
  yield* SessionFile.prepare
  const client = yield* connect(url)
  const codes = yield* client.device.beginDeviceSignIn({ payload: { client_name: nameOfThis() } })
  const { expires_in, user_code, verification_uri } = codes
  yield* Console.log(
    json
      ? JSON.stringify({ verification_uri, user_code, expires_in })
      : `Open ${verification_uri} in a browser and type the code ${user_code}\nWaiting for ${Math.round(expires_in / 60)} minutes at most.`
  )
  const session = yield* tokenOf(client, codes)
  if (session === undefined) return undefined
  const own = yield* connect(url, { session })
  const keeping = Effect.gen(function* () {
    const { username } = yield* own.account.me()
    yield* SessionFile.keep({ url, session, username })
    return { url, session, username, stood: false }
  })
  // A session that cannot be kept is ended, or it would stand for a month with nobody to use it.
  return yield* Effect.onError(keeping, () => Effect.ignore(own.account.signOut()))
})

export const login = Command.make(
  "login",
  { url: urlFlag, json: jsonFlag },
  Effect.fn(function* (given) {
    const url = yield* addressOf(given.url)
    const kept = yield* saying(url)(signIn(url, given.json))
    if (kept === undefined) {
      yield* Console.log(given.json ? JSON.stringify({ signed_in: false }) : "The sign-in was refused.")
      return yield* answer(false)
    }
    const { stood, username } = kept
    yield* Console.log(
      given.json ? JSON.stringify({ signed_in: true, url, username }) : `Signed in as ${username} at ${url}${stood ? ALREADY : ""}`
    )
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
