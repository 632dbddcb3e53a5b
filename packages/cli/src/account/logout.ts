/**
 * `agon logout`: ends the kept session, at the service first and then here. Where no service answers any more, as after a
 * demonstration that was stopped, it is forgotten here alone.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { connect, isUnanswered, jsonFlag, saying, sentenceOf } from "../Service.ts"
import * as SessionFile from "./SessionFile.ts"

/** Why the service has not ended it; undefined where it has. */
const end = ({ session, url }: SessionFile.SavedSession) =>
  Effect.flatMap(connect(url, { session }), (client) => client.account.signOut()).pipe(
    Effect.as(undefined),
    Effect.catchTag("unauthenticated", () => Effect.succeed(undefined)), // it has ended already
    Effect.catchIf(isUnanswered, (error) => Effect.succeed(sentenceOf(url, error))),
    saying(url),
    Effect.tap(SessionFile.forget)
  )

export const logout = Command.make(
  "logout",
  { json: jsonFlag },
  Effect.fn(function* ({ json }) {
    const kept = yield* SessionFile.read
    if (Option.isNone(kept)) return yield* Console.log(json ? JSON.stringify({ ended: null }) : "You were not signed in.")
    const { url, username } = kept.value
    const unanswered = yield* end(kept.value)
    if (json) return yield* Console.log(JSON.stringify({ ended: { url, username }, at_service: unanswered === undefined }))
    if (unanswered === undefined) return yield* Console.log(`The session of ${username} at ${url} has ended.`)
    yield* Console.log(unanswered)
    yield* Console.log(`The session of ${username} is forgotten here. At ${url} it ends by itself, ${SessionFile.ENDS_AFTER}.`)
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
