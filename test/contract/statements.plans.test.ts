/**
 * Every statement of the service's `queries.ts` files over tables of a competition that has gone on for a while: none reads a
 * large table whole, and none sorts more than a page's worth of rows. A statement that is new is planned with the arguments
 * below, by the names of its parameters; where they do not do it is reported, and gets an entry of its own in `ARGUMENTS`.
 */

import { globSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { PLANNING } from "@agon/server/database/Database.ts"
import type { Asked, Fitting, Listing } from "@agon/server/match/list/listing.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { id, insertRows, seasonId, versionNumber } from "../support/ManyRows.ts"
import { growingParts, indexesOf, type Node, nodesOf, type Planned, planner } from "../support/Plans.ts"
import * as Postgres from "../support/Postgres.ts"

const SIZE = { matches: 50_000, entries: 2_000 }
const LARGE = new Set([
  ...["match", "seat", "rating", "version", "model", "account", "thread", "comment", "story", "discussed_match"],
  ...["notification", "notice", "view_count"]
])
/** Indexes of what waits for a moderator and nothing else, or of all that there is, read in their order as far as the page goes. */
const READ_IN_ORDER = [
  ...["comment_pending", "comment_reported", "account_newest", "thread_newest", "story_pending", "story_public", "story_featured"],
  ...["view_count_pkey", "notice_everybody"]
]
const WAITING = new Set(READ_IN_ORDER.map((index) => `reads all of ${index}`))
/** A notice to everybody says how many they are, and a list of such notices how many it has; intervals of ranks go by a whole ladder. */
const COUNTING = new Set([
  ...["announce reads all of account", "noticeCount reads all of notice"].map((part) => `notification/queries.ts ${part}`),
  "leaderboard/queries.ts groups reads all of rating"
])
/** An entry's matches, of the season and of all; far from all that there are. */
const SORTED_MAX = 1_000

const season_id = seasonId(1)
const model = id("model", 101)
const version = id("version", versionNumber(1, 101))
const account = id("account", 50)
const now = new Date("2026-11-01T00:00:00Z")
const moments = Array.from({ length: 48 }, (_, i) => new Date(now.getTime() - i * 3_600_000).toISOString())

/** Names of a statement's parameters, each with a value that fits the tables. */
const NAMED = {
  ...{ season_id, model_id: model, owner_id: account, account_id: account, viewer: account, key_id: account, match_id: account },
  ...{ game: "snakes", slug: "big", ladder: "open", ladders: ["nano", "open"], map: "board-3", map_id: "board-3", name: "model 101" },
  ...{ version, from: new Date(0), seats: 2_000 },
  ...{
    now,
    at: now,
    since: now,
    until: now,
    leased_at: now,
    seen_after: now,
    seen_before: now,
    points: moments,
    models: [model, id("model", 102)]
  },
  ...{ limit: 25, offset: 0, up_to: 25, after: 0, cap: 5, leases: 5, lease_n: 1, retired: null, bio: null, display_name: null },
  ...{
    enabled_only: false,
    files: false,
    weights_hash: "sha256:w101",
    manifest_hash: "sha256:m101",
    token_sha256: new Uint8Array(32),
    username: "owner50",
    of: "snakes"
  },
  ...{
    match: account,
    provider: "dev",
    login: "owner50",
    subject: "owner50",
    logins: ["owner50"],
    rows: [{ id: account, login: "owner50" }],
    ids: [account],
    key: account
  },
  ...{ on_board: { first: null, last: null } },
  ...{ start: "owner5", part: "wner5", word: "darn", spelled: "Darn", state: "state", expires_at: now, pruned: 20 },
  ...{ thread_id: account, comment_id: account, parent_id: null, body: "text", reason: "text" },
  ...{ title: "text", link: null, starts_at: null, ends_at: null, published_at: null },
  ...{ device_code_sha256: new Uint8Array(32), user_code_sha256: new Uint8Array(32), address_sha256: new Uint8Array(32), approve: true },
  ...{ client_name: "text", interval_s: 5, live_max: 10, address_max: 10, session_id: account },
  ...{ runner: account, state_sha256: "sha256:s", id: account, ended_at: now, created_at: now, n: 1, key_sha256: new Uint8Array(32) }
}

const cut = { limit: 26, offset: 0 }
const fitting: Fitting = { total: SIZE.matches, of: SIZE.matches, span: SIZE.matches, first: null, last: null }
const listing = (query: Partial<Asked> = {}, season: string | null = season_id): Listing => ({
  season_id: season,
  game: null,
  viewer: null,
  query: { sort: "newest", limit: 25, cursor: 0, ...query } as Asked
})
const ofOwner = { owner_id: account, game: null }
const webhooksOf = { kind: "season", id: season_id }
const attempt = { webhook_id: account, id: account, kind: "test", subject: "Hello.", attempts: 0, now }
const told = { subject: "Hello.", link: null }
const seen = ["model", "match", "profile", "season"].map((kind) => ({
  day: "2026-11-01",
  kind,
  game: "",
  id: "x",
  uuid: account,
  views: 3
}))
const created = {
  ...{ name: "New", visibility: "public", entry: "open", providers: [], weight_classes: [], fleet: {} },
  ...{ submissions_open_at: moments[1], submissions_close_at: moments[0] }
}
/** Parameters of a statement that has no names for them, the first with which Postgres can plan it. */
const UNNAMED: ReadonlyArray<ReadonlyArray<unknown>> = [[version], [now], [[version]], [new Uint8Array(32)], [version, "text"], [now, 5]]
const ARGUMENTS: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  "notification/waitingQueries.ts waitingAfter": [{ after: account, limit: 500 }],
  "notification/webhook/webhookDeliveryQueries.ts sweepable": [[account]],
  "writing/announcementQueries.ts add": [NAMED, now],
  "writing/announcementQueries.ts edit": [NAMED],
  "writing/postQueries.ts add": [account, account, NAMED, now],
  "writing/postQueries.ts edit": ["text", NAMED],
  "dataset/queries.ts due": [{ only: null }],
  "dataset/queries.ts voided": [{ season_id, after: 0, mark: 10, through: 30_000, until: now, limit: 200 }],
  "match/retention/retentionQueries.ts remove": [
    { checks: true, datasets: true },
    { season_id, days: 30, now, limit: 500, after: { ended_at: now, id: account } }
  ],
  "match/queries.ts cards": [listing(), cut, fitting],
  "match/queries.ts cardsOfRows": [listing({ model }, null), cut, { ids: [account], last_trial: undefined, whole: true }],
  "match/queries.ts cameOfSide": [listing({ model }, null), new Map([[season_id, now]])],
  "match/queries.ts cameOfSeason": [listing({ map: "board-3" }), new Map([[season_id, now]]), fitting],
  "match/queries.ts matchesOfSide": [listing({ model }, null)],
  "match/queries.ts countOfTrials": [listing({ model }, null)],
  "match/queries.ts countOfSeason": [listing({ ladder: "nano" }), 30_000],
  "match/list/listQueries.ts keptOf": ["1 newest x"],
  "match/list/listQueries.ts storeKept": [{ name: "1 newest x", now, seasons: [] }],
  "match/list/listQueries.ts forgetKept": [5_000],
  "match/queries.ts talliedOfSeason": [listing({ ladder: "nano" })],
  "match/list/tallyQueries.ts advance": [{ season_id, numbers: 20_000 }],
  "match/list/tallyQueries.ts due": [{ matches: 1_000 }],
  "match/queries.ts own": [{ ...NAMED, game: null }],
  "match/queries.ts cameOfOwner": [ofOwner, new Map([[season_id, now]])],
  "match/queries.ts matchesOfOwner": [ofOwner],
  "leaderboard/queries.ts versionsOf": [{ season_id, models: [model], limit: 50 }],
  "leaderboard/queries.ts named": [{ season_id, ladder: "open", start: "model 1", limit: 50, offset: 0 }],
  "model/mapQueries.ts versionsOf": [{ id: model, season_id, limit: 50 }],
  "model/mapQueries.ts counted": [{ version, from: new Date(0), seats: 2_000 }],
  "model/mapQueries.ts store": [{ version, counted_to: now, voided: 0, tallies: {} }],
  "model/resultQueries.ts came": [
    { id: model, season_id, ladder: "open" },
    { newest: now, best: now, worst: new Date(0) }
  ],
  "model/resultQueries.ts seats": [{ id: model, season_id, ladder: "open" }],
  "model/resultQueries.ts results": [{ id: model, season_id, ladder: "open", matches: [account] }],
  "model/rivalQueries.ts behind": [{ season_id, after: id("version", 0), seats: 100, limit: 100 }],
  "model/rivalQueries.ts counters": [{ matches: 2_000 }],
  "model/rivalQueries.ts met": [[{ version, from: new Date(0), seats: 2_000 }]],
  "object/queries.ts due": [{ now, after: { at: "-infinity", key: "" }, limit: 500 }],
  "object/queries.ts note": [{ keys: ["weights/sha256/00"], at: now }],
  "object/queries.ts keptBytes": [{ owner_id: account, but: ["sha256:w101"] }],
  "runner/work/replayAuditQueries.ts overdue": [{ since: now, own_since: now, seen_after: now, leases: 8 }],
  "runner/work/replayAuditQueries.ts take": [
    { runner: account, key: account, season_id: null, now, until: now, since: now, platform_since: now, limit: 1 }
  ],
  "runner/work/replayAuditQueries.ts keepOnly": [version, [version]],
  "runner/key/keyQueries.ts addKey": [
    { id: account, season_id, name: "key", prefix: "agon_rk_", key_sha256: new Uint8Array(32), created_by: account, created_at: now }
  ],
  "runner/session/sessionQueries.ts openSession": [
    { ...NAMED, runtime_version: "ort 1.30", engines: [], accepts: [], slots: 1, isolation: null }
  ],
  "account/ownerQueries.ts removed": [{ season_id, accounts: [account, id("account", 51)] }],
  "version/queries.ts ofSeason": [{ ...NAMED, state: "disqualified" }],
  "version/queries.ts ofSeasonNamed": [{ ...NAMED, state: "entered", start: "model 1" }],
  "season/coincidenceQueries.ts played": [{ season_id, before: 30_000, limit: 2_000 }],
  "season/coincidenceQueries.ts names": [[account]],
  "season/creationQueries.ts appoint": [season_id, ["owner50"], now],
  "season/creationQueries.ts insert": [
    { id: account, game: "snakes", slug: "new", digest: "sha256:engine", rules: {}, body: created, now }
  ],
  "account/signin/signInQueries.ts addAccount": [{ ...NAMED, display_name: "Owner" }],
  "notification/queries.ts tell": [{ ...told, kind: "season_notice", accounts: [account, id("account", 51)], now }],
  "notification/queries.ts announce": [{ ...told, id: account, sent_at: now, sent_by: account }],
  "notification/mail/mailQueries.ts enableMail": [{ id: account, account_id: account, secret: "secret", now }],
  "notification/mail/mailQueries.ts disableMail": [{ account_id: account, now }],
  "notification/mail/mailQueries.ts takeMail": [{ ids: [account], now, gathered: now, until: now, limit: 4 }],
  "notification/mail/mailQueries.ts mailed": [{ webhook_id: account, ids: [account], now, until: now, outcome: "250" }],
  "notification/mail/mailQueries.ts notMailed": [
    { webhook_id: account, ids: [account], now, until: now, outcome: "451", lost_before: new Date(0), of_address: true }
  ],
  "notification/webhook/webhookQueries.ts list": [webhooksOf],
  "notification/webhook/webhookQueries.ts find": [webhooksOf, account],
  "notification/webhook/webhookQueries.ts hold": [webhooksOf],
  "notification/webhook/webhookQueries.ts add": [
    webhooksOf,
    { id: account, account_id: account, url: "https://x.example", secret: "secret", now, most: 5 }
  ],
  "notification/webhook/webhookQueries.ts edit": [webhooksOf, { id: account, url: null, enabled: false, now }],
  "notification/webhook/webhookQueries.ts remove": [webhooksOf, account],
  "notification/webhook/webhookQueries.ts rotate": [webhooksOf, { id: account, secret: "secret" }],
  "notification/webhook/webhookQueries.ts test": [webhooksOf, { id: account, delivery: account, subject: "Hello.", now }],
  "notification/webhook/webhookDeliveryQueries.ts take": [{ ids: [account], now, until: now, limit: 16 }],
  "notification/webhook/webhookDeliveryQueries.ts delivered": [{ ...attempt, outcome: "200" }],
  "notification/webhook/webhookDeliveryQueries.ts failed": [{ ...attempt, outcome: "500", due_at: now }],
  "notification/webhook/webhookDeliveryQueries.ts switchOff": [{ webhook_id: account, now }],
  "notification/webhook/webhookDeliveryQueries.ts sweep": [{ ids: [account], lost_before: now, limit: 2_000 }],
  "writing/pickQueries.ts add": [{ ...NAMED, match: account, note: null }],
  "view/queries.ts add": [{ rows: seen, games: ["snakes", "othello"], oldest: "2025-11-01", now }],
  "version/reachQueries.ts reach": [{ ...NAMED, runtimes: ["runtime"] }],
  "runner/fleet/fleetQueries.ts reach": [{ ...NAMED, runtimes: ["runtime"] }],
  ...Object.fromEntries(
    ["version", "match", "webhook"].map((name) => [`season/inSeasonQueries.ts ${name}`, [{ season_id, name: account }]])
  ),
  "audit/queries.ts insert": [NAMED, { id: account, actor: account, action: "season.close", subject: "big", detail: null }, now],
  "match/check/checkQueries.ts next": [
    { season_id, until: now, limit: 32, after: { ended_at: new Date(now.getTime() - 86_400_000), id: account } }
  ],
  "view/queries.ts page": [{ kind: "match", from: "2026-10-01", to: null, limit: 26, offset: 0 }]
}

