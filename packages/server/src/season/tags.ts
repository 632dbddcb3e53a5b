/**
 * The names under which shared answers are kept, and which of them an event of a season purges (docs/contract.md#caching).
 *
 *   seasonTag    every answer made from something of the season: purged when an actor has claimed it, a round has begun or
 *                it is over
 *   recordTag    what shows the season record, whose counters move with every match, version and board
 *   settingsTag  what shows something of the season's rules and classes beside the record
 *   namesTag     what shows names of models that play in the season
 *   ladderTag    what shows the order of one ladder: leaderboard, podium, the ranks on a version's page
 *   matchesTag   lists of the season's matches, and boards, which count them
 *   boardsTag    lists of the season's boards
 *   modelTag, versionTag, matchTag    what shows that one thing
 *   gameTag      what depends on which season of the game is featured
 *   everywhereTag    lists of matches that search every season
 *   playedTag    those of them that no model or version names
 *   unseenTag    what may come to show a season that it does not show yet, and changes with no list of matches
 *
 * So a rated match leaves alone: other ladders, the details of other matches, and pages of versions of other ladders.
 */
import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { SeasonName, Told } from "../actor/SeasonEvents.ts"

export const seasonTag = (season_id: string) => `season:${season_id}`
export const recordTag = (season_id: string) => `record:${season_id}`
export const settingsTag = (season_id: string) => `settings:${season_id}`
export const namesTag = (season_id: string) => `names:${season_id}`
export const ladderTag = (season_id: string, ladder: string) => `ladder:${season_id}:${ladder}`
export const matchesTag = (season_id: string) => `matches:${season_id}`
export const boardsTag = (season_id: string) => `boards:${season_id}`
export const modelTag = (model_id: string) => `model:${model_id}`
export const versionTag = (version_id: string) => `version:${version_id}`
export const matchTag = (match_id: string) => `match:${match_id}`
export const gameTag = (game: string) => `game:${game}`
export const everywhereTag = "everywhere"
export const playedTag = "played"
export const unseenTag = "unseen"

const laddersTags = (season_id: string) => LADDERS.map((ladder) => ladderTag(season_id, ladder))

/** Of one commit: some fifty rated matches. Most of what is kept of the season shows one of them by then. */
const TAGS_MAX = 512

/** What the events of a commit make untrue; of many of them, anything of the season. */
export const purgedByAll = (season: SeasonName, events: ReadonlyArray<Told>): ReadonlyArray<string> => {
  const tags = new Set<string>()
  for (const event of events) {
    for (const tag of purgedBy(season, event)) tags.add(tag)
    if (tags.size > TAGS_MAX) return purgedByClaim(season)
  }
  return [...tags]
}

/** What an event makes untrue. */
export const purgedBy = ({ game, id }: SeasonName, event: Told): ReadonlyArray<string> => {
  switch (event._tag) {
    case "MatchRated":
      return [
        ...event.ladders.map((ladder) => ladderTag(id, ladder)),
        ...[recordTag(id), matchesTag(id), playedTag, matchTag(event.match)],
        ...event.models.map(modelTag),
        ...event.versions.map(versionTag)
      ]
    case "RatingsWritten":
      return [...event.ladders.map((ladder) => ladderTag(id, ladder)), ...event.models.map(modelTag), ...event.versions.map(versionTag)]
    case "MatchEnded":
      return [matchTag(event.match), ...event.models.map(modelTag), ...event.versions.map(versionTag)]
    case "VersionMoved": {
      const moves = event.change === "entered" || event.change === "superseded" || event.change === "disabled"
      if (event.change === "suspended" || event.change === "reinstated") return [versionTag(event.version)]
      if (!moves) return [recordTag(id)] // a candidate is counted, and shown to nobody but its owner
      const own = [recordTag(id), modelTag(event.model), versionTag(event.version)]
      // A trial is listed from the moment its candidate has entered.
      return [...own, ...laddersTags(id), matchesTag(id), everywhereTag]
    }
    case "BoardChanged":
      return [recordTag(id), boardsTag(id)]
    case "SeasonChanged": // a season that is edited is scheduled, and shows no matches yet
      return [recordTag(id), settingsTag(id), gameTag(game)]
    case "RoundStarted":
    case "SeasonClosed":
      return [seasonTag(id), gameTag(game)]
    case "MatchVoided": // later matches and every ladder may read otherwise
      return [seasonTag(id), gameTag(game), everywhereTag, playedTag, unseenTag, matchTag(event.match), ...event.versions.map(versionTag)]
    case "WorkAppeared":
      return []
  }
}

/** Anything of the season may have changed unseen: for `SeasonEvents.claimed`. */
export const purgedByClaim = ({ game, id }: SeasonName): ReadonlyArray<string> => [seasonTag(id), gameTag(game), everywhereTag, unseenTag]
