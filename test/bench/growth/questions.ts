/** Reads of the API whose rows are matches, or come from them, each as a visitor or a signed-in account asks. */
import { Accounts } from "@agon/server/account/Accounts.ts"
import { Users } from "@agon/server/admin/Users.ts"
import { Boards } from "@agon/server/board/Boards.ts"
import { Comments } from "@agon/server/comment/Comments.ts"
import { Moderation } from "@agon/server/comment/Moderation.ts"
import { Threads } from "@agon/server/comment/Threads.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import type { Asked } from "@agon/server/match/list/listing.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Models } from "@agon/server/model/Models.ts"
import { Coincidences } from "@agon/server/season/Coincidences.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import type { FoundSeason } from "@agon/server/season/seasonRecord.ts"
import { Effect } from "effect"
import { id, seasonId, versionNumber } from "../../support/ManyRows.ts"

export type Reads = Accounts | Boards | Coincidences | Comments | Leaderboards | Matches | Models | Moderation | Seasons | Threads | Users

export interface Question {
  readonly name: string
  readonly ask: Effect.Effect<unknown, unknown, Reads>
}

const FIRST = { limit: 25, cursor: 0 }
const SORTS = ["newest", "longest", "closest", "upset", "discussed"] as const
const model = id("model", 101)
const [met, other] = [id("model", 102), id("model", 1800)]
const version = id("version", versionNumber(1, 101))
const owner = "owner50"
const account = { id: id("account", 50), session_id: "", username: owner, admin: false }
const since = new Date(Date.parse("2026-11-01T00:00:00Z") - 86_400_000).toISOString()

type Filter = Partial<Asked>

const ofSeason: ReadonlyArray<Filter> = [
  ...[{}, { ladder: "open" }, { ladder: "nano" }, { ladder: "large" }, { class: "micro" }, { class: "large" }],
  ...[{ map: "board-3" }, { map: "old" }, { map: "none" }, { players_min: 4 }, { players_max: 2 }, { since }, { top: 10 }, { top: 1 }],
  ...[
    { ladder: "nano", map: "board-3" },
    { ladder: "large", map: "board-3" },
    { ladder: "open", top: 100 }
  ],
  ...[
    { class: "large", map: "old" },
    { class: "micro", players_min: 3, players_max: 4 },
    { map: "board-3", since }
  ]
] as ReadonlyArray<Filter>

const ofSide: ReadonlyArray<Filter> = [
  ...[{ model }, { version }, { owner }, { vs: `${model},${met}` }, { vs: `${model},${other}` }],
  ...[
    { model, season: "big", game: "snakes" },
    { model, outcome: "win" },
    { model, outcome: "draw" },
    { owner, outcome: "loss" }
  ],
  ...[
    { owner, ladder: "open" },
    { model, since },
    { model, map: "board-3" },
    { model, map: "old" },
    { version, class: "large" }
  ],
  { model, players_min: 8 }
] as ReadonlyArray<Filter>

const named = (filter: Filter) =>
  Object.entries(filter)
    .map(([key, value]) => `${key}=${key === "vs" ? (String(value).endsWith(other) ? "far" : "near") : String(value).slice(0, 10)}`)
    .map((part) => part.replace(/=0196.*/, ""))
    .join(" ")

const list = (filter: Filter, sort: Asked["sort"], cursor = 0): Question => ({
  name: `matches ${sort}${cursor === 0 ? "" : ` from ${cursor}`}: ${named(filter)}`,
  ask: Effect.flatMap(Matches, ({ list }) => list({ ...filter, sort, limit: 25, cursor }, null))
})

const inSeason = <A, E, R>(read: (season: FoundSeason) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Seasons, ({ find }) => Effect.flatMap(find("snakes", "big", null), read))

export interface Some {
  /** A match on a board that was soon out of play, and one of the last. */
  readonly early: string
  readonly late: string
}

