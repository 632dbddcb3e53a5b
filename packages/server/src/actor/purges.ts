/**
 * The cached answers that an event of a season invalidates, by their tags. A rated match does not invalidate
 * other ladders, the details of other matches, or pages of versions on other ladders.
 */
import type { VersionChange } from "@agon/domain/season/Event.ts"
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
} from "../http/cache/tags.ts"
import type { PublishedEvent, SeasonName } from "./SeasonEvents.ts"

const laddersTags = (season_id: string) => LADDERS.map((ladder) => ladderTag(season_id, ladder))

/** Tags of one commit, about fifty rated matches. Beyond that most cached answers of the season are affected. */
const TAGS_MAX = 512

/** The tags that a commit's events invalidate; where they are many, the tag of the whole season. */
export const purgedByAll = (season: SeasonName, events: ReadonlyArray<PublishedEvent>): ReadonlyArray<string> => {
  const tags = new Set<string>()
  for (const event of events) {
    for (const tag of purgedBy(season, event)) tags.add(tag)
    if (tags.size > TAGS_MAX) return purgedByClaim(season)
  }
  return [...tags]
}

/** Changes of a version that ladders show. */
const MOVES: ReadonlySet<VersionChange> = new Set(["entered", "superseded", "disabled", "disqualified", "reinstated"])

/** The tags that an event invalidates. */
export const purgedBy = (season: SeasonName, event: PublishedEvent): ReadonlyArray<string> => {
  const { game, id } = season
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
      if (event.change === "suspended") return [versionTag(event.version)]
      if (!MOVES.has(event.change)) return [recordTag(id)] // a candidate is counted, but only its owner sees it
      const own = [recordTag(id), modelTag(event.model), versionTag(event.version)]
      // A trial is listed from the moment its candidate has entered.
      return [...own, ...laddersTags(id), matchesTag(id), everywhereTag]
    }
    case "BoardChanged":
      return [recordTag(id), boardsTag(id)]
    case "SeasonChanged": // it opens, closes or is edited, or a round is planned: its matches and ladders stay as they are
      return [recordTag(id), settingsTag(id), gameTag(game)]
    case "RatingsRescaled":
      return purgedByClaim(season)
    case "RoundStarted":
    case "SeasonClosed":
      return [seasonTag(id), gameTag(game)]
    case "MatchVoided": // later matches and every ladder may change
      return [seasonTag(id), gameTag(game), everywhereTag, playedTag, unseenTag, matchTag(event.match), ...event.versions.map(versionTag)]
    case "WorkAppeared":
      return []
  }
}

/** For `SeasonEvents.claimed`: any answer of the season may be out of date. */
export const purgedByClaim = ({ game, id }: SeasonName): ReadonlyArray<string> => [seasonTag(id), gameTag(game), everywhereTag, unseenTag]
