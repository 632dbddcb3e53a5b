/**
 * Changes to an existing season. Settings that the machine uses (window, rules, classes, fleet, fill, the
 * close) change by a command to its actor, which logs it in the same commit and purges; who may enter and
 * which season is featured are plain rows, written with their log row in one transaction and purged after it.
 */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import type { InvalidRequest, Unavailable } from "@agon/api/Problem.ts"
import {
  type EditFill,
  type EditFleet,
  type EditSeason,
  EntryFixed,
  SeasonNotScheduled,
  SeasonPrivate
} from "@agon/api/season/administration.ts"
import type { RulesInvalid } from "@agon/api/season/creation.ts"
import type { Season } from "@agon/api/season/Season.ts"
import type { SeasonClosed } from "@agon/api/version/refusals.ts"
import type { AuditAction } from "@agon/domain/season/Audit.ts"
import type { SettingsPatch } from "@agon/domain/season/Editing.ts"
import { Context, DateTime, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { auditOf, makeAuditLog, placeOf } from "../audit/auditLog.ts"
import { CheckShares } from "../config/CheckShares.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { gameTag, recordTag } from "../http/cache/tags.ts"
import { makeQueries } from "./administrationQueries.ts"
import { refusing, rulesOf } from "./rulesOf.ts"
import { Seasons } from "./Seasons.ts"

type Change<Body, E> = (account: SignedIn, season: SeasonInPath, body: Body) => Effect.Effect<Season, E>

export class SeasonAdministration extends Context.Service<
  SeasonAdministration,
  {
    /** Only while it is scheduled. */
    readonly edit: Change<EditSeason, InvalidRequest | RulesInvalid | SeasonNotScheduled | Unavailable>
    readonly narrowEntry: Change<void, EntryFixed | SeasonNotScheduled>
    readonly feature: Change<void, SeasonPrivate>
    readonly changeFleet: Change<EditFleet, SeasonClosed | Unavailable>
    readonly changeFill: Change<EditFill, SeasonClosed | Unavailable>
    /** Repeating it changes nothing. */
    readonly close: Change<void, Unavailable>
  }
>()("agon/SeasonAdministration") {
  static readonly layer: Layer.Layer<SeasonAdministration, never, SqlClient.SqlClient | SeasonActors | Seasons | ResponseCache> =
    Layer.effect(
      SeasonAdministration,
      Effect.suspend(() => Effect.all([makeCommands, makeRows])).pipe(Effect.map(([commands, rows]) => ({ ...commands, ...rows })))
    )
}

const notScheduled = new SeasonNotScheduled({ detail: "The season is not scheduled any more; it stays as it is." })

/** Changes of settings that the machine uses. */
const makeCommands = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const checks = (yield* CheckShares).replay_check > 0 ? ({ checks: true } as const) : {}
  const seasons = yield* Seasons

  const steer = Effect.fnUntraced(function* (
    account: SignedIn,
    season: SeasonInPath,
    action: AuditAction,
    body: object,
    settings: SettingsPatch
  ) {
    const audit = yield* auditOf(account, action, season.slug, body)
    yield* askedByPerson(actors, season.id, { _tag: "EditSettings", settings, scheduledOnly: false, audit })
    return yield* seasons.written(season.id)
  })

  const commands: Pick<SeasonAdministration["Service"], "edit" | "changeFleet" | "changeFill" | "close"> = {
    edit: Effect.fn("SeasonAdministration.edit")(function* (account, season, body) {
      const settings = yield* patchOf(body)
      const audit = yield* auditOf(account, "season.edit", season.slug, body)
      const reply = yield* askedByPerson(actors, season.id, { _tag: "EditSettings", settings, scheduledOnly: true, audit }).pipe(
        Effect.catchTag("season_closed", () => Effect.fail(notScheduled))
      )
      if ("errors" in reply) return yield* refusing(reply.refused, reply.errors)
      if ("refused" in reply) return yield* notScheduled
      return yield* seasons.written(season.id)
    }),

    changeFleet: Effect.fn("SeasonAdministration.changeFleet")((account, season, body) =>
      steer(account, season, "season.fleet", body, { fleet: body })
    ),

    changeFill: Effect.fn("SeasonAdministration.changeFill")((account, season, body) =>
      steer(account, season, "season.fill", body, { fill: body })
    ),

    close: Effect.fn("SeasonAdministration.close")(function* (account, season) {
      const audit = yield* auditOf(account, "season.close", season.slug)
      const close = askedByPerson(actors, season.id, { _tag: "CloseSeason", ...checks, audit })
      yield* Effect.catchTag(close, "season_closed", () => Effect.void) // the record says when it closed
      return yield* seasons.written(season.id)
    })
  }
  return commands
})

/** Changes of rows that the machine does not use. */
const makeRows = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const seasons = yield* Seasons

  const rows: Pick<SeasonAdministration["Service"], "narrowEntry" | "feature"> = {
    narrowEntry: Effect.fn("SeasonAdministration.narrowEntry")(function* (account, season) {
      const write = Effect.gen(function* () {
        const now = yield* DateTime.nowAsDate
        const { entry, is_public, scheduled } = yield* Effect.orDie(queries.lock({ season_id: season.id, now }))
        if (!is_public || entry === "restricted") {
          return yield* new EntryFixed({ detail: "The season is restricted to its participants already." })
        }
        if (!scheduled) return yield* notScheduled
        yield* queries.narrow(season.id)
      })
      const audit = () => auditOf(account, "season.entry", season.slug, { entry: "restricted" })
      yield* auditLog.logged(placeOf(season), write, audit).pipe(Effect.ensuring(cache.purge(recordTag(season.id))))
      return yield* seasons.written(season.id)
    }),

    feature: Effect.fn("SeasonAdministration.feature")(function* (account, season) {
      const write = Effect.gen(function* () {
        yield* queries.lockGame(season.game)
        const now = yield* DateTime.nowAsDate
        const { featured, is_public } = yield* Effect.orDie(queries.lock({ season_id: season.id, now }))
        if (!is_public) return yield* new SeasonPrivate({ detail: "Only a public season can be featured." })
        if (featured) return false
        yield* queries.unfeature(season.game)
        yield* queries.feature(season.id)
        return true
      })
      const audit = (changed: boolean) => (changed ? auditOf(account, "season.feature", season.slug) : undefined)
      yield* auditLog.logged(placeOf(season), write, audit).pipe(Effect.ensuring(cache.purge(gameTag(season.game))))
      return yield* seasons.written(season.id)
    })
  }
  return rows
})

/** The decoded edit; faults of the rules and classes are reported all at once. */
const patchOf = Effect.fnUntraced(function* ({ rules, submissions_close_at, submissions_open_at, weight_classes }: EditSeason) {
  const read = yield* rulesOf({ ...(rules && { rules }), ...(weight_classes && { weight_classes }) })
  const patch: SettingsPatch = {
    ...(submissions_open_at && { submissions_open_at: Date.parse(submissions_open_at) }),
    ...(submissions_close_at && { submissions_close_at: Date.parse(submissions_close_at) }),
    ...(rules && { rules: read }),
    ...(weight_classes && { weight_classes })
  }
  return patch
})
