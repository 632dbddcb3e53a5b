/** Whether a season has the board, baseline, version, match, webhook or round that a path names: checked before the request's body is read. */
import { isSlug, isUuid } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { NameInSeason } from "../http/Lookups.ts"

/** Rounds are numbered from 1, and no season has a million. */
const roundNumber = /^[1-9]\d{0,5}$/

const Found = Schema.Struct({ found: Schema.Boolean })

const lookup = { Request: Schema.Struct({ season_id: Schema.String, name: Schema.String }), Result: Found }

export const makeInSeason = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  /** One row by board_pkey. */
  const board = SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`SELECT EXISTS (SELECT 1 FROM board WHERE season_id = ${season_id} AND map_id = ${name}) AS found`
  })
  /** One row by model_baseline, and one of version_model: a baseline exists from its first version on. */
  const baseline = SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`
      SELECT EXISTS (SELECT 1 FROM model m JOIN version v ON v.model_id = m.id
        WHERE m.baseline_season = ${season_id} AND m.name = ${name}) AS found`
  })
  /** One row by round_pkey. */
  const round = SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) =>
      sql`SELECT EXISTS (SELECT 1 FROM round WHERE season_id = ${season_id} AND n = ${Number(name)}) AS found`
  })

  /** One row by version_pkey. */
  const version = SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`SELECT EXISTS (SELECT 1 FROM version WHERE id = ${name} AND season_id = ${season_id}) AS found`
  })

  /** One row by match_pkey or by live_pkey. */
  const match = SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) => sql`
      SELECT EXISTS (SELECT 1 FROM match WHERE id = ${name} AND season_id = ${season_id})
        OR EXISTS (SELECT 1 FROM live WHERE id = ${name} AND season_id = ${season_id}) AS found`
  })

  /** One row by season_webhook_pkey. */
  const webhook = SqlSchema.findOne({
    ...lookup,
    execute: ({ name, season_id }) =>
      sql`SELECT EXISTS (SELECT 1 FROM season_webhook WHERE season_id = ${season_id} AND webhook_id = ${name}) AS found`
  })

  return (season_id: string, name: NameInSeason): Effect.Effect<boolean> => {
    if ("n" in name) return roundNumber.test(name.n) ? asked(round({ season_id, name: name.n })) : Effect.succeed(false)
    if ("version" in name) return isUuid(name.version) ? asked(version({ season_id, name: name.version })) : Effect.succeed(false)
    if ("match" in name) return isUuid(name.match) ? asked(match({ season_id, name: name.match })) : Effect.succeed(false)
    if ("webhook" in name) return isUuid(name.webhook) ? asked(webhook({ season_id, name: name.webhook })) : Effect.succeed(false)
    const slug = "map_id" in name ? name.map_id : name.baseline
    if (!isSlug(slug)) return Effect.succeed(false)
    return asked("map_id" in name ? board({ season_id, name: slug }) : baseline({ season_id, name: slug }))
  }
})

const asked = <E, R>(row: Effect.Effect<typeof Found.Type, E, R>) => Effect.orDie(row).pipe(Effect.map(({ found }) => found))
