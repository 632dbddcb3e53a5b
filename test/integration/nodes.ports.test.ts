/**
 * The answers of each port of a node: the public one nothing of the nodes' and no metrics, the nodes' one nothing of the API and nobody
 * without the credential, and with certificates nobody without one that the nodes' authority has signed.
 */

import { readFileSync } from "node:fs"
import { request as overTls, type RequestOptions } from "node:https"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { directAsks } from "@agon/server/actor/DirectAsks.ts"
import type { NodeTls } from "@agon/server/config/nodeTls.ts"
import { secretIn } from "@agon/server/config/Secrets.ts"
import { nodesCredential } from "@agon/server/node/credential.ts"
import { ASKS_PATH } from "@agon/server/node/PeerLink.ts"
import { NODES_PATH } from "@agon/server/node/Peers.ts"
import { strangerTo } from "@agon/server/node/stranger.ts"
import { demoWeightClasses } from "@agon/zoo/zoo.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Metric, Redacted } from "effect"
import { Visitor } from "../e2e/Visitor.ts"
import * as Certificates from "../support/Certificates.ts"
import { freePort } from "../support/freePort.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import * as Postgres from "../support/Postgres.ts"
import { Service, layer as serviceLayer } from "../support/Service.ts"

const LIVE = { excludeTestServices: true, timeout: "60 seconds" } as const
const HOST = "127.0.0.1"
/** A frame that no node would send; whoever reads it at all answers 200. */
const BODY = "x"

interface Told {
  readonly status: number
  readonly text: string
}

const ask = (url: string, init: RequestInit = {}): Effect.Effect<Told> =>
  Effect.promise(async () => {
    const answer = await fetch(url, { redirect: "manual", ...init })
    return { status: answer.status, text: await answer.text() }
  })

const order = (headers: Record<string, string> = {}): RequestInit => ({ method: "POST", body: BODY, headers })

const credentialIn = (directory: string) => nodesCredential(secretIn(directory, "nodes"))

class Alone extends Context.Service<Alone, { readonly nodes: string; readonly metrics: string }>()("test/Alone") {}

const alone = Layer.unwrap(
  Effect.gen(function* () {
    const [node, metrics] = [
      { host: HOST, port: yield* Effect.promise(freePort) },
      { host: HOST, port: yield* Effect.promise(freePort) }
    ]
    return Layer.merge(
      serviceLayer({ node, metrics: { address: metrics, asked: true } }),
      Layer.succeed(Alone, { nodes: `http://${HOST}:${node.port}`, metrics: `http://${HOST}:${metrics.port}` })
    )
  })
)

