/**
 * `agon watch MATCH|REPLAY`: shows a service's match, or a replay's file, turn by turn. `--open` leads
 * to the match's page instead.
 */
import { spawn } from "node:child_process"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Terminal } from "effect"
import { Command, Flag } from "effect/cli"
import { jsonFlag, urlFlag } from "../Service.ts"
import { pageOf, readMatch } from "./replay/fetchReplay.ts"
import { readReplay, replayArgument } from "./replay/readReplay.ts"
import { delayFlag, show, viewsOf } from "./replay/show.ts"

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

export const watch = Command.make(
  "watch",
  {
    match: replayArgument,
    url: urlFlag,
    delay_ms: delayFlag,
    open: Flag.Boolean("open").pipe(
      Flag.withDescription("Print the address of the match's page, and on a terminal open it in a browser"),
      Flag.withDefault(false)
    ),
    json: jsonFlag
  },
  Effect.fn(function* (given) {
    if (given.open) {
      const { id, pages, url } = yield* readMatch(given.match, given.url)
      const address = pages === undefined ? yield* pageOf(url, id) : `${url}${pages}/${id}`
      yield* Console.log(given.json ? JSON.stringify({ match: id, address }) : address)
      return (yield* (yield* Terminal.Terminal).columns) > 0 ? yield* openPage(address) : undefined
    }
    const { names, replay } = yield* readReplay(given.match, given.url)
    if (given.json) for (const view of viewsOf(replay)) yield* Console.log(JSON.stringify(view))
    else yield* show(replay, names, given.delay_ms)
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
