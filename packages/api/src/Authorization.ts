/**
 * Who may call a route. An endpoint names its level, an auth guard, with one `.middleware(Level)`; the level runs
 * before params, query and body are decoded, and passes the rows that it has looked up on to the handler.
 * Order inside a level: authentication, origin, the account's rate bucket, existence, role.
 * Endpoints without a level are public.
 */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { NotFound, Problem, RateLimited } from "./Problem.ts"

export class Unauthenticated extends Problem<Unauthenticated>()("unauthenticated", 401, "Sign in first") {}
export class CrossOrigin extends Problem<CrossOrigin>()("cross_origin", 403, "Cross-origin request") {}
export class AdminOnly extends Problem<AdminOnly>()("admin_only", 403, "Platform administrators only") {}
export class SeasonAdminOnly extends Problem<SeasonAdminOnly>()("season_admin_only", 403, "Season administrators only") {}
export class UnknownGame extends Problem<UnknownGame>()("unknown_game", 404, "No such game") {}
export class UnknownSeason extends Problem<UnknownSeason>()("unknown_season", 404, "No such season") {}

/** The account behind a session. */
export interface SignedIn {
  readonly id: string
  readonly session_id: string
  readonly username: string
  readonly admin: boolean
}
export interface SeasonInPath {
  readonly id: string
  readonly game: string
  readonly slug: string
}
export interface ModelInPath {
  readonly id: string
  readonly game: string
}
export interface VersionInPath {
  readonly id: string
}
/** The key behind a runner's call; `season_id` is null for a key of the platform's fleet. */
export interface KeyOfRunner {
  readonly id: string
  readonly season_id: string | null
}

export class CurrentAccount extends Context.Service<CurrentAccount, SignedIn>()("agon/CurrentAccount") {}
export class Visitor extends Context.Service<Visitor, SignedIn | undefined>()("agon/Visitor") {}
export class CurrentSeason extends Context.Service<CurrentSeason, SeasonInPath>()("agon/CurrentSeason") {}
export class OwnModel extends Context.Service<OwnModel, ModelInPath>()("agon/OwnModel") {}
export class OwnVersion extends Context.Service<OwnVersion, VersionInPath>()("agon/OwnVersion") {}
export class CurrentKey extends Context.Service<CurrentKey, KeyOfRunner>()("agon/CurrentKey") {}

export const sessionCookie = HttpApiSecurity.apiKey({ in: "cookie", key: "service_session" })
const security = { session: sessionCookie }
const signedIn = [Unauthenticated, CrossOrigin, RateLimited] as const

/** Any signed-in account. */
export class Session extends HttpApiMiddleware.Service<Session, { provides: CurrentAccount }>()("agon/Session", {
  security,
  error: signedIn
}) {}

/** Optional: a session shows more; a bad cookie counts as no session. */
export class OptionalSession extends HttpApiMiddleware.Service<OptionalSession, { provides: Visitor }>()("agon/OptionalSession", {
  security,
  error: RateLimited
}) {}

/** A write that everybody may make: with a cookie it is refused to pages of another origin, like every other write. */
export class SameOrigin extends HttpApiMiddleware.Service<SameOrigin>()("agon/SameOrigin", { error: CrossOrigin }) {}

/**
 * A write that signs in: refused to pages of another origin with or without a cookie, or they could sign a
 * visitor in as somebody else.
 */
export class OwnOrigin extends HttpApiMiddleware.Service<OwnOrigin>()("agon/OwnOrigin", { error: CrossOrigin }) {}

/** Accounts with `admin`; the role is checked before existence. */
export class PlatformAdmin extends HttpApiMiddleware.Service<PlatformAdmin, { provides: CurrentAccount }>()("agon/PlatformAdmin", {
  security,
  error: [...signedIn, AdminOnly]
}) {}

/** Administrators of the season in the path (`:game`, `:slug`) and of the platform; existence before role. */
export class SeasonAdmin extends HttpApiMiddleware.Service<SeasonAdmin, { provides: CurrentAccount | CurrentSeason }>()(
  "agon/SeasonAdmin",
  { security, error: [...signedIn, UnknownGame, UnknownSeason, SeasonAdminOnly] }
) {}

