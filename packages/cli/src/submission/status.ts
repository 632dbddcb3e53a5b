/** `agon status`: the caller's versions in admission, and how far each is. */
import { firstPage } from "@agon/api/Pages.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { connectSignedIn, jsonFlag, saying } from "../Service.ts"
import { stageOf } from "./follow.ts"

const ROWS = 100

export const status = Command.make(
  "status",
  { json: jsonFlag },
  Effect.fn(function* ({ json }) {
    const { client, url, username } = yield* connectSignedIn
    const { candidates } = yield* saying(url)(client.version.candidates({ query: firstPage(ROWS) }))
    if (json) return yield* Console.log(JSON.stringify({ url, username, candidates }))
    yield* Console.log(`${username} at ${url}`)
    if (candidates.length === 0) yield* Console.log("No version is in admission.")
    for (const one of candidates) yield* Console.log(`${one.game}/${one.season}  ${one.model} version ${one.version}  ${stageOf(one)}`)
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
