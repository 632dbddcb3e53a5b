/**
 * The names under which shared answers of seasons are kept (docs/contract.md#caching).
 *
 *   seasonTag    every answer made from data of the season: purged when an actor has claimed it, a round has begun or it is over
 *   recordTag    answers with the season record, whose counters move with every match, version and board
 *   settingsTag  answers with some of the season's rules and classes beside the record
 *   namesTag     answers with names of models that play in the season
 *   ladderTag    answers with the order of one ladder: leaderboard, podium, the ranks on a version's page
 *   matchesTag   lists of the season's matches, and boards, which count them
 *   datasetsTag  lists of the season's files
 *   boardsTag    lists of the season's boards
 *   modelTag, versionTag, matchTag    answers with that one thing
 *   gameTag      answers that depend on which season of the game is featured
 *   everywhereTag    lists of matches that search every season
 *   playedTag    those of them without a filter by model or version
 *   unseenTag    answers that may later include a season that they do not include yet, and that no list of matches changes
 */

export const seasonTag = (season_id: string) => `season:${season_id}`
export const recordTag = (season_id: string) => `record:${season_id}`
export const settingsTag = (season_id: string) => `settings:${season_id}`
export const namesTag = (season_id: string) => `names:${season_id}`
export const ladderTag = (season_id: string, ladder: string) => `ladder:${season_id}:${ladder}`
export const matchesTag = (season_id: string) => `matches:${season_id}`
export const datasetsTag = (season_id: string) => `datasets:${season_id}`
export const boardsTag = (season_id: string) => `boards:${season_id}`
export const modelTag = (model_id: string) => `model:${model_id}`
export const versionTag = (version_id: string) => `version:${version_id}`
export const matchTag = (match_id: string) => `match:${match_id}`
export const gameTag = (game: string) => `game:${game}`
export const everywhereTag = "everywhere"
export const playedTag = "played"
export const unseenTag = "unseen"
