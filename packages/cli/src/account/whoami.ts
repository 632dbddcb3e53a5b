/** `agon whoami`: whose session is kept. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { connectSignedIn, jsonFlag, saying } from "../Service.ts"

export const whoami = Command.make(
  "whoami",
  { json: jsonFlag },
  Effect.fn(function* ({ json }) {
    const { client, url } = yield* connectSignedIn
    const account = yield* saying(url)(client.account.me())
    yield* Console.log(json ? JSON.stringify({ url, ...account }) : `${account.username} (${account.display_name}) at ${url}`)
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
