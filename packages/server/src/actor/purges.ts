/**
 * Which shared answers an event of a season makes untrue, by the names that they are kept under. A rated match leaves alone: other ladders, the details of other matches, and pages of versions of other ladders.
 */
import { LADDERS } from "@agon/domain/season/Rules.ts"
import {
  boardsTag,
  everywhereTag,
  gameTag,
  ladderTag,
  matchesTag,
  matchTag,
  modelTag,
  playedTag,
  recordTag,
  seasonTag,
  settingsTag,
  unseenTag,
  versionTag
} from "../http/tags.ts"
import type { SeasonName, Told } from "./SeasonEvents.ts"

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
