/**
 * The HTTP side over a real database, called without a socket (`layer`) or on a port (`overSocket`). A test brings
 * the handlers and services that it is about; every other group answers 500, so that routing, levels and
 * documents are those of the whole API. `root` (administrator), `ada` and `bob` are signed in with the
 * tokens `root-token` and so on.
 */

import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { Api } from "@agon/api/Api.ts"
import { UnknownSeason } from "@agon/api/Authorization.ts"
import { Accounts } from "@agon/server/account/Accounts.ts"
import { Words } from "@agon/server/account/Words.ts"
import { type AllHandlers, MaxBody, makeRoutes, serve } from "@agon/server/Http.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { routing } from "@agon/server/http/Edge.ts"
import { Lookups } from "@agon/server/http/Lookups.ts"
import { RateLimits, type Table, table } from "@agon/server/http/limit/RateLimits.ts"
import { registered } from "@agon/server/season/registered.ts"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { HttpEffect, HttpRouter, HttpServer, type HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { assertDeclared } from "./Declared.ts"
import * as Postgres from "./Postgres.ts"

export interface Call {
  readonly method?: string
  /** Whose session the call carries. */
  readonly as?: string
  readonly json?: unknown
  readonly body?: string
  /** A body that is no text. */
  readonly bytes?: Uint8Array
  /** Undefined takes a header away. */
  readonly headers?: Record<string, string | undefined>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: any
}

const publicOriginOfTests = "http://localhost:8080"

export class Web extends Context.Service<Web, { readonly call: (path: string, call?: Call) => Effect.Effect<Answered> }>()("test/Web") {
  static readonly layer = <E, R>(routes: Layer.Layer<never, E, R>) =>
    Layer.effect(
      Web,
      Effect.gen(function* () {
        const app = yield* Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, routing)
        const handler = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(
          (yield* Effect.context<never>()) as any
        )(app as any)
        return { call: (path, call = {}) => Effect.promise(() => answer(handler(requestOf(path, call)))) }
      })
    )
}

const requestOf = (path: string, { as, body, bytes, headers = {}, json, method = "GET" }: Call) => {
  const sends = json !== undefined || body !== undefined || bytes !== undefined
  const all = {
    cookie: as === undefined ? undefined : `service_session=${as}-token`,
    "content-type": sends ? "application/json" : undefined,
    ...headers
  }
  return new Request(`${publicOriginOfTests}${path}`, {
    method,
    headers: Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
    ...(sends ? { body: Buffer.from(bytes ?? body ?? JSON.stringify(json)) } : {}) // a string would bring a type of its own
  })
}

const decoded = (body: Buffer, coding: string | null) => {
  if (coding === "br") return brotliDecompressSync(body).toString()
  return (coding === "gzip" ? gunzipSync(body) : body).toString()
}

const answer = async (pending: Promise<Response>): Promise<Answered> => {
  const response = await pending
  const text = decoded(Buffer.from(await response.arrayBuffer()), response.headers.get("content-encoding"))
  const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== ""
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
}

/** One call in the test's Web, whose answer must be one that the route declares. */
export const call = (...args: Parameters<Web["Service"]["call"]>) => {
  const [path, { method = "GET" } = {}] = args
  return Effect.tap(callAnyhow(...args), (said) => Effect.sync(() => assertDeclared(method, path, said)))
}

/** The same for those who look at the answer themselves. */
export const callAnyhow = (...args: Parameters<Web["Service"]["call"]>) => Effect.flatMap(Web, (web) => web.call(...args))

/** Rates so high that a test which is not about them never meets them. */
export const unlimited = Object.fromEntries(Object.keys(table).map((rate) => [rate, { per_s: 1e6, burst: 1e6 }])) as unknown as Table

/** The handler of an endpoint that a test does not call, beside others of its group. */
export const uncalled = () => Effect.die(new Error("not called here"))

type GroupName = keyof (typeof Api)["groups"]

