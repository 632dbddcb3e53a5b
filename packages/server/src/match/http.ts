import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { discussedAnywhereTag, discussedTag } from "../comment/tags.ts"
import { everywhereTag, gameTag, matchesTag, matchTag, modelTag, namesTag, playedTag, seasonTag, versionTag } from "../http/tags.ts"
import { firstGame, gamesBefore } from "../season/registered.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { viewer } from "../season/viewer.ts"
import type { Asked } from "./listing.ts"
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

export const MatchHandlers = HttpApiBuilder.group(
  Api,
  "match",
  Effect.fnUntraced(function* (handlers) {
    const matches = yield* Matches
    return handlers.handleAll({
      matches: Effect.fnUntraced(function* ({ query }) {
        const asked = query as Asked
        const { list, season } = yield* matches.list(asked, null)
        yield* tagged(...tagsOfList(asked, season))
        return list
      }),
      match: Effect.fnUntraced(function* ({ params }) {
        const { match, season_id } = yield* matches.get(params.id, null)
        yield* tagged(seasonTag(season_id), namesTag(season_id), matchTag(match.id))
        return match
      }),
      frame: Effect.fnUntraced(function* ({ params }) {
        const { frame, season_id } = yield* matches.frame(params.id, null)
        yield* tagged(seasonTag(season_id), namesTag(season_id), matchTag(frame.match))
        return frame
      }),
      related: Effect.fnUntraced(function* ({ params }) {
        const { list, models, season_id } = yield* matches.related(params.id, null)
        const lists = [everywhereTag, discussedAnywhereTag, seasonTag(season_id), matchesTag(season_id)]
        yield* tagged(...lists, matchTag(params.id), ...models.map(modelTag))
        return list
      }),
      privateMatches: Effect.fnUntraced(function* ({ query }) {
        return (yield* matches.list(query as Asked, yield* viewer)).list
      }),
      privateMatch: Effect.fnUntraced(function* ({ params }) {
        return (yield* matches.get(params.id, yield* viewer)).match
      }),
      privateFrame: Effect.fnUntraced(function* ({ params }) {
        return (yield* matches.frame(params.id, yield* viewer)).frame
      }),
      privateRelated: Effect.fnUntraced(function* ({ params }) {
        return (yield* matches.related(params.id, yield* viewer)).list
      }),
      ownMatch: Effect.fnUntraced(function* ({ params }) {
        return yield* matches.ownOne(yield* CurrentAccount, params.id)
      }),
      ownMatches: ({ query }) => Effect.flatMap(CurrentAccount, (account) => matches.own(account, query.game, query))
    })
  })
)
