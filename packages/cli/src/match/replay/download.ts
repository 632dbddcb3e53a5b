/**
 * `agon replay download MATCH`: the replay of a service's match, whole and with the hash that its
 * name tells, or no file at all.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { writeWhole } from "../../files.ts"
import { jsonFlag, urlFlag } from "../../Service.ts"
import { fetchReplay, readMatch } from "./fetchReplay.ts"

const download = Command.make(
  "download",
  {
    match: Argument.String("MATCH").pipe(Argument.withDescription("Id of the match, or the address of its page")),
    out: Flag.Path("out").pipe(Flag.withDescription("File to write (default: MATCH.replay.json)"), Flag.optional),
    url: urlFlag,
    json: jsonFlag
  },
  Effect.fn(function* (given) {
    const { id, url } = yield* readMatch(given.match, given.url)
    const { bytes, sha256 } = yield* fetchReplay(url, id)
    const file = Option.getOrElse(given.out, () => `${id}.replay.json`)
    yield* writeWhole(file, bytes)
    yield* Console.log(
      given.json ? JSON.stringify({ match: id, file, bytes: bytes.length, sha256 }) : `${file}: ${bytes.length} bytes, sha256 ${sha256}`
    )
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp), Command.withDescription("Fetch the replay of a service's match"))

export const replay = Command.make("replay").pipe(Command.withSubcommands([download]))