/**
 * The game in the path (`:game`) of a route that takes a body; inside `Session` or
 * `PlatformAdmin`, whose role comes first.
 */
export class NamedGame extends HttpApiMiddleware.Service<NamedGame>()("agon/NamedGame", { error: UnknownGame }) {}

/**
 * The season in the path (`:game`, `:slug`) of a platform administrator's route; inside
 * `PlatformAdmin`, whose role comes first.
 */
export class NamedSeason extends HttpApiMiddleware.Service<NamedSeason, { provides: CurrentSeason; requires: CurrentAccount }>()(
  "agon/NamedSeason",
  { error: [UnknownGame, UnknownSeason] }
) {}

/**
 * The resource in the season that the path names (`:map_id`, `:baseline`, `:n`, a version, match or webhook
 * by `:id`) exists; looked up before a body is read.
 */
export class InSeason extends HttpApiMiddleware.Service<InSeason, { requires: CurrentSeason }>()("agon/InSeason", { error: NotFound }) {}

/** A comment that the account may read, in the path (`:id`); looked up before a body is read, like the next two. */
export class NamedComment extends HttpApiMiddleware.Service<NamedComment, { requires: CurrentAccount }>()("agon/NamedComment", {
  error: NotFound
}) {}

/** A comment in any state, unless its author has deleted it. */
export class UndeletedComment extends HttpApiMiddleware.Service<UndeletedComment, { requires: CurrentAccount }>()("agon/UndeletedComment", {
  error: NotFound
}) {}

/** A thread that somebody has started. */
export class NamedThread extends HttpApiMiddleware.Service<NamedThread, { requires: CurrentAccount }>()("agon/NamedThread", {
  error: NotFound
}) {}

/** An announcement in the path (`:id`), whether shown now or not. */
export class NamedAnnouncement extends HttpApiMiddleware.Service<NamedAnnouncement, { requires: CurrentAccount }>()(
  "agon/NamedAnnouncement",
  { error: NotFound }
) {}

/** A post, published or not, in the path (`:slug`). */
export class NamedPost extends HttpApiMiddleware.Service<NamedPost, { requires: CurrentAccount }>()("agon/NamedPost", {
  error: NotFound
}) {}

/** A model's story (`:model`) with a submitted text. */
export class NamedStory extends HttpApiMiddleware.Service<NamedStory, { requires: CurrentAccount }>()("agon/NamedStory", {
  error: NotFound
}) {}

/** A webhook of the account's own, in the path (`:id`). */
export class NamedWebhook extends HttpApiMiddleware.Service<NamedWebhook, { requires: CurrentAccount }>()("agon/NamedWebhook", {
  error: NotFound
}) {}

/** The account in the path (`:username`) of a platform administrator's route; looked up before a body is read. */
export class NamedAccount extends HttpApiMiddleware.Service<NamedAccount, { requires: CurrentAccount }>()("agon/NamedAccount", {
  error: NotFound
}) {}

/** The owner of the model in the path (`:id`); to anyone else it does not exist. */
export class ModelOwner extends HttpApiMiddleware.Service<ModelOwner, { provides: CurrentAccount | OwnModel }>()("agon/ModelOwner", {
  security,
  error: [...signedIn, NotFound]
}) {}

/** The owner of the version in the path (`:id`), in any state; to anyone else it does not exist. */
export class VersionOwner extends HttpApiMiddleware.Service<VersionOwner, { provides: CurrentAccount | OwnVersion }>()(
  "agon/VersionOwner",
  { security, error: [...signedIn, NotFound] }
) {}

/** An owner of a seat in the match in the path (`:id`), in any state; to anyone else it does not exist. */
export class MatchOwner extends HttpApiMiddleware.Service<MatchOwner, { provides: CurrentAccount }>()("agon/MatchOwner", {
  security,
  error: [...signedIn, NotFound]
}) {}

/** A runner, by `Authorization: Bearer <runner key>`; a revoked key is answered like an unknown one. */
export class RunnerKey extends HttpApiMiddleware.Service<RunnerKey, { provides: CurrentKey }>()("agon/RunnerKey", {
  security: { key: HttpApiSecurity.bearer },
  error: [Unauthenticated, RateLimited]
}) {}
