/**
 * What the levels of account/Authorization.ts ask of the features. Each feature's service implements its part;
 * the program joins them into this one record, so that http/ depends on no feature.
 */
import { Context, type Effect, type Option } from "effect"
import type {
  KeyOfRunner,
  ModelInPath,
  SeasonInPath,
  SignedIn,
  UnknownGame,
  UnknownSeason,
  VersionInPath
} from "@agon/api/Authorization.ts"

/** What a path names inside a season besides its slug. */
export type NameInSeason =
  | { readonly map_id: string }
  | { readonly baseline: string }
  | { readonly version: string }
  | { readonly n: string }

/**
 * A comment that can be read, one that its author has not deleted, a thread, what administrators have written, and a story that was
 * submitted; all but the first are for moderators to ask for.
 */
export type InCommunity = "comment" | "standing" | "thread" | "announcement" | "post" | "story"

/** A season that the account may see, and whether it administers it (platform administrators do). */
export interface SeasonForAdmin extends SeasonInPath {
  readonly administers: boolean
}

export class Lookups extends Context.Service<
  Lookups,
  {
    /** Fails where the service is built without it. */
    readonly game: (slug: string) => Effect.Effect<void, UnknownGame>
    /** Unknown game, then unknown season; a private season that the account may not see is unknown. */
    readonly seasonForAdmin: (account: SignedIn, game: string, slug: string) => Effect.Effect<SeasonForAdmin, UnknownGame | UnknownSeason>
    /** Whether the season has it; a name of no sensible form it has not. */
    readonly inSeason: (season_id: string, name: NameInSeason) => Effect.Effect<boolean>
    /** None also where `id` is no UUID. */
    readonly modelOwnedBy: (account_id: string, id: string) => Effect.Effect<Option.Option<ModelInPath>>
    /** None also where `id` is no UUID. */
    readonly versionOwnedBy: (account_id: string, id: string) => Effect.Effect<Option.Option<VersionInPath>>
    /** Whether the account has a seat in it; not where `id` is no UUID. */
    readonly matchOwnedBy: (account_id: string, id: string) => Effect.Effect<boolean>
    /** Whether there is such a thing of the community for the account's eyes; not where `id` is no UUID, or a post's no slug. */
    readonly inCommunity: (account_id: string, kind: InCommunity, id: string) => Effect.Effect<boolean>
    /** Whether there is an account of this username. */
    readonly account: (username: string) => Effect.Effect<boolean>
    /** By the whole secret (`agon_rk_...`); a revoked key is none. */
    readonly runnerByKey: (secret: string) => Effect.Effect<Option.Option<KeyOfRunner>>
  }
>()("agon/Lookups") {}