const files = globSync(join(import.meta.dirname, "../../packages/server/src/**/*ueries.ts"))
const folder = join(import.meta.dirname, "../../packages/server/src")

type Statements = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>>>
const queriesOf = (file: string) =>
  Effect.flatMap(
    Effect.promise(() => import(file) as Promise<{ readonly makeQueries: Effect.Effect<Statements, never, SqlClient.SqlClient> }>),
    ({ makeQueries }) => makeQueries
  )

/** The plans of a statement, with the first arguments that fit it. */
const statementPlans = Effect.fnUntraced(function* (file: string, name: string, key: string) {
  for (const args of ARGUMENTS[key] === undefined ? [[NAMED], ...UNNAMED] : [ARGUMENTS[key]]) {
    const planned = yield* plansOf(Effect.flatMap(queriesOf(file), (queries) => Effect.suspend(() => queries[name]!(...args))))
    if (planned.length > 0) return planned
  }
  return []
})

/** Plans of what `run` says to its client. */
const plansOf = <A, E>(run: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const planned: Array<Planned> = []
    const client = yield* planner(yield* PgClient.PgClient, planned)
    yield* Effect.ignoreCause(Effect.provideService(run, SqlClient.SqlClient, client)) // an empty answer may be none
    return planned
  })

const database = Postgres.layer({ migrate: true, startupParameters: PLANNING }).pipe(Layer.provideMerge(Reactivity.layer))
/** Feeds of some length, one of them very long, and a year of views. */
const insertAudience = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    yield* sql.unsafe(
      `INSERT INTO notification (id, account_id, kind, subject, created_at)
       SELECT gen_random_uuid(), a.id, 'season_notice', 'x', now() - n * interval '1 hour'
       FROM account a CROSS JOIN LATERAL generate_series(1, CASE WHEN a.id = $1::uuid THEN 20000 ELSE 20 END) n`,
      [account]
    )
    yield* sql.unsafe(
      `INSERT INTO notice (id, subject, sent_at, sent_by, recipients)
       SELECT gen_random_uuid(), 'x', now() - n * interval '1 day', $1::uuid, 1 FROM generate_series(1, 2000) n`,
      [account]
    )
    yield* sql.unsafe(`INSERT INTO view_count SELECT '2026-11-01'::date - d, kind, '', 'x' || n, n
      FROM generate_series(0, 99) d, unnest(ARRAY['match', 'profile']) kind, generate_series(1, 200) n`)
    yield* sql.unsafe("VACUUM (ANALYZE) notification, notice, view_count")
  })
