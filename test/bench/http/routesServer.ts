/**
 * One of the two servers of `routes.ts`: `node routesServer.ts KIND PORT FILE`.
 *
 *   service   the service's reads over the database, behind its cache, without limits of rate
 *   bare      node:http, the ready bytes of each URL
 */
import "@agon/api/program/heap.ts"
import "effect/schema/SchemaJITCompiler/enable"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { Accounts } from "@agon/server/account/Accounts.ts"
import { Words } from "@agon/server/account/Words.ts"
import { Boards } from "@agon/server/board/Boards.ts"
import { BoardHandlers } from "@agon/server/board/http.ts"
import * as Database from "@agon/server/database/Database.ts"
import { Games } from "@agon/server/game/Games.ts"
import { GameHandlers } from "@agon/server/game/http.ts"
import { makeRoutes, serve } from "@agon/server/Http.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { LeaderboardHandlers } from "@agon/server/leaderboard/http.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { MatchHandlers } from "@agon/server/match/http.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { Forecasts } from "@agon/server/version/Forecasts.ts"
import { VersionHandlers } from "@agon/server/version/http.ts"
import { Versions } from "@agon/server/version/Versions.ts"
import { NodeRuntime } from "@effect/platform-node"
import { Layer, Redacted } from "effect"
import { noLookups, unlimited, unserved } from "../../support/Web.ts"
import { flatAnswerHeaders } from "./answerHeaders.ts"

const [, , kind = "", port = "0", file = ""] = process.argv
const { bodies, url } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly bodies: Readonly<Record<string, string>>
  readonly url: string
}
const listen = { host: "127.0.0.1", port: Number(port) }

const bare = () => {
  const ready = new Map(
    Object.entries(bodies).map(([path, text]) => {
      const body = Buffer.from(text)
      return [path, { body, headers: flatAnswerHeaders(body) }]
    })
  )
  createServer((request, response) => {
    const { body, headers } = ready.get(request.url!)!
    response.writeHead(200, headers).end(body)
  }).listen(listen.port, listen.host)
}

const Handlers = Layer.mergeAll(
  ...[BoardHandlers, GameHandlers, LeaderboardHandlers, MatchHandlers, VersionHandlers],
  unserved("board", "game", "leaderboard", "match", "version")
)
const Reads = Layer.mergeAll(
  ...[Boards.layer, Games.layer, Leaderboards.layer],
  Matches.layer.pipe(Layer.provide(Layer.mock(Replays, {}))),
  Layer.mock(Forecasts, {}), // reads of its own versions are not measured here
  Versions.layer
).pipe(Layer.provideMerge(Seasons.layer))

const service = () => {
  const core = Accounts.layer.pipe(
    Layer.provideMerge(Words.layer),
    Layer.provideMerge(Layer.merge(ResponseCache.layer, RateLimits.layer(unlimited)))
  )
  const all = serve(listen, makeRoutes(Handlers as any)).pipe(
    Layer.provide(Reads),
    Layer.provide(noLookups),
    Layer.provide(core),
    Layer.provide(Database.layerPools({ url: Redacted.make(url) }))
  ) as Layer.Layer<any, any>
  NodeRuntime.runMain(Layer.launch(all))
}

process.on("SIGTERM", () => process.exit(0))
if (kind === "bare") bare()
else service()
