import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { discussedAnywhereTag, discussedTag } from "../comment/tags.ts"
import { everywhereTag, gameTag, matchesTag, matchTag, modelTag, namesTag, playedTag, seasonTag, versionTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { twinsOf } from "../http/twins.ts"
import { firstGame, gamesBefore } from "../season/registered.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import type { Asked } from "./list/listing.ts"
import { Matches } from "./Matches.ts"

/** The tags of a list: its season's matches, or those of the side that it names, wherever they are played. */
const tagsOfList = ({ game, model, season, version, vs }: Asked, found: FoundSeason | null) => {
  if (found !== null) {
    // A season of that slug may be created later in a game that is searched first.
    const others = season === undefined ? [game ?? firstGame] : game === undefined ? gamesBefore(found.record.game) : []
    return [seasonTag(found.id), namesTag(found.id), matchesTag(found.id), discussedTag(found.id), ...others.map(gameTag)]
  }
  if (version !== undefined) return [everywhereTag, discussedAnywhereTag, versionTag(version)]
  const models = model ?? vs?.split(",")[0]
  return [everywhereTag, discussedAnywhereTag, models === undefined ? playedTag : modelTag(models)]
}

export const MatchHandlers = group(
  Api,
  "match",
  Effect.fnUntraced(function* (handlers) {
    const matches = yield* Matches
    const { twins } = twinsOf(handlers)
    return handlers.handleAll({
      ...twins(
        "matches",
        Effect.fnUntraced(function* ({ query }, { tagged, viewer }) {
          const asked = query as Asked
          const { list, season } = yield* matches.list(asked, viewer)
          yield* tagged(...tagsOfList(asked, season))
          return list
        })
      ),
      ...twins(
        "match",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          const { match, season_id } = yield* matches.get(params.id, viewer)
          yield* tagged(seasonTag(season_id), namesTag(season_id), matchTag(match.id))
          return match
        })
      ),
      ...twins(
        "frame",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          const { frame, season_id } = yield* matches.frame(params.id, viewer)
          yield* tagged(seasonTag(season_id), namesTag(season_id), matchTag(frame.match))
          return frame
        })
      ),
      ...twins(
        "related",
        Effect.fnUntraced(function* ({ params }, { tagged, viewer }) {
          const { list, models, season_id } = yield* matches.related(params.id, viewer)
          const lists = [everywhereTag, discussedAnywhereTag, seasonTag(season_id), matchesTag(season_id)]
          yield* tagged(...lists, matchTag(params.id), ...models.map(modelTag))
          return list
        })
      ),
      ownMatch: Effect.fnUntraced(function* ({ params }) {
        return yield* matches.ownOne(yield* CurrentAccount, params.id)
      }),
      ownMatches: ({ query }) => Effect.flatMap(CurrentAccount, (account) => matches.own(account, query.game, query))
    })
  })
)
