/** The tags of an answer that shows versions: ranks change with the whole ladder, the rest with the version. */
import { ladderTag, modelTag, seasonTag, settingsTag, versionTag } from "../http/cache/tags.ts"
import type { ReadVersion } from "./Versions.ts"

export const tagsOfVersion = ({ season_id, version }: ReadVersion): ReadonlyArray<string> => [
  seasonTag(season_id),
  settingsTag(season_id),
  modelTag(version.model_id),
  versionTag(version.version_id),
  ...Object.entries(version.ratings).flatMap(([ladder, { rank }]) => (rank === null ? [] : [ladderTag(season_id, ladder)]))
]