const filling = Effect.flatMap(PgClient.PgClient, (sql) => Effect.andThen(insertRows(sql, SIZE), insertAudience(sql)))
const filled = Layer.effectDiscard(filling).pipe(Layer.provideMerge(database))

/** Reads of a side that go no further into its seats than the page, or than what has come. */
const bounded: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, ReadonlyArray<string>]> = [
  ["own", [{ ...ofOwner, limit: 25, offset: 0, up_to: 25 }], ["version_owner", "seat_version"]],
  ["cameOfOwner", [ofOwner, new Map([[season_id, now]])], ["version_owner", "seat_version", "match_newest"]],
  [
    "cardsOfRows",
    [listing({ model, sort: "discussed" }, null), cut, { ids: [account], last_trial: undefined, whole: true }],
    ["match_pkey", "thread_match"]
  ],
  ["related", [{ ...NAMED, models: [model, id("model", 102), id("model", 103)] }], ["version_model", "seat_version", "match_newest"]]
]

/** Postgres 15 sorts all rows for a DISTINCT with an order, where later ones go along an index: it goes through all of a side. */
const SORTS_DISTINCT = process.env["AGON_TEST_PG"] === "15"

/** Needs all of its input before it answers. */
const GATHERS = /^(Sort|Aggregate|Hash)$/
/** Scans of a side's seats that end with the side alone. */
const unboundedOf = (node: Node, limited = false): ReadonlyArray<string> => {
  const type = node["Node Type"]
  const ends = type === "Limit" || (limited && !GATHERS.test(type))
  const isWhole = node["Index Name"] === "seat_version" && !ends && !(node["Index Cond"] ?? "").includes("ended_at")
  return [...(isWhole ? [JSON.stringify(node)] : []), ...(node.Plans ?? []).flatMap((part) => unboundedOf(part, ends))]
}