/** Handlers that fail, for every group but these. */
export const unserved = (...served: ReadonlyArray<GroupName>): Layer.Layer<AllHandlers> => {
  const others = (Object.keys(Api.groups) as Array<GroupName>).filter((name) => !served.includes(name))
  const fails = others.map((name) =>
    HttpApiBuilder.group(Api as any, name as never, (handlers: any) => {
      const endpoints = Object.keys((Api.groups as any)[name].endpoints)
      return endpoints.reduce((all, endpoint) => all.handle(endpoint, () => Effect.die(new Error(`${name} is not served here`))), handlers)
    })
  )
  return fails.reduce((all, one) => Layer.merge(all, one as never), Layer.empty as Layer.Layer<any>) as Layer.Layer<AllHandlers>
}

/** Lookups that find nothing but the games, for tests that are not about seasons, models, versions and keys. */
export const noLookups = Layer.succeed(Lookups, {
  game: (slug) => Effect.asVoid(registered(slug)),
  seasonForAdmin: (_account, game, slug) => Effect.fail(new UnknownSeason({ detail: `${game} has no season ${slug}.` })),
  inSeason: () => Effect.succeed(false),
  modelOwnedBy: () => Effect.succeed(Option.none()),
  versionOwnedBy: () => Effect.succeed(Option.none()),
  matchOwnedBy: () => Effect.succeed(false),
  webhookOwnedBy: () => Effect.succeed(false),
  inCommunity: () => Effect.succeed(false),
  account: () => Effect.succeed(false),
  runnerByKey: () => Effect.succeed(Option.none())
})

/** Accounts root, ada and bob, each with a session that never expires. */
export const seedAccounts = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    WITH a AS (
      INSERT INTO account (id, username, display_name, admin, created_at)
      SELECT gen_random_uuid(), name, initcap(name), name = 'root', '2026-01-01' FROM unnest(ARRAY['root', 'ada', 'bob']) name
      RETURNING id, username)
    INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
    SELECT gen_random_uuid(), id, sha256(convert_to(username || '-token', 'UTF8')), '2026-01-01', '2026-01-01', '2099-01-01' FROM a`
)

/** Services that levels and handlers of accounts need, over the database; rates are those of the test. */
export const core = (rates: Table = unlimited, database: Layer.Layer<SqlClient.SqlClient, any> = Postgres.layer({ migrate: true })) =>
  Accounts.layer.pipe(
    Layer.provideMerge(Words.layer),
    Layer.provideMerge(Layer.mergeAll(ResponseCache.layer, RateLimits.layer(rates))),
    Layer.provideMerge(Layer.effectDiscard(seedAccounts)),
    Layer.provideMerge(database)
  )

export interface Options<E, R> {
  /** Handlers of the groups that the test names in `served`; the others fail. */
  readonly handlers: Layer.Layer<any, E, R>
  readonly served: ReadonlyArray<GroupName>
  readonly rates?: Table
}

/**
 * Web, SqlClient, ResponseCache and the rest of `core`. The caller provides Lookups, and the services that the
 * handlers need besides, with `Layer.provide`.
 */
export const layer = <E, R>({ handlers, rates, served }: Options<E, R>) =>
  Web.layer(makeRoutes(Layer.merge(handlers, unserved(...served)) as Layer.Layer<AllHandlers, E, R>)).pipe(
    Layer.provide([MaxBody, HttpServer.layerServices]),
    Layer.provideMerge(core(rates))
  )

export interface SocketOptions extends Partial<Options<any, any>> {
  /** Without these no season, model, version or key is found. */
  readonly lookups?: Layer.Layer<Lookups, any, any>
  readonly database?: Layer.Layer<SqlClient.SqlClient, any>
  /** Where the test has to know it beforehand; any that is free otherwise. */
  readonly port?: number
}

/** The same on a port of loopback, for tests of bytes, connections and crowds; the handlers' services are `core`. */
export const overSocket = ({ database, handlers, lookups = noLookups, port = 0, rates, served = [] }: SocketOptions = {}) => {
  const all = handlers === undefined ? unserved() : Layer.merge(handlers, unserved(...served))
  return serve({ host: "127.0.0.1", port }, makeRoutes(all as Layer.Layer<AllHandlers, any, any>)).pipe(
    Layer.provide(lookups),
    Layer.provideMerge(core(rates, database))
  ) as Layer.Layer<HttpServer.HttpServer | ResponseCache | SqlClient.SqlClient>
}

/** Of the service over a socket. */
export const port = Effect.map(HttpServer.HttpServer, ({ address }) => (address as { readonly port: number }).port)
