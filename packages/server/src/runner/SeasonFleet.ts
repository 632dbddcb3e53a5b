/**
 * A season's own keys and runners, as its administrators manage them, and whether anybody can process its queue. Each
 * write is logged in its transaction; a revoked key's leases are then taken back by the season's actor.
 */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import type { NotFound } from "@agon/api/Problem.ts"
import type { Key, NewKey, Runner } from "@agon/api/runner/api.ts"
import type { Admissions, SeasonKeys } from "@agon/api/runner/season.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { type FleetUse, mayServe } from "@agon/domain/season/Rules.ts"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { PageOf } from "../account/Accounts.ts"
import { auditOf, makeAudits } from "../admin/audits.ts"
import { SEEN_WITHIN_MS } from "../admin/PlatformStatus.ts"
import { SeasonActors } from "../season/SeasonEntity.ts"
import { RunnerKeys } from "./RunnerKeys.ts"

type Write<A, E = never> = (account: SignedIn, season: SeasonInPath, named: string) => Effect.Effect<A, E>

export class SeasonFleet extends Context.Service<
  SeasonFleet,
  {
    readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<SeasonKeys>
    /** By the name that it shall have. */
    readonly create: Write<NewKey>
    /** By id; again it changes nothing. */
    readonly revoke: Write<Key, NotFound>
    /** By the runner's id: no new lease, what it plays is finished. */
    readonly stop: Write<Runner, NotFound>
  }
>()("agon/SeasonFleet") {
  static readonly layer: Layer.Layer<SeasonFleet, never, SqlClient.SqlClient | SeasonActors | RunnerKeys> = Layer.effect(
    SeasonFleet,
    Effect.suspend(() => makeSeasonFleet)
  )
}

const Reach = Schema.Struct({
  queued: Schema.Int,
  use: Schema.Literals(["own", "platform", "both"]),
  own: Schema.Int,
  platform: Schema.Int
})

const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** The season by its primary key, its reviews by review_pkey, and the runners of the last minute by runner_seen. */
  reach: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, seen_after: Schema.Date }),
    Result: Reach,
    execute: ({ season_id, seen_after }) => sql`
      SELECT s.fleet->>'admissions' AS use,
        (SELECT count(*)::int FROM review w WHERE w.season_id = s.id AND w.until IS NULL) AS queued,
        count(r.id) FILTER (WHERE k.season_id = s.id)::int AS own, count(r.id) FILTER (WHERE k.season_id IS NULL)::int AS platform
      FROM season s
      LEFT JOIN (runner r JOIN runner_key k ON k.id = r.key_id AND k.revoked_at IS NULL)
        ON r.state = 'active' AND r.last_seen_at >= ${seen_after} AND 'admission' = ANY (r.accepts)
        AND r.engines @> jsonb_build_array(jsonb_build_object('game', s.game, 'engine_digest', s.engine_digest))
        AND (k.season_id = s.id OR k.season_id IS NULL)
      WHERE s.id = ${season_id} GROUP BY s.id`
  }),

  /** Locks one row by the primary key, whoever's it is; null until it was revoked. */
  lockKey: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ revoked_at: Schema.NullOr(Schema.Date) }),
    execute: (id) => sql`SELECT revoked_at FROM runner_key WHERE id = ${id} FOR NO KEY UPDATE`
  }),

  /** Locks one row by the primary key, whoever's it is. */
  lockRunner: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ state: Schema.String }),
    execute: (id) => sql`SELECT state FROM runner WHERE id = ${id} FOR NO KEY UPDATE`
  })
}))

const makeSeasonFleet = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const audits = yield* makeAudits
  const keys = yield* RunnerKeys
  const queries = yield* makeQueries

  const placeOf = ({ game, id }: SeasonInPath) => ({ game, season_id: id })

  return SeasonFleet.of({
    list: Effect.fn("SeasonFleet.list")(function* (season, page) {
      const seen_after = new Date((yield* Clock.currentTimeMillis) - SEEN_WITHIN_MS)
      const reach = yield* Effect.orDie(queries.reach({ season_id: season.id, seen_after }))
      return { admissions: admissionsOf(reach), ...(yield* keys.list(season.id, page)) }
    }),

    create: Effect.fn("SeasonFleet.create")(function* (account, season, name) {
      const write = keys.create(name, season.id, account.id)
      return yield* audits.logged(placeOf(season), write, ({ id, prefix }) => auditOf(account, "runner-key.create", name, { id, prefix }))
    }),

    revoke: Effect.fn("SeasonFleet.revoke")(function* (account, season, id) {
      const write = Effect.gen(function* () {
        const before = isUuid(id) ? yield* queries.lockKey(id) : Option.none()
        return { fresh: Option.isSome(before) && before.value.revoked_at === null, revoked: yield* keys.end(id, season.id) }
      })
      const { revoked } = yield* audits.logged(placeOf(season), write, ({ fresh, revoked }) =>
        fresh ? auditOf(account, "runner-key.revoke", revoked.name, { id }) : undefined
      )
      // Where the season is closed or away no lease of the key is in force for longer than it lasts anyway.
      yield* Effect.ignore(actors.ask(season.id, { _tag: "RevokeKey", key: id }))
      return revoked
    }),

    stop: Effect.fn("SeasonFleet.stop")(function* (account, season, id) {
      const write = Effect.gen(function* () {
        const before = isUuid(id) ? yield* queries.lockRunner(id) : Option.none()
        return { active: Option.isSome(before) && before.value.state === "active", runner: yield* keys.drain(id, season.id) }
      })
      const { runner } = yield* audits.logged(placeOf(season), write, ({ active, runner }) =>
        active ? auditOf(account, "runner.stop", runner.name, { id }) : undefined
      )
      return runner
    })
  })
})

/** Those runners that the season's choice of fleets lets at its candidates. */
const admissionsOf = ({ own, platform, queued, use }: typeof Reach.Type): Admissions => {
  const counted = (fleet: "own" | "platform", runners: number) => (mayServe(use as FleetUse, fleet) ? runners : 0)
  const [mine, ours] = [counted("own", own), counted("platform", platform)]
  const reach = mine > 0 ? (ours > 0 ? "both" : "own") : ours > 0 ? "platform" : "none"
  return { queued, admitters: mine + ours, reach }
}
