/**
 * One of the servers that `../http.ts` compares: `node server.ts KIND PORT SUBJECT`.
 *
 *   bare           node:http, ready bytes                fastify        Fastify, ready bytes
 *   json           node:http, JSON.stringify an answer   fastify-json   Fastify, an object an answer
 *   fastify-schema  Fastify, an object an answer, written by the route's schema
 *   sql-pg, pg     node:http, the service's statements through @effect/sql-pg or pg, the page made of the rows, JSON.stringify
 *   cached         the service as it is                  behind         its cache asked by the middleware, not by the front
 *   page           the same in front of a site, which listens at the next port (../pages.ts)
 *   page-anew      the same, and nothing is kept: each read is answered from the database, and each page has changed
 *   typed          the whole path of a route, answered from memory, never cached
 *   postgres       the same over the real reads
 */
import "@agon/api/program/heap.ts"
import "effect/schema/SchemaJITCompiler/enable"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { Api } from "@agon/api/Api.ts"
import { Cached, CacheTags } from "@agon/api/Boundary.ts"
import { Leaderboard } from "@agon/api/leaderboard/api.ts"
import { Accounts } from "@agon/server/account/Accounts.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import * as Authorization from "@agon/server/account/level/Authorization.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { Words } from "@agon/server/account/Words.ts"
import { Games } from "@agon/server/game/Games.ts"
import { GameHandlers } from "@agon/server/game/http.ts"
import { makeRoutes, serve } from "@agon/server/Http.ts"
import * as Boundary from "@agon/server/http/Boundary.ts"
import * as JsonBody from "@agon/server/http/body/JsonBody.ts"
import { telling } from "@agon/server/http/ClientAddress.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import * as Edge from "@agon/server/http/Edge.ts"
import { RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { Site, type SiteShape } from "@agon/server/http/page/SitePages.ts"
import { LeaderboardHandlers } from "@agon/server/leaderboard/http.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { NodeRuntime } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import fastify from "fastify"
import pg from "pg"
import { noLookups, unlimited, unserved } from "../../support/Web.ts"
import { answerHeaders, flatAnswerHeaders } from "./answerHeaders.ts"
import { read } from "./Subject.ts"

const [, , kind = "", port = "0", file = ""] = process.argv
const subject = read(readFileSync(file, "utf8"))
const { page, season, statements } = subject
const url = Redacted.make(subject.url)
const host = "127.0.0.1"
/** As the service's pool for requests. */
const CONNECTIONS = 10
const TWO_DECIMALS = 100

const bytes = Buffer.from(JSON.stringify(page))

const bare = (body: () => Buffer | string) => {
  const headers = flatAnswerHeaders(bytes)
  createServer((_request, response) => void response.writeHead(200, headers).end(body())).listen(Number(port), host)
}

/** `schema`: of the response, which Fastify compiles. */
const withFastify = (body: () => unknown, schema = {}) => {
  const app = fastify()
  app.get("/*", { schema }, (_request, reply) => reply.headers(answerHeaders).send(body()))
  void app.listen({ port: Number(port), host })
}

/** The response's schema as JSON Schema. */
const responseSchema = () => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Leaderboard)
  return { response: { 200: { ...schema, $defs: definitions } } }
}

const rounded = (figure: number) => Math.round(figure * TWO_DECIMALS) / TWO_DECIMALS
/** The page of the rows, with the arithmetic that nobody is spared and no schema. */
const made = ([found]: ReadonlyArray<any>, rows: ReadonlyArray<any>) => ({
  season: found.slug,
  season_name: found.name,
  closed: found.state === "closed",
  round: found.round,
  total: found.active_versions,
  entries: rows.map(({ mu, sigma, ...row }, i) => ({
    ...row,
    rank: i + 1,
    rating: rounded(1500 + mu),
    deviation: rounded(sigma),
    provisional: sigma > 100 || row.round_matches < 10,
    round_matches: null,
    trend: row.trend === null ? null : rounded(row.trend),
    history: row.history.map((one: number) => rounded(1500 + one))
  })),
  next_cursor: String(rows.length)
})

const overRows = (rows: (answer: (body: string) => void) => void) =>
  createServer((_request, response) =>
    rows((body) => void response.writeHead(200, { ...answerHeaders, "Content-Length": Buffer.byteLength(body) }).end(body))
  ).listen(Number(port), host)

