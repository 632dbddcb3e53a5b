/** `agon logout`: ends the kept session, at the service first and then here. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { connect, jsonFlag, saying } from "../Service.ts"
import * as SessionFile from "./SessionFile.ts"

const end = ({ session, url }: SessionFile.SavedSession) =>
  Effect.flatMap(connect(url, { session }), (client) => client.account.signOut()).pipe(
    Effect.catchTag("unauthenticated", () => Effect.void), // it has ended already
    saying(url),
    Effect.andThen(SessionFile.forget)
  )

export const logout = Command.make(
  "logout",
  { json: jsonFlag },
  Effect.fn(function* ({ json }) {
    const kept = yield* SessionFile.read
    if (Option.isSome(kept)) yield* end(kept.value)
    const was = Option.map(kept, ({ url, username }) => ({ url, username }))
    if (json) return yield* Console.log(JSON.stringify({ ended: Option.getOrNull(was) }))
    yield* Console.log(
      Option.isSome(was) ? `The session of ${was.value.username} at ${was.value.url} has ended.` : "You were not signed in."
    )
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