const others = ({ early, late }: Some): ReadonlyArray<Question> => [
  { name: "match", ask: Effect.flatMap(Matches, ({ get }) => get(late, null)) },
  { name: "related: a late match", ask: Effect.flatMap(Matches, ({ related }) => related(late, null)) },
  { name: "related: an early match", ask: Effect.flatMap(Matches, ({ related }) => related(early, null)) },
  { name: "own matches", ask: Effect.flatMap(Matches, ({ own }) => own(account, undefined, FIRST)) },
  { name: "own matches of a game", ask: Effect.flatMap(Matches, ({ own }) => own(account, "snakes", FIRST)) },
  { name: "own matches from 500", ask: Effect.flatMap(Matches, ({ own }) => own(account, undefined, { limit: 25, cursor: 500 })) },
  { name: "model", ask: Effect.flatMap(Models, ({ get }) => get(model, null)) },
  { name: "record: open", ask: Effect.flatMap(Models, ({ season }) => season(model, "big", "open", null)) },
  { name: "record: nano", ask: Effect.flatMap(Models, ({ season }) => season(model, "big", "nano", null)) },
  { name: "record: last season", ask: Effect.flatMap(Models, ({ season }) => season(model, "last", "open", null)) },
  { name: "rivals", ask: Effect.flatMap(Models, ({ rivals }) => rivals(model, FIRST, null)) },
  { name: "maps of a model", ask: Effect.flatMap(Models, ({ maps }) => maps(model, "big", null)) },
  {
    name: "leaderboard",
    ask: inSeason((season) => Effect.flatMap(Leaderboards, ({ page }) => page(season, "open", { limit: 50, cursor: 0 })))
  },
  { name: "leaderboard: nano", ask: inSeason((season) => Effect.flatMap(Leaderboards, ({ page }) => page(season, "nano", FIRST))) },
  { name: "series", ask: inSeason((season) => Effect.flatMap(Leaderboards, ({ series }) => series(season, "open"))) },
  { name: "matrix", ask: inSeason((season) => Effect.flatMap(Leaderboards, ({ matrix }) => matrix(season, "open", 20))) },
  { name: "podium", ask: inSeason((season) => Effect.flatMap(Seasons, ({ podium }) => podium(season))) },
  { name: "seasons", ask: Effect.flatMap(Seasons, ({ list }) => list("snakes", null)) },
  { name: "boards", ask: Effect.flatMap(Boards, ({ list }) => list(seasonId(1), { enabled: false, boards: false })) },
  { name: "thread of a match", ask: Effect.flatMap(Threads, ({ read }) => read({ match: late }, FIRST, null)) },
  { name: "profile", ask: Effect.flatMap(Accounts, ({ profile }) => profile(owner)) },
  { name: "comments of an owner", ask: Effect.flatMap(Comments, ({ ofAuthor }) => ofAuthor(owner, FIRST)) },
  { name: "comments that wait", ask: Effect.flatMap(Moderation, ({ list }) => list("pending", FIRST)) },
  { name: "comments reported", ask: Effect.flatMap(Moderation, ({ list }) => list("reported", FIRST)) },
  { name: "threads", ask: Effect.flatMap(Moderation, ({ threads }) => threads(FIRST)) },
  { name: "users", ask: Effect.flatMap(Users, ({ list }) => list(undefined, FIRST)) },
  { name: "coincidences", ask: Effect.flatMap(Coincidences, ({ of }) => of(seasonId(1))) }
]

const deep: ReadonlyArray<Question> = [100, 500].flatMap((cursor) =>
  [{}, { ladder: "nano" }, { map: "old" }, { map: "board-3" }, { model }, { owner }, { model, outcome: "draw" }].flatMap((filter) =>
    (["newest", "longest"] as const).map((sort) => list(filter as Filter, sort, cursor))
  )
)

export const questionsOf = (some: Some): ReadonlyArray<Question> => [
  ...others(some),
  ...ofSeason.flatMap((filter) => SORTS.map((sort) => list(filter, sort))),
  ...ofSide.flatMap((filter) => SORTS.map((sort) => list(filter, sort))),
  ...deep
]