layer(alone, LIVE)("the ports of a node", (it) => {
  it.effect("answer at the public one nothing of the nodes' and no metrics, with the credential neither", () =>
    Effect.gen(function* () {
      const { directory, origin } = yield* Service
      assert.strictEqual((yield* ask(`${origin}/v1/games`)).status, 200)
      const authorization = credentialIn(directory)
      for (const path of [NODES_PATH, ASKS_PATH, `/${authorization.slice("Bearer ".length)}`, "/metrics"]) {
        for (const init of [{}, order(), order({ authorization })]) {
          const { status, text } = yield* ask(`${origin}${path}`, init)
          assert.deepStrictEqual([status, JSON.parse(text).code], [404, "not_found"], `${init.method ?? "GET"} ${path}`)
        }
      }
    })
  )

  it.effect("answer at the nodes' one nothing of the API, and nobody without the credential", () =>
    Effect.gen(function* () {
      const { nodes } = yield* Alone
      const authorization = credentialIn((yield* Service).directory)
      for (const path of [
        "/",
        "/v1/games",
        "/healthz",
        "/metrics",
        "/docs",
        "/dev-idp/auth",
        "/nodes",
        `${NODES_PATH}/`,
        `${NODES_PATH}?x`
      ]) {
        for (const init of [{}, order({ authorization })])
          assert.deepStrictEqual(yield* ask(`${nodes}${path}`, init), { status: 404, text: "" }, path)
      }
      const token = authorization.slice("Bearer ".length)
      const wrong = [
        undefined,
        "",
        "Bearer",
        token,
        `Basic ${token}`,
        `Bearer ${token.slice(1)}`,
        `${authorization}x`,
        authorization.toUpperCase()
      ]
      for (const path of [NODES_PATH, ASKS_PATH])
        for (const given of wrong) {
          const { status } = yield* ask(`${nodes}${path}`, order(given === undefined ? {} : { authorization: given }))
          assert.strictEqual(status, 401, given ?? "no credential")
        }
      const elsewhere = { method: "POST", headers: { authorization }, body: JSON.stringify({ season: "elsewhere", commands: [] }) }
      for (const init of [elsewhere, { headers: { authorization } }])
        assert.strictEqual((yield* ask(`${nodes}${ASKS_PATH}`, init)).status, 404)
      assert.strictEqual((yield* ask(`${nodes}${NODES_PATH}`, order({ authorization }))).status, 200)
      assert.strictEqual((yield* ask(`${nodes}${NODES_PATH}`, { headers: { authorization } })).status, 404)
    })
  )

  it.effect("answer metrics at an address of their own, and nothing else there", () =>
    Effect.gen(function* () {
      const { metrics } = yield* Alone
      const { status, text } = yield* ask(`${metrics}/metrics`)
      assert.strictEqual(status, 200)
      assert.match(text, /^agon_http_requests_total\{status="2xx"\} [1-9]/m)
      assert.match(text, /^agon_http_request_duration_ms_count [1-9]/m)
      assert.strictEqual((yield* ask(`${metrics}/healthz`)).status, 200)
      for (const path of ["/", "/v1/games", NODES_PATH, "/docs"]) assert.strictEqual((yield* ask(`${metrics}${path}`)).status, 404, path)
      assert.strictEqual((yield* ask(`${metrics}/metrics`, order())).status, 404)
    })
  )
})

const missing = Certificates.missingOpenssl()

class Pair extends Context.Service<
  Pair,
  {
    readonly origins: ReadonlyArray<string>
    readonly ports: ReadonlyArray<number>
    readonly directory: string
    readonly database_url: Redacted.Redacted
    readonly made: Certificates.Certificates
  }
>()("test/Pair") {}

const pair = Layer.effect(
  Pair,
  Effect.gen(function* () {
    const made = yield* Effect.acquireRelease(Effect.sync(Certificates.make), ({ remove }) => Effect.sync(remove))
    const database_url = yield* Postgres.url({ migrate: true })
    const ports = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
    const node = (port: number, over: { readonly directory?: string }) =>
      Layer.build(
        Layer.fresh(serviceLayer({ database_url, node: { host: HOST, port }, node_tls: { ...made.node, ca: made.ca }, ...over }))
      ).pipe(Effect.map(Context.get(Service)))
    const first = yield* node(ports[0]!, {})
    const second = yield* node(ports[1]!, { directory: first.directory }) // the same secrets
    return { made, ports, database_url, directory: first.directory, origins: [first.origin, second.origin] }
  })
)

const season = (n: number) => ({
  ...OPEN_SEASON,
  name: `Season ${n}`,
  slug: `s${n}`,
  weight_classes: demoWeightClasses
})
/** Each lives on one node, so one of the two requests about it goes on to the other. */
const SEASONS = Array.from({ length: 3 }, (_, n) => season(n))

