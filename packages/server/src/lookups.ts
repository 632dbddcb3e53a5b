/** What the levels ask of the features, joined (http/Lookups.ts). */
import { Effect, Layer } from "effect"
import { Users } from "./admin/Users.ts"
import { Comments } from "./community/Comments.ts"
import { Moderation } from "./community/Moderation.ts"
import { registered } from "./game/registered.ts"
import { Lookups } from "./http/Lookups.ts"
import { Matches } from "./match/Matches.ts"
import { Models } from "./model/Models.ts"
import { RunnerKeys } from "./runner/RunnerKeys.ts"
import { makeInSeason } from "./season/inSeason.ts"
import { Seasons } from "./season/Seasons.ts"
import { Versions } from "./version/Versions.ts"

export const LookupsLayer = Layer.effect(
  Lookups,
  Effect.gen(function* () {
    const comments = yield* Comments
    const moderation = yield* Moderation
    const keys = yield* RunnerKeys
    const matches = yield* Matches
    const models = yield* Models
    const seasons = yield* Seasons
    const users = yield* Users
    const versions = yield* Versions
    return {
      game: (slug) => Effect.asVoid(registered(slug)),
      seasonForAdmin: seasons.forAdmin,
      inSeason: yield* makeInSeason,
      modelOwnedBy: models.ownedBy,
      versionOwnedBy: versions.ownedBy,
      matchOwnedBy: matches.ownedBy,
      inCommunity: (account_id, kind, id) => {
        if (kind === "comment") return comments.readableBy(account_id, id)
        return kind === "thread" ? moderation.hasThread(id) : moderation.hasComment(id)
      },
      account: users.isThere,
      runnerByKey: keys.byKey
    }
  })
)
