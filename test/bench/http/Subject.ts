/** The input of the compared servers: the page as it is answered, and the statements that made it. */

import type { Leaderboard } from "@agon/api/leaderboard/api.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import type { FoundSeason } from "@agon/server/season/seasonRecord.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection } from "effect/sql"

const GAME = "snakes"
/** Rows of a page, so many that the body has about 9 kB. */
const LIMIT = 20

export interface Said {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

export interface Subject {
  readonly path: string
  readonly url: string
  readonly season: FoundSeason
  readonly page: Leaderboard
  readonly statements: ReadonlyArray<Said>
}

/** Dates do not survive JSON; their place is kept by this key. */
const DATE = "$date"
export const write = (subject: Subject): string =>
  JSON.stringify({
    ...subject,
    statements: subject.statements.map(({ params, text }) => ({
      text,
      params: params.map((one) => (one instanceof Date ? { [DATE]: one.toISOString() } : one))
    }))
  })
export const read = (text: string): Subject =>
  JSON.parse(text, (_, value) => (typeof value === "object" && value !== null && DATE in value ? new Date(value[DATE]) : value))

/** A client that passes statements on and writes them down. */
const listening = (client: PgClient.PgClient, said: Array<Said>) => {
  const pass = (text: string, params: ReadonlyArray<unknown>) => {
    said.push({ text, params })
    return client.unsafe(text, params)
  }
  const connection = { execute: pass, executeUnprepared: pass } as unknown as SqlConnection.Connection
  return SqlClient.make({
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    driver: "listening",
    spanAttributes: []
  })
}

/** Answers the page once, by the service's own reads. */
export const subjectOf = (url: Redacted.Redacted, slug: string, address: string) =>
  Effect.gen(function* () {
    const said: Array<Said> = []
    const client = yield* PgClient.PgClient
    const sql = Layer.effect(SqlClient.SqlClient, listening(client, said)).pipe(Layer.provide(Reactivity.layer))
    const { page, season } = yield* Effect.gen(function* () {
      const season = yield* (yield* Seasons).find(GAME, slug, null)
      return { season, page: yield* (yield* Leaderboards).page(season, "open", { limit: LIMIT, cursor: 0 }) }
    }).pipe(Effect.provide(Layer.mergeAll(Seasons.layer, Leaderboards.layer).pipe(Layer.provide(sql))))
    const path = `/v1/games/${GAME}/leaderboard?season=${slug}&limit=${LIMIT}`
    return { path, url: address, season, page, statements: said } satisfies Subject
  }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