const overPg = () => {
  const pool = new pg.Pool({ connectionString: subject.url, max: CONNECTIONS })
  pool.on("error", (error) => console.error(error))
  const ask = ({ params, text }: (typeof statements)[number], i: number) => pool.query({ name: `s${i}`, text, values: [...params] })
  overRows(async (answer) => {
    const found = await ask(statements[0]!, 0)
    const rows = await ask(statements[1]!, 1)
    answer(JSON.stringify(made(found.rows, rows.rows)))
  })
}

const overSqlPg = async () => {
  const runtime = ManagedRuntime.make(PgClient.layer({ url, maxConnections: CONNECTIONS }))
  const sql = await runtime.runPromise(PgClient.PgClient)
  const [first, second] = statements.map(({ params, text }) => sql.unsafe(text, params))
  const both = Effect.flatMap(first!, (found) => Effect.map(second!, (rows) => JSON.stringify(made(found, rows))))
  overRows((answer) => void Effect.runFork(Effect.map(both, answer)))
}

const others = unserved("leaderboard", "game", "account")
/** A site asks for the ways to sign in and for the game's name once a minute where it is told, else every second or for each page. */
const account = AccountHandlers.pipe(Layer.provide(Layer.merge(Providers.layer([]), Layer.mock(SignIn, {}))))
const uncached = Layer.succeed(
  Cached,
  Cached.of((httpEffect) => Effect.provideService(httpEffect, CacheTags, new Set<string>()))
)
const Handlers = Layer.mergeAll(LeaderboardHandlers, GameHandlers, account, others)
const Uncached = HttpApiBuilder.layer(Api).pipe(
  Layer.provide(Handlers.pipe(Layer.provide(Layer.mergeAll(Authorization.layer, Boundary.layer, JsonBody.layer, uncached)))),
  Layer.merge(Edge.layer)
)
const Reads = Layer.mergeAll(Leaderboards.layer, Games.layer).pipe(Layer.provideMerge(Seasons.layer))
const Memory = Layer.mergeAll(
  Layer.mock(Seasons, { find: () => Effect.succeed(season) }),
  Layer.mock(Leaderboards, { page: () => Effect.succeed(page) }),
  Layer.mock(Games, {})
)
/** A cache that the front never hits. */
const Behind = Layer.effect(
  ResponseCache,
  Effect.map(ResponseCache, (cache) => ({ ...cache, getUnsafe: () => undefined }))
).pipe(Layer.provide(ResponseCache.layer))

/** Nothing is kept, as where every answer has just been purged. */
const Purged = Layer.effect(
  ResponseCache,
  Effect.tap(ResponseCache, ({ keeping }) => keeping(false))
).pipe(Layer.provide(ResponseCache.layer))

const service = (
  routes: Layer.Layer<never, any, any>,
  reads: Layer.Layer<Seasons | Leaderboards | Games, any, any>,
  cache = ResponseCache.layer,
  site?: SiteShape
) => {
  const core = Accounts.layer.pipe(Layer.provideMerge(Words.layer), Layer.provideMerge(Layer.merge(cache, RateLimits.layer(unlimited))))
  const all = serve({ host, port: Number(port) }, routes).pipe(
    Layer.provide(reads),
    Layer.provide(noLookups),
    Layer.provide(core),
    Layer.provide(Layer.succeed(Site, site)),
    Layer.provide(PgClient.layer({ url, maxConnections: CONNECTIONS }))
  ) as Layer.Layer<any, any>
  NodeRuntime.runMain(Layer.launch(all))
}

/** The bench starts it. */
const site: SiteShape = { at: () => ({ host, port: Number(port) + 1 }), told: telling(Redacted.make("bench")) }

const kinds: Record<string, () => unknown> = {
  bare: () => bare(() => bytes),
  json: () => bare(() => JSON.stringify(page)),
  fastify: () => withFastify(() => bytes),
  "fastify-json": () => withFastify(() => page),
  "fastify-schema": () => withFastify(() => page, responseSchema()),
  pg: overPg,
  "sql-pg": overSqlPg,
  cached: () => service(makeRoutes(Handlers as any), Reads),
  behind: () => service(makeRoutes(Handlers as any), Reads, Behind),
  page: () => service(makeRoutes(Handlers as any), Reads, ResponseCache.layer, site),
  "page-anew": () => service(makeRoutes(Handlers as any), Reads, Purged, site),
  typed: () => service(Uncached, Memory),
  postgres: () => service(Uncached, Reads)
}
process.on("SIGTERM", () => process.exit(0)) // so that a profile is written
kinds[kind]!()
