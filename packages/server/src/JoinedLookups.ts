/** The look-ups of the auth guards, joined from the features (http/Lookups.ts). */
import { Effect, Layer } from "effect"
import { Users } from "./admin/Users.ts"
import { Comments } from "./comment/Comments.ts"
import { Moderation } from "./comment/Moderation.ts"
import { type InCommunity, Lookups } from "./http/Lookups.ts"
import { Matches } from "./match/Matches.ts"
import { Models } from "./model/Models.ts"
import { Webhooks } from "./notification/webhook/Webhooks.ts"
import { RunnerKeys } from "./runner/key/RunnerKeys.ts"
import { makeInSeason } from "./season/inSeason.ts"
import { registered } from "./season/registered.ts"
import { Seasons } from "./season/Seasons.ts"
import { Versions } from "./version/Versions.ts"
import { Announcements } from "./writing/Announcements.ts"
import { Posts } from "./writing/Posts.ts"
import { Stories } from "./writing/Stories.ts"

type There = (id: string, account_id: string) => Effect.Effect<boolean>

const makeInCommunity = Effect.gen(function* () {
  const announcements = yield* Announcements
  const comments = yield* Comments
  const moderation = yield* Moderation
  const posts = yield* Posts
  const stories = yield* Stories
  const there: Readonly<Record<InCommunity, There>> = {
    comment: (id, account_id) => comments.readableBy(account_id, id),
    undeleted: moderation.hasComment,
    thread: moderation.hasThread,
    announcement: announcements.has,
    post: posts.has,
    story: stories.has
  }
  return (account_id: string, kind: InCommunity, id: string) => there[kind](id, account_id)
})

export const layer = Layer.effect(
  Lookups,
  Effect.gen(function* () {
    const keys = yield* RunnerKeys
    const matches = yield* Matches
    const models = yield* Models
    const seasons = yield* Seasons
    const users = yield* Users
    const versions = yield* Versions
    const webhooks = yield* Webhooks
    return {
      game: (slug) => Effect.asVoid(registered(slug)),
      seasonForAdmin: seasons.forAdmin,
      inSeason: yield* makeInSeason,
      modelOwnedBy: models.ownedBy,
      versionOwnedBy: versions.ownedBy,
      matchOwnedBy: matches.ownedBy,
      webhookOwnedBy: webhooks.ownedBy,
      inCommunity: yield* makeInCommunity,
      account: users.isThere,
      runnerByKey: keys.byKey
    }
  })
)
