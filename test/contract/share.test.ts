/**
 * Strangers who ask for what takes long, many of them: people signed in and runners are served meanwhile,
 * and nobody waits without end.
 */

import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { CurrentCallerClass } from "@agon/server/database/CallerClass.ts"
import * as Database from "@agon/server/database/Database.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import * as Postgres from "../support/Postgres.ts"
import { overSocket, port, uncalled } from "../support/Web.ts"

const none = { maps: [], total: 0, next_cursor: null }

const BoardHandlers = HttpApiBuilder.group(
  Api,
  "board",
  Effect.fnUntraced(function* (handlers) {
    const sql = yield* SqlClient.SqlClient
    /** As slow as its name says, or ended by the database. */
    const boards = (slug: string) =>
      slug === "endless"
        ? sql.withTransaction(Effect.andThen(sql`SET LOCAL statement_timeout = '50ms'`, sql`SELECT pg_sleep(60)`))
        : sql`SELECT pg_sleep(3)`
    return handlers.handleAll({
      boards: ({ params }) => Effect.as(Effect.andThen(tagged("boards"), Effect.orDie(boards(params.slug))), none),
      board: uncalled,
      privateBoards: ({ params }) => Effect.as(Effect.orDie(boards(params.slug)), none),
      privateBoard: uncalled
    })
  })
)
const handlers = Layer.mergeAll(
  AccountHandlers.pipe(Layer.provide(Layer.mergeAll(Providers.layer([]), Layer.mock(SignIn, {})))),
  BoardHandlers
)

const database = Layer.unwrap(Effect.map(Postgres.url({ migrate: true }), (url) => Database.layerPools({ url })))
const Served = overSocket({ handlers, served: ["account", "board"], database })

const get = (path: string, cookie = "") =>
  Effect.flatMap(port, (port) =>
    Effect.promise(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text }
    })
  )

const boardsOf = (slug: string) => `/v1/games/snakes/seasons/${slug}/maps`
const connections = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string; n: number }>`
    SELECT application_name AS name, count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3)%' AND state = 'active'
      AND pid <> pg_backend_pid() GROUP BY 1`
)

layer(Served, { excludeTestServices: true })("strangers", (it) => {
  it.effect("of whom a hundred ask for something slow hold three connections, and the others are answered at once", () =>
    Effect.gen(function* () {
      const strangers = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 100 }, (_, i) => i),
          (i) => get(i % 2 === 0 ? boardsOf(`slow-${i}`) : `/v1/private${boardsOf(`slow-${i}`).slice(3)}`),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      const held = yield* Effect.repeat(connections, { until: (rows) => rows.length > 0 })
      assert.deepStrictEqual(
        held.map(({ name }) => name),
        ["agon anonymous"]
      )
      for (let i = 0; i < 3; i++) {
        assert.strictEqual((yield* get("/v1/me", "service_session=ada-token")).status, 200)
        assert.isUndefined(strangers.pollUnsafe(), "sooner than all of those have given way")
        const now = (yield* connections).map(({ n }) => n)
        assert.isAtMost(Math.max(0, ...now), 3)
      }
      const answers = yield* Fiber.join(strangers)
      assert.isAtLeast(answers.filter(({ status }) => status === 200).length, 3)
      for (const { headers, status, text } of answers) {
        if (status === 200) continue
        assert.deepStrictEqual([status, JSON.parse(text).code, headers.get("retry-after")], [503, "unavailable", "1"])
      }
      assert.isAtLeast(answers.filter(({ status }) => status === 503).length, 100 - 3 - 64, "the queue has an end")
    })
  )

  it.effect("are told 503, not 500, where the database ended their statement", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* get(boardsOf("endless"))
      assert.deepStrictEqual([status, JSON.parse(text).code, headers.get("retry-after")], [503, "unavailable", "1"])
      const sql = yield* SqlClient.SqlClient
      const limit = Effect.map(sql<{ statement_timeout: string }>`SHOW statement_timeout`, ([row]) => row!.statement_timeout)
      assert.strictEqual(yield* Effect.provideService(limit, CurrentCallerClass, "anonymous"), "5s")
      assert.strictEqual(yield* limit, "15s")
    })
  )
})
