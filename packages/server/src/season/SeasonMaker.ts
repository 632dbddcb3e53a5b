/**
 * Makes seasons: the row with a fresh machine, its administrators and the audit row in one
 * transaction; then its actor wakes.
 */

import type { SignedIn, UnknownGame } from "@agon/api/Authorization.ts"
import { type InvalidRequest, invalidField } from "@agon/api/Problem.ts"
import { type CreateSeason, type RulesInvalid, SeasonExists } from "@agon/api/season/creation.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { isSlug } from "@agon/api/Wire.ts"
import { faultsOfWindow, mergedRules } from "@agon/domain/season/Editing.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { Context, DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { OpenSeasons } from "../actor/OpenSeasons.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { auditOf, makeAuditLog } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { onUnique } from "../database/rows.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { gameTag } from "../http/cache/tags.ts"
import { makeQueries } from "./creationQueries.ts"
import { registered } from "./registered.ts"
import { refusing, rulesOf } from "./rulesOf.ts"
import { Seasons } from "./Seasons.ts"

type Refused = UnknownGame | InvalidRequest | RulesInvalid | SeasonExists

export class SeasonMaker extends Context.Service<
  SeasonMaker,
  { readonly create: (account: SignedIn, game: string, body: CreateSeason) => Effect.Effect<Season, Refused> }
>()("agon/SeasonMaker") {
  static readonly layer: Layer.Layer<SeasonMaker, never, SqlClient.SqlClient | SeasonActors | Seasons | ResponseCache | OpenSeasons> =
    Layer.effect(
      SeasonMaker,
      Effect.suspend(() => makeSeasonMaker)
    )
}

/**
 * How long a creation waits for its season's actor. The season exists by then, and the first caller that
 * finds it starting tries again.
 */
const READY_PATIENCE = Duration.seconds(5)
const READY_PAUSE = Duration.millis(50)

/** After the answer, clients may write to the season at once, through any node. */
const untilReady = (actors: SeasonActors["Service"], season: string) =>
  Effect.andThen(actors.wake(season), actors.ask(season, { _tag: "Tick" })).pipe(
    Effect.retry(Schedule.spaced(READY_PAUSE)),
    Effect.ignore,
    Effect.timeoutOption(READY_PATIENCE),
    Effect.flatMap((ready) => (Option.isSome(ready) ? Effect.void : Effect.logWarning("a new season is not ready yet", { season })))
  )

/** A name as a slug: anything but letters and digits separates words. */
const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64)
    .replace(/-+$/, "")

const NAMED_MAX = 20

const noAccounts = (names: ReadonlyArray<string>): string => {
  const more = names.length - NAMED_MAX
  return `There is no account ${names.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`
}

const checked = Effect.fnUntraced(function* (body: CreateSeason) {
  const slug = body.slug ?? slugOf(body.name)
  if (!isSlug(slug)) return yield* invalidField("slug", "The name gives no slug; name one.")
  const window = { submissions_open_at: Date.parse(body.submissions_open_at), submissions_close_at: Date.parse(body.submissions_close_at) }
  const faults = faultsOfWindow(window)
  if (faults.length > 0) return yield* refusing("invalid_request", faults)
  return { slug, rules: mergedRules(DEFAULT_RULES, yield* rulesOf(body)) }
})

const makeSeasonMaker = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const actors = yield* SeasonActors
  const cache = yield* ResponseCache
  const open = yield* OpenSeasons
  const seasons = yield* Seasons
  const queries = yield* makeQueries

  return SeasonMaker.of({
    create: Effect.fn("SeasonMaker.create")(function* (account, game, body) {
      const { digest } = yield* registered(game)
      const { rules, slug } = yield* checked(body)
      const id = yield* newId
      const now = yield* DateTime.nowAsDate
      const admins = [...new Set(body.admins ?? [])]
      const write = Effect.gen(function* () {
        yield* queries
          .insert({ id, game, slug, digest, rules, body, now })
          .pipe(onUnique("season_slug", () => new SeasonExists({ detail: `${game} has a season ${slug} already.` })))
        const appointed = admins.length === 0 ? [] : yield* queries.appoint(id, admins, now)
        const unknown = admins.filter((name) => appointed.every(({ username }) => username !== name))
        if (unknown.length > 0) return yield* invalidField("admins", noAccounts(unknown))
      })
      const audit = () => auditOf(account, "season.create", slug)
      yield* auditLog.logged({ game, season_id: id }, write, audit).pipe(Effect.ensuring(cache.purge(gameTag(game))))
      yield* open.refresh
      yield* untilReady(actors, id)
      return yield* seasons.written(id)
    })
  })
})
