/**
 * The look-ups of the levels of account/level/Authorization.ts. Each feature's service implements its part;
 * the program joins them into this one record, so that http/ depends on no feature.
 */

import type {
  KeyOfRunner,
  ModelInPath,
  SeasonInPath,
  SignedIn,
  UnknownGame,
  UnknownSeason,
  VersionInPath
} from "@agon/api/Authorization.ts"
import { Context, type Effect, type Option } from "effect"

/** The thing inside a season that a path names. */
export type NameInSeason =
  | { readonly map_id: string }
  | { readonly baseline: string }
  | { readonly version: string }
  | { readonly match: string }
  | { readonly webhook: string }
  | { readonly n: string }

/**
 * A readable comment, a comment that its author has not deleted, a thread, an announcement or post by administrators, and a submitted
 * story; all but the first are looked up for moderators only.
 */
export type InCommunity = "comment" | "undeleted" | "thread" | "announcement" | "post" | "story"

/** A season that the account may see, and whether it administers it (platform administrators do). */
export interface SeasonForAdmin extends SeasonInPath {
  readonly administers: boolean
}

export class Lookups extends Context.Service<
  Lookups,
  {
    /** Fails where the service is built without the game. */
    readonly game: (slug: string) => Effect.Effect<void, UnknownGame>
    /** Unknown game, then unknown season; a private season that the account may not see is unknown. */
    readonly seasonForAdmin: (account: SignedIn, game: string, slug: string) => Effect.Effect<SeasonForAdmin, UnknownGame | UnknownSeason>
    /** Whether the season has it; false for a malformed name. */
    readonly inSeason: (season_id: string, name: NameInSeason) => Effect.Effect<boolean>
    /** None also where `id` is no UUID. */
    readonly modelOwnedBy: (account_id: string, id: string) => Effect.Effect<Option.Option<ModelInPath>>
    /** None also where `id` is no UUID. */
    readonly versionOwnedBy: (account_id: string, id: string) => Effect.Effect<Option.Option<VersionInPath>>
    /** Whether the account has a seat in the match; false where `id` is no UUID. */
    readonly matchOwnedBy: (account_id: string, id: string) => Effect.Effect<boolean>
    /** Whether the account has the webhook; false where `id` is no UUID. */
    readonly webhookOwnedBy: (account_id: string, id: string) => Effect.Effect<boolean>
    /** Whether it exists and the account may see it; false where `id` is no UUID, or no slug for a post. */
    readonly inCommunity: (account_id: string, kind: InCommunity, id: string) => Effect.Effect<boolean>
    /** Whether there is an account of this username. */
    readonly account: (username: string) => Effect.Effect<boolean>
    /** By the whole secret (`agon_rk_...`); none for a revoked key. */
    readonly runnerByKey: (secret: string) => Effect.Effect<Option.Option<KeyOfRunner>>
  }
>()("agon/Lookups") {}