describe.skipIf(missing !== undefined)(`nodes with certificates${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(
    pair,
    LIVE
  )((it) => {
    it.effect("command each other's seasons: a board is added to every season through either node", () =>
      Effect.gen(function* () {
        const { origins } = yield* Pair
        const admin = yield* Effect.promise(() => Visitor.signedIn(origins[0]!, "admin"))
        for (const one of SEASONS) yield* Effect.promise(() => admin.post("/v1/games/snakes/seasons", one))
        const added = Effect.fnUntraced(function* (letter: string) {
          for (const [n, origin] of origins.entries()) {
            for (const { slug } of SEASONS) {
              const board = { ...snakesBoards[0], map_id: `${letter}-${n}` }
              const add = admin.at(origin).ask("POST", `/v1/games/snakes/seasons/${slug}/maps`, board)
              const { json, status } = yield* Effect.promise(() => add)
              assert.include([201, 409], status, JSON.stringify(json)) // 409 where a first try came to its end after all
            }
          }
        })
        yield* added("b") // by the cluster, which then says where each season lives
        const before = (yield* Metric.value(directAsks)).count
        yield* added("c")
        assert.isAtLeast((yield* Metric.value(directAsks)).count - before, SEASONS.length)
        const boards = yield* Effect.promise(() => admin.get("/v1/games/snakes/seasons/s0/maps"))
        assert.sameMembers(
          boards.maps.map(({ map_id }: { readonly map_id: string }) => map_id),
          ["b-0", "b-1", "c-0", "c-1"]
        )
      })
    )

    it.effect("let no other start beside them that they would not understand, with the reason", () =>
      Effect.gen(function* () {
        const { database_url, directory, made, ports } = yield* Pair
        const node = { host: HOST, port: yield* Effect.promise(freePort) }
        const [ca, secret] = [readFileSync(made.ca), secretIn(directory, "nodes")]
        const whyNot = (secret: Redacted.Redacted, tls: NodeTls | undefined) =>
          strangerTo({ node, secret, tls }).pipe(Effect.provide(PgClient.layer({ url: database_url, maxConnections: 1 })))
        assert.isUndefined(yield* whyNot(secret, { ca, ...Certificates.read(made.node) }))
        const all = ports.map((port) => `${HOST}:${port}`)
        const named = yield* whyNot(Redacted.make("x"), { ca, ...Certificates.read(made.node) })
        const [, list] = /^AGON_DATA: its secrets are not those of the nodes that run \((.*)\); copy the files of/.exec(named ?? "") ?? []
        assert.sameMembers(list?.split(", ") ?? [], all, named)
        for (const tls of [undefined, { ca, ...Certificates.read(made.stranger) }])
          assert.match(
            (yield* whyNot(secret, tls)) ?? "",
            /^AGON_NODE_CERT: the node that runs at 127\.0\.0\.1:\d+ and this one do not understand each other \(\w+\); all nodes have/
          )
      })
    )

    it.effect("speak to nobody without a certificate that their authority has signed, and to nobody without TLS", () =>
      Effect.gen(function* () {
        const { directory, made, ports } = yield* Pair
        const headers = { authorization: credentialIn(directory) }
        const ca = readFileSync(made.ca)
        const asked = (options: RequestOptions) => Effect.promise(() => statusOverTls(ports[0]!, { ca, headers, ...options }))
        assert.strictEqual(yield* asked(Certificates.read(made.node)), 200)
        assert.strictEqual(yield* asked({ ...Certificates.read(made.node), headers: { authorization: "Bearer x" } }), 401)
        assert.match(String(yield* asked({})), /ECONNRESET|ECONNABORTED|certificate/i)
        assert.match(String(yield* asked(Certificates.read(made.stranger))), /ECONNRESET|ECONNABORTED|alert|unknown_ca/i)
        const plain = yield* Effect.promise(() =>
          fetch(`http://${HOST}:${ports[0]}${NODES_PATH}`, order(headers)).then(
            () => "answered",
            () => "refused"
          )
        )
        assert.strictEqual(plain, "refused")
      })
    )
  })
})

/** The status, or why there was none. */
const statusOverTls = (port: number, options: RequestOptions) =>
  new Promise<number | string>((resolve) => {
    const asking = overTls({ host: HOST, port, path: NODES_PATH, method: "POST", agent: false, ...options }, (answer) => {
      answer.resume()
      resolve(answer.statusCode!)
    })
    asking.on("error", (error: NodeJS.ErrnoException) => resolve(`${error.code} ${error.message}`))
    asking.end(BODY)
  })
