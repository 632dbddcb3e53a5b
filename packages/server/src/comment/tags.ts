/**
 * The cache tags of answers that show comments or count them.
 *
 *   threadTag               a thread, by the id of its match or model
 *   authoredTag             the comments of one competitor
 *   discussedTag            lists of the season's matches, whose cards count comments
 *   discussedAnywhereTag    lists of matches that are not of one season
 */
import type { Subject } from "@agon/api/comment/Comment.ts"
import { matchTag } from "../http/cache/tags.ts"

export const threadTag = (subject_id: string) => `thread:${subject_id}`
export const authoredTag = (username: string) => `authored:${username}`
export const discussedTag = (season_id: string) => `discussed:${season_id}`
export const discussedAnywhereTag = "discussed"

/** The subject of a thread, by its columns. */
export interface Place {
  readonly match_id: string | null
  readonly model_id: string | null
  readonly season_id: string | null
}

export const subjectOf = ({ match_id, model_id }: Omit<Place, "season_id">): Subject =>
  match_id === null ? { kind: "model", id: model_id! } : { kind: "match", id: match_id }

/** The tags that a comment invalidates when it appears or goes. */
export const purgedByComment = (place: Place, username: string): ReadonlyArray<string> => {
  const { match_id, season_id } = place
  const own = [threadTag(subjectOf(place).id), authoredTag(username)]
  return match_id === null ? own : [...own, matchTag(match_id), discussedTag(season_id!), discussedAnywhereTag]
}