/** Lists whose first rows are read from an hour before the end of the season on, or from its beginning where they are not kept. */
const came: ReadonlyArray<readonly [Partial<Asked>, ReadonlyArray<string>, "all"?]> = [
  [{ model }, ["version_model", "seat_version", "match_newest"]],
  [{ owner: "owner50", sort: "longest" }, ["version_owner", "seat_version", "match_newest"]],
  [{ vs: `${model},${id("model", 102)}` }, ["version_model", "seat_version"]],
  [{ version, map: "board-3" }, ["version_pkey", "seat_version"]],
  [{ model }, ["version_model", "seat_version"], "all"],
  [{ map: "old" }, ["match_newest", "match_trial"]],
  [{ ladder: "large", sort: "upset" }, ["match_newest"]],
  [{ top: 10, sort: "closest" }, ["match_newest"]],
  [{ class: "large", sort: "longest" }, ["match_newest"]]
]
const hourBefore = new Date(now.getTime() - 3_600_000)

const lists: ReadonlyArray<readonly [Partial<Asked>, string, Fitting?]> = [
  [{}, "match_newest"],
  [{}, "match_trial"],
  [{ sort: "longest" }, "match_longest"],
  [{ sort: "closest" }, "match_closest"],
  [{ sort: "upset" }, "match_upset"],
  [{ sort: "discussed" }, "match_newest"],
  [{ sort: "discussed" }, "discussed_most"],
  [{ sort: "discussed", map: "board-3" }, "discussed_map"],
  [{ sort: "discussed", map: "old" }, "match_newest", { ...fitting, total: 60, span: 60, first: now, last: now }],
  [{ sort: "discussed", model }, "seat_version"],
  [{ ladder: "nano" }, "match_newest"],
  [{ class: "micro" }, "match_newest"],
  [{ map: "board-3" }, "match_newest"],
  [{ players_min: 4 }, "match_newest"],
  [{ top: 10 }, "match_newest"],
  [{ since: "2026-10-31T00:00:00Z" }, "match_newest"],
  [{ class: "micro", players_max: 2, top: 100 }, "match_newest"],
  [{ sort: "longest", ladder: "nano" }, "match_longest", { ...fitting, total: 12_000 }],
  [{ sort: "upset", map: "old" }, "match_newest", { ...fitting, total: 60, span: 60, first: now, last: now }],
  [{ sort: "longest", class: "large" }, "match_longest", { ...fitting, total: SIZE.matches / 50 }],
  [
    { sort: "closest", map: "old" },
    "match_newest",
    { ...fitting, total: SIZE.matches / 50, span: SIZE.matches / 50, first: now, last: now }
  ],
  [{ model }, "version_model"],
  [{ model }, "seat_version"],
  [{ model }, "seat_trial"],
  [{ version }, "seat_version"],
  [{ owner: "owner50" }, "version_owner"],
  [{ owner: "owner50" }, "seat_version"],
  [{ vs: `${model},${id("model", 102)}` }, "seat_version"],
  [{ model, outcome: "draw", sort: "longest" }, "seat_version"],
  [{ owner: "owner50", ladder: "open", class: "nano" }, "seat_version"]
]

