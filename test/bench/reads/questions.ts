/**
 * Questions to lists of matches and to ladders, and the best statements that somebody would write by hand for each
 * question: with what the tables offer, the same rows and the same total, none of the service's text.
 */
import type { Asked } from "@agon/server/match/list/listing.ts"
import { id, type Size, seasonId, versionNumber } from "../../support/ManyRows.ts"

export interface Said {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

export interface Question {
  readonly name: string
  /** Where the page begins. */
  readonly cursor: number
  /** Answering goes through more rows than the page has: those before it, or those among which few fit. */
  readonly scales: boolean
  /** Each variant asks for another side, which nobody has asked for. */
  readonly side: boolean
  readonly ask: Ask
  /** Variants are asked in turn, so that neither side reads one and the same page all the time. */
  readonly hand: (variant: number) => ReadonlyArray<Said>
}
export type Ask =
  | { readonly of: "matches"; readonly query: (variant: number) => Partial<Asked> }
  | { readonly of: "ladder"; readonly ladder: string; readonly limit: number }

const LIMIT = 25
const LADDER_LIMIT = 50

/**
 * A question about matches in SQL. `from` is where its rows come from, a version `v` and its seats
 * `x` where it speaks of a side.
 */
interface Filter {
  readonly name: string
  readonly query: (variant: number) => Partial<Asked>
  readonly where: string
  readonly params: (variant: number) => ReadonlyArray<unknown>
  readonly side?: true
  /** Every public season. */
  readonly everywhere?: true
}

const cards = `SELECT m.id, s.game, s.slug AS season, m.ladder, m.map_id AS map, m.ladder IS NULL AS is_trial, m.status, m.turns, m.reason,
    m.ended_at AS played_at, (SELECT jsonb_agg(jsonb_build_object('seat', y.seat, 'model_id', y.model_id, 'version_id', y.version_id,
      'model', o.name, 'owner', a.username, 'rank', y.rank, 'score', y.score) ORDER BY y.seat)
      FROM seat y JOIN model o ON o.id = y.model_id LEFT JOIN account a ON a.id = y.owner_id WHERE y.match_id = m.id) AS seats
  FROM page p JOIN match m ON m.id = p.id JOIN season s ON s.id = m.season_id`

const ORDERS: Readonly<Record<Asked["sort"], string>> = {
  newest: "m.ended_at DESC, m.id DESC",
  discussed: "coalesce((SELECT t.comments FROM thread t WHERE t.match_id = m.id), 0) DESC, m.ended_at DESC, m.id DESC",
  longest: "m.turns DESC NULLS LAST, m.ended_at DESC, m.id DESC",
  closest: "m.closeness DESC NULLS LAST, m.ended_at DESC, m.id DESC",
  upset: "m.upset DESC NULLS LAST, m.ended_at DESC, m.id DESC"
}
const passed = `m.status = 'finished' AND m.candidate IS NOT NULL
  AND EXISTS (SELECT 1 FROM version c WHERE c.id = m.candidate AND c.status IN ('entered', 'superseded', 'disabled'))`

/** Trials are listed among the newest, unless a filter speaks of what they do not have. */
const listsTrials = (sort: Asked["sort"], query: Partial<Asked>) =>
  sort === "newest" && query.ladder === undefined && query.top === undefined

const handOf =
  (filter: Filter, sort: Asked["sort"], cursor: number) =>
  (variant: number): ReadonlyArray<Said> => {
    const params = filter.params(variant)
    const query = filter.query(variant)
    const upTo = cursor + LIMIT + 1
    const season = filter.everywhere ? "JOIN season s ON s.id = m.season_id AND s.visibility = 'public'" : ""
    const from = filter.side ? `version v JOIN seat x ON x.version_id = v.id JOIN match m ON m.id = x.match_id ${season}` : "match m"
    const order = filter.side ? ORDERS[sort].replace("m.ended_at", "x.ended_at").replace("m.id", "x.match_id") : ORDERS[sort]
    const distinct = query.owner === undefined ? "" : "DISTINCT"
    const columns = `${distinct} ${filter.side ? "x.match_id AS id, x.ended_at" : "m.id, m.ended_at"}, m.turns, m.closeness, m.upset`
    const branch = (status: string, more: string) =>
      `SELECT ${columns} FROM ${from} WHERE ${status} AND ${filter.where} ORDER BY ${order} ${more}`
    const branches = listsTrials(sort, query) ? ["m.status = 'rated'", passed] : ["m.status = 'rated'"]
    const page =
      branches.length === 1
        ? branch(branches[0]!, `LIMIT ${LIMIT + 1} OFFSET ${cursor}`)
        : `SELECT * FROM (${branches.map((status) => `(${branch(status, `LIMIT ${upTo}`)})`).join(" UNION ALL ")}) m
         ORDER BY m.ended_at DESC, m.id DESC LIMIT ${LIMIT + 1} OFFSET ${cursor}`
    const total =
      filter.name === ""
        ? { text: "SELECT (head->>'rated')::int AS total FROM season WHERE id = $1::uuid", params }
        : {
            text: `SELECT count(${distinct} ${distinct === "" ? "*" : "m.id"})::int AS total FROM ${from} WHERE m.status = 'rated' AND ${filter.where}`,
            params
          }
    const rows = { text: `WITH page AS (${page}) ${cards} ORDER BY ${ORDERS[sort].replaceAll("m.", "p.")}`, params }
    return [
      { text: "SELECT id, slug FROM season WHERE game = 'snakes' AND slug = 'big' AND visibility = 'public'", params: [] },
      total,
      rows
    ]
  }

const big = seasonId(1)
const DAY_MS = 86_400_000

const seasonal = (name: string, query: Partial<Asked>, where: string, ...params: ReadonlyArray<unknown>): Filter => ({
  name,
  query: () => ({ season: "big", ...query }),
  where: `m.season_id = $1::uuid${where === "" ? "" : ` AND ${where}`}`,
  params: () => [big, ...params]
})
const players = (from: number, to: number) =>
  `m.map_id IN (SELECT map_id FROM board WHERE season_id = $1::uuid AND players BETWEEN ${from} AND ${to})`

const SINCE = new Date(Date.parse("2026-11-01T00:00:00Z") - DAY_MS)

/** The filters of section 4.4 of the contract that narrow a season, alone and together. */
const ofSeason: ReadonlyArray<Filter> = [
  seasonal("", {}, ""),
  seasonal("ladder", { ladder: "nano" }, "m.ladder = $2", "nano"),
  seasonal("ladder (few)", { ladder: "large" }, "m.ladder = $2", "large"),
  seasonal("class", { class: "micro" }, "m.classes & 2 <> 0"),
  seasonal("class (few)", { class: "large" }, "m.classes & 16 <> 0"),
  seasonal("map", { map: "board-3" }, "m.map_id = $2", "board-3"),
  seasonal("map (old)", { map: "old" }, "m.map_id = $2", "old"),
  seasonal("players_min", { players_min: 4 }, players(4, 8)),
  seasonal("players_max", { players_max: 2 }, players(1, 2)),
  seasonal("since", { since: SINCE.toISOString() }, "m.ended_at >= $2", SINCE),
  seasonal("top", { top: 10 }, "m.best_place <= $2", 10),
  seasonal("ladder, map", { ladder: "nano", map: "board-3" }, "m.ladder = $2 AND m.map_id = $3", "nano", "board-3"),
  seasonal("ladder, top", { ladder: "open", top: 100 }, "m.ladder = $2 AND m.best_place <= $3", "open", 100),
  seasonal("class, players", { class: "micro", players_min: 3, players_max: 4 }, `m.classes & 2 <> 0 AND ${players(3, 4)}`),
  seasonal("map, since", { map: "board-3", since: SINCE.toISOString() }, "m.map_id = $2 AND m.ended_at >= $3", "board-3", SINCE)
]

const FIRST_MODEL = 101
const model = (variant: number) => id("model", FIRST_MODEL + 7 * variant)
const version = (variant: number) => id("version", versionNumber(1, FIRST_MODEL + 7 * variant))
const owner = (variant: number) => `owner${Math.floor((FIRST_MODEL + 7 * variant) / 2)}`
const sharesFirst = "EXISTS (SELECT 1 FROM seat z WHERE z.match_id = x.match_id AND z.rank = 1 AND z.seat <> x.seat)"
const ofOwner = "v.owner_id = (SELECT id FROM account WHERE username = $1)"

/** The filters that name a side, alone and together. */
const ofSide: ReadonlyArray<Filter> = [
  {
    name: "model",
    query: (i) => ({ model: model(i) }),
    where: "v.model_id = $1::uuid",
    params: (i) => [model(i)],
    side: true,
    everywhere: true
  },
  {
    name: "version",
    query: (i) => ({ version: version(i) }),
    where: "v.id = $1::uuid",
    params: (i) => [version(i)],
    side: true,
    everywhere: true
  },
  { name: "owner", query: (i) => ({ owner: owner(i) }), where: ofOwner, params: (i) => [owner(i)], side: true, everywhere: true },
  {
    name: "vs",
    query: (i) => ({ vs: `${model(i)},${model(i + 1)}` }),
    where: "v.model_id = $1::uuid AND EXISTS (SELECT 1 FROM seat y WHERE y.match_id = x.match_id AND y.model_id = $2::uuid)",
    params: (i) => [model(i), model(i + 1)],
    side: true,
    everywhere: true
  },
  {
    name: "model, season",
    query: (i) => ({ model: model(i), season: "big" }),
    where: "v.model_id = $1::uuid AND v.season_id = $2::uuid",
    params: (i) => [model(i), big],
    side: true
  },
  {
    name: "model, outcome",
    query: (i) => ({ model: model(i), outcome: "loss" }),
    where: "v.model_id = $1::uuid AND x.rank > 1",
    params: (i) => [model(i)],
    side: true,
    everywhere: true
  },
  {
    name: "model, win",
    query: (i) => ({ model: model(i), outcome: "win" }),
    where: `v.model_id = $1::uuid AND x.rank = 1 AND NOT ${sharesFirst}`,
    params: (i) => [model(i)],
    side: true,
    everywhere: true
  },
  {
    name: "model, draw",
    query: (i) => ({ model: model(i), outcome: "draw" }),
    where: `v.model_id = $1::uuid AND x.rank = 1 AND ${sharesFirst}`,
    params: (i) => [model(i)],
    side: true,
    everywhere: true
  },
  {
    name: "owner, ladder",
    query: (i) => ({ owner: owner(i), ladder: "open" }),
    where: `${ofOwner} AND m.ladder = 'open'`,
    params: (i) => [owner(i)],
    side: true,
    everywhere: true
  },
  {
    name: "model, since",
    query: (i) => ({ model: model(i), since: SINCE.toISOString() }),
    where: "v.model_id = $1::uuid AND x.ended_at >= $2",
    params: (i) => [model(i), SINCE],
    side: true,
    everywhere: true
  }
]

/** Beside each filter under `newest`: each sort alone, and sorts with filters of every kind. */
const SORTED: ReadonlyArray<readonly [Asked["sort"], ReadonlyArray<string>]> = [
  ["longest", ["", "ladder", "map (old)", "class (few)", "top", "model", "owner"]],
  ["closest", ["", "ladder", "map (old)", "class (few)", "top", "model", "owner"]],
  ["upset", ["", "ladder", "map (old)", "class (few)", "top", "model", "owner"]],
  ["discussed", ["", "ladder", "map (old)", "class (few)", "top", "model", "version"]]
]
const DEEP = 5_000
const DEEP_OF_SIDE = 100

const matchesOf = (filter: Filter, sort: Asked["sort"], cursor: number): Question => ({
  name: `matches ${[sort, filter.name].filter((part) => part !== "").join(", ")}`,
  cursor,
  scales: cursor > 0 || /few|old|top/.test(filter.name),
  side: filter.side ?? false,
  ask: { of: "matches", query: (variant) => ({ ...filter.query(variant), sort, limit: LIMIT, cursor }) },
  hand: handOf(filter, sort, cursor)
})

const ladderOf = (ladder: string, cursor: number): Question => ({
  name: `leaderboard ${ladder}`,
  cursor,
  scales: cursor > 0 || ladder !== "open", // the total of a class ladder is counted
  side: false,
  ask: { of: "ladder", ladder, limit: LADDER_LIMIT },
  hand: () => [
    {
      text: "SELECT id, slug, name, closed_at, (head->>'active')::int AS active, rules FROM season WHERE game = 'snakes' AND slug = 'big' AND visibility = 'public'",
      params: []
    },
    ...(ladder === "open"
      ? []
      : [{ text: "SELECT count(*) FROM rating WHERE season_id = $1::uuid AND ladder = $2 AND active", params: [big, ladder] }]),
    {
      text: `SELECT r.version_id, v.model_id, m.name AS model, a.username AS owner, v.number AS version, v.class, v.weights_bytes, v.manifest_bytes,
          r.mu, r.sigma, r.matches, r.round_matches, r.trend, r.history
        FROM (SELECT version_id, mu, sigma, matches, round_matches, trend, history FROM rating
          WHERE season_id = $1::uuid AND ladder = $2 AND active ORDER BY mu DESC, version_id LIMIT ${LADDER_LIMIT} OFFSET ${cursor}) r
        JOIN version v ON v.id = r.version_id JOIN model m ON m.id = v.model_id LEFT JOIN account a ON a.id = m.owner_id
        ORDER BY r.mu DESC, r.version_id`,
      params: [big, ladder]
    }
  ]
})

export const questionsOf = ({ entries }: Size): ReadonlyArray<Question> => {
  const filters = [...ofSeason, ...ofSide]
  const named = (name: string) => filters.find((filter) => filter.name === name)!
  const deep = ({ side }: Filter) => (side ? DEEP_OF_SIDE : DEEP)
  return [
    ...[0, entries / 2, entries - LADDER_LIMIT].map((cursor) => ladderOf("open", cursor)),
    ladderOf("nano", 0),
    ...filters.flatMap((filter) => [0, deep(filter)].map((cursor) => matchesOf(filter, "newest", cursor))),
    ...SORTED.flatMap(([sort, names]) =>
      names.flatMap((name) => [0, deep(named(name))].map((cursor) => matchesOf(named(name), sort, cursor)))
    )
  ]
}
