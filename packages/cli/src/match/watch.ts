/** `agon watch MATCH|REPLAY`: shows a service's match, or a replay's file, turn by turn. `--open` leads to the match's page instead. */
import { spawn } from "node:child_process"
import { readReplay } from "@agon/engine/replay/readReplay.ts"
import { verify } from "@agon/engine/replay/verify.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { Console, Effect, Terminal } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { parseJson, readBytes } from "../files.ts"
import { jsonFlag, urlFlag } from "../Service.ts"
import { fetchReplay, isMatch, readMatch } from "./replay/fetchReplay.ts"
import { show, viewsOf } from "./replay/show.ts"

const DELAY_MS = 120
const DIGITS_SHOWN = 8
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", linux: "xdg-open" }

/** By the programs that desktops have; where there is none, the printed address is left. */
const openPage = (address: string) =>
  Effect.sync(() => {
    const opener = OPENERS[process.platform]
    if (opener === undefined) return
    const child = spawn(opener, [address], { stdio: "ignore", detached: true })
    child.on("error", () => undefined)
    child.unref()
  })

const readFrom = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
  const value = yield* parseJson(name, bytes)
  const check = verify(value)
  const read = readReplay(value)
  if (check.ok && read.ok) return read.replay
  const [{ message, path } = { message: "cannot be read", path: "" }] = check.ok ? [] : check.problems
  return yield* new CouldNotRun({
    message: `${name} is no replay of a match by the rules: ${path === "" ? "the replay" : path} ${message}.`
  })
})

export const watch = Command.make(
  "watch",
  {
    match: Argument.String("MATCH|REPLAY").pipe(Argument.withDescription("Id of a match, the address of its page, or a replay's file")),
    url: urlFlag,
    delay_ms: Flag.Int("delay-ms").pipe(Flag.withDescription("Milliseconds between turns on a terminal"), Flag.withDefault(DELAY_MS)),
    open: Flag.Boolean("open").pipe(
      Flag.withDescription("Print the address of the match's page, and on a terminal open it in a browser"),
      Flag.withDefault(false)
    ),
    json: jsonFlag
  },
  Effect.fn(function* (given) {
    const isOfService = isMatch(given.match)
    if (given.open) {
      const { id, url } = yield* readMatch(given.match, given.url)
      const address = `${url}/matches/${id}`
      yield* Console.log(given.json ? JSON.stringify({ match: id, address }) : address)
      return (yield* (yield* Terminal.Terminal).columns) > 0 ? yield* openPage(address) : undefined
    }
    const fetched = isOfService
      ? yield* Effect.flatMap(readMatch(given.match, given.url), ({ id, url }) => fetchReplay(url, id))
      : undefined
    const replay = yield* readFrom(given.match, fetched?.bytes ?? (yield* readBytes(given.match)))
    const names =
      fetched?.match.seats.toSorted((a, b) => a.seat - b.seat).map(({ model }) => model) ??
      replay.seats.map(({ weights_sha256 }) => weights_sha256.slice(0, DIGITS_SHOWN))
    if (given.json) for (const view of viewsOf(replay)) yield* Console.log(JSON.stringify(view))
    else yield* show(replay, names, given.delay_ms)
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