/** Read by themselves every so often, and not by any request: the figures of /metrics, and the seasons in play. */
const BESIDE_REQUESTS = [
  "actor/OpenSeasons.ts",
  "dataset/DatasetMetrics.ts",
  "notification/OutboxMetrics.ts",
  "runner/fleet/FleetMetrics.ts"
]

it("statements with a schema stand in files whose plans are looked at", () => {
  const all = globSync(join(folder, "**/*.ts")).filter((file) => !file.endsWith("ueries.ts"))
  const others = all.filter((file) => /\bSqlSchema\.find/.test(readFileSync(file, "utf8")))
  assert.deepStrictEqual(others.map((file) => relative(folder, file)).toSorted(), BESIDE_REQUESTS)
})

layer(filled)("plans", (it) => {
  it.effect("each statement starts from an index and sorts no more than an entry's matches", () =>
    Effect.gen(function* () {
      const failed: Array<string> = []
      for (const file of files) {
        const names = yield* Effect.map(queriesOf(file), Object.keys).pipe(
          Effect.provideService(SqlClient.SqlClient, yield* SqlClient.SqlClient)
        )
        for (const name of names) {
          const key = `${relative(folder, file)} ${name}`
          const planned = yield* statementPlans(file, name, key)
          if (planned.length === 0) failed.push(`${key} was not planned: none of UNNAMED fits it, and ARGUMENTS has no line of it`)
          for (const one of planned)
            for (const part of growingParts(one, LARGE, SORTED_MAX))
              if (!WAITING.has(part) && !COUNTING.has(`${key} ${part}`)) failed.push(`${key} ${part}`)
        }
      }
      assert.deepStrictEqual(failed, [])
    })
  )

  it.effect("what has come of kept lists is found by their side's index, or by the season's newest", () =>
    Effect.gen(function* () {
      const file = files.find((each) => each.endsWith("match/queries.ts"))!
      for (const [query, indexes, all] of came) {
        const isSide = (query.model ?? query.version ?? query.owner ?? query.vs) !== undefined
        const asked = listing(query, isSide ? null : season_id)
        const since = new Map(all === undefined ? [[season_id, hourBefore]] : [])
        const [one] = yield* plansOf(
          Effect.flatMap(queriesOf(file), ({ cameOfSeason, cameOfSide }) =>
            isSide ? cameOfSide!(asked, since) : cameOfSeason!(asked, since, fitting)
          )
        )
        assert.includeMembers([...indexesOf(one!)], [...indexes], JSON.stringify(query))
        assert.deepStrictEqual(growingParts(one!, LARGE, SORTED_MAX), [], JSON.stringify(query))
      }
    })
  )

  it.effect("a side's matches, and those in which two sides met, are found without looking up a seat or a match", () =>
    Effect.gen(function* () {
      const file = files.find((each) => each.endsWith("match/queries.ts"))!
      const all = [{ model }, { version }, { owner: "owner50" }, { vs: `${model},${id("model", 102)}` }, { model, outcome: "loss" }]
      const filtered = [
        { owner: "owner50", ladder: "open" },
        { model, map: "board-3" },
        { version, top: 10 }
      ]
      for (const query of [...all, ...filtered] as ReadonlyArray<Partial<Asked>>) {
        const [one] = yield* plansOf(Effect.flatMap(queriesOf(file), ({ cameOfSide }) => cameOfSide!(listing(query, null), new Map())))
        const scans = nodesOf(one!.plan).filter((node) => ["seat", "match"].includes(node["Relation Name"] ?? ""))
        const found = new Set(scans.map((node) => `${node["Node Type"]} ${node["Index Name"]}`))
        assert.deepStrictEqual(
          [...found].toSorted(),
          ["Index Only Scan match_newest", "Index Only Scan seat_version"],
          JSON.stringify(query)
        )
      }
    })
  )

  it.effect("all of a season's boards are counted without looking up matches", () =>
    Effect.gen(function* () {
      const file = files.find((each) => each.endsWith("/board/queries.ts"))!
      const [all] = yield* plansOf(Effect.flatMap(queriesOf(file), ({ counted }) => counted!({ season_id, after: 0 })))
      const [later] = yield* plansOf(Effect.flatMap(queriesOf(file), ({ counted }) => counted!({ season_id, after: 30_000 })))
      const [tallied] = yield* plansOf(Effect.flatMap(queriesOf(file), ({ counted }) => counted!({ season_id, after: null })))
      const scanOf = (planned: Planned) =>
        nodesOf(planned.plan).flatMap((node) => (node["Relation Name"] === "match" ? [[node["Node Type"], node["Index Name"]]] : []))
      const byNumber = [["Index Scan", "match_rated"]]
      assert.deepStrictEqual([all!, later!, tallied!].map(scanOf), [[["Index Only Scan", "match_newest"]], byNumber, byNumber])
    })
  )

  it.effect("an owner's matches and related ones are found without going through all of a side", () =>
    Effect.gen(function* () {
      const file = files.find((each) => each.endsWith("match/queries.ts"))!
      for (const [name, args, indexes] of bounded) {
        const [one] = yield* plansOf(Effect.flatMap(queriesOf(file), (queries) => queries[name]!(...args)))
        assert.includeMembers([...indexesOf(one!)], [...indexes], name)
        if (!SORTS_DISTINCT) assert.deepStrictEqual(unboundedOf(one!.plan), [], name)
      }
    })
  )

  it.effect(
    "the most discussed matches of a filter are found by the index of discussed matches that the filter has, a side's by its versions",
    () =>
      Effect.gen(function* () {
        const file = files.find((each) => each.endsWith("match/queries.ts"))!
        const known = { ids: [account], last_trial: undefined, whole: false }
        const largest = { limit: 61, offset: 0 }
        const asked: ReadonlyArray<readonly [Partial<Asked>, string]> = [
          [{}, "Index Only Scan discussed_most"],
          [{ map: "old" }, "Index Only Scan discussed_map"],
          [{ ladder: "large" }, "Index Only Scan discussed_ladder"],
          [{ class: "large" }, "Index Only Scan discussed_classes"],
          [{ top: 1 }, "Index Only Scan discussed_place"],
          [{ since: "2026-10-31T00:00:00Z" }, "Index Only Scan discussed_since"],
          [{ model }, "Bitmap Index Scan discussed_versions"],
          [{ owner: "owner50", ladder: "open" }, "Bitmap Index Scan discussed_versions"]
        ]
        for (const [query, scan] of asked) {
          const of = listing({ sort: "discussed", ...query }, (query.model ?? query.owner) === undefined ? season_id : null)
          const [page] = yield* plansOf(Effect.flatMap(queriesOf(file), ({ cardsOfRows }) => cardsOfRows!(of, largest, known)))
          const scans = nodesOf(page!.plan).map((node) => `${node["Node Type"]} ${node["Index Name"]}`)
          assert.deepStrictEqual(
            scans.filter((found) => found.includes("discussed_")),
            [scan],
            JSON.stringify(query)
          )
        }
      })
  )

  it.effect("lists of matches go in the order of their sort's index, or by their side's", () =>
    Effect.gen(function* () {
      for (const [query, index, known = fitting] of lists) {
        const seasonOrAll = query.model ?? query.version ?? query.owner ?? query.vs
        const asked = listing(query, seasonOrAll === undefined ? season_id : null)
        const file = files.find((each) => each.endsWith("match/queries.ts"))!
        const [page] = yield* plansOf(Effect.flatMap(queriesOf(file), ({ cards }) => cards!(asked, cut, known)))
        assert.include(indexesOf(page!), index, JSON.stringify(query))
        assert.deepStrictEqual(growingParts(page!, LARGE, SORTED_MAX), [], JSON.stringify(query))
      }
    })
  )
})
