/** Views, counted by the day, over the whole service (docs/contract.md#views). */

import { ROWS_OF_DAY_MAX, VIEWS_KEPT_DAYS } from "@agon/server/view/queries.ts"
import { Views } from "@agon/server/view/Views.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as A from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import * as Postgres from "../support/Postgres.ts"
import * as Service from "../support/Service.ts"
import { seedAccounts } from "../support/Web.ts"

const { matchIds: x, modelIds: m, uuid } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const view = (kind: string, id: string, more: object = {}) => A.post("/v1/events", { kind, id, ...more }, "nobody")
const counts = (query = "") => Effect.map(A.read(`/v1/admin/events${query}`), ({ json }) => json)
/** As `season snakes/spring: 2`. */
const lines = (query = "") =>
  Effect.map(counts(query), ({ events }) =>
    events.map(({ count, game, id, kind }: any) => `${kind} ${game === null ? "" : `${game}/`}${id}: ${count}`)
  )
const today = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms).toISOString().slice(0, 10))

layer(web, A.options)("a view", (it) => {
  it.effect("is counted for its day, of every kind of thing that there is", () =>
    Effect.gen(function* () {
      yield* A.rows`INSERT INTO post (id, slug, title, body, author_id, published_at, created_at)
        SELECT gen_random_uuid(), slug, 'T', 'B', a.id, CASE slug WHEN 'hello' THEN now() WHEN 'later' THEN now() + interval '1 hour' END, now()
        FROM account a, unnest(ARRAY['hello', 'draft', 'later']) slug WHERE a.username = 'root'`
      const seen = [
        ...[
          ["game", "snakes"],
          ["season", "spring"],
          ["season", "spring"],
          ["model", m.alpha],
          ["match", x.nano]
        ],
        ...[
          ["match", x.nano],
          ["match", x.nano],
          ["post", "hello"],
          ["profile", "ada"],
          ["season", "secret"],
          ["match", x.secret]
        ]
      ] as const
      for (const [kind, id] of seen) {
        const answer = yield* view(kind!, id!)
        assert.deepStrictEqual([answer.status, answer.text], [204, ""])
      }
      const day = yield* today
      const all = yield* counts()
      assert.isTrue(all.events.every((row: any) => row.day === day))
      assert.deepStrictEqual(all.events[0], { day, kind: "match", game: null, id: x.nano, count: 3 })
      assert.deepStrictEqual((yield* lines()).slice(0, 2), [`match ${x.nano}: 3`, "season snakes/spring: 2"], "the most looked at first")
      assert.sameMembers((yield* lines()).slice(2), [
        ...["game snakes: 1", `match ${x.secret}: 1`, `model ${m.alpha}: 1`, "post hello: 1", "profile ada: 1", "season snakes/secret: 1"]
      ])
      yield* view("match", x.nano)
      assert.strictEqual((yield* lines())[0], `match ${x.nano}: 4`, "what was written is added to")
    })
  )

  it.effect("of what nothing is called is counted nowhere, and answered as any other", () =>
    Effect.gen(function* () {
      const before = yield* lines()
      const nothing: ReadonlyArray<readonly [string, string]> = [
        ...([
          ["game", "chess"],
          ["season", "none"],
          ["model", uuid("model", 99)],
          ["model", "x"],
          ["match", uuid("match", 99)]
        ] as const),
        ...([
          ["match", x.nano.replaceAll("-", "")],
          ["match", x.queued],
          ["post", "none"],
          ["post", "draft"],
          ["post", "later"],
          ["profile", "nobody"]
        ] as const),
        ...([
          ["profile", "ADA"],
          ["profile", "'; DROP TABLE match"],
          ["game", "🐍".repeat(100)]
        ] as const)
      ]
      const known = yield* view("game", "snakes")
      for (const [kind, id] of nothing) {
        const answer = yield* view(kind, id)
        const face = ({ headers, status, text }: typeof answer) => [status, text, [...headers.keys()]]
        assert.deepStrictEqual(face(answer), face(known), `${kind} ${id}`)
      }
      assert.sameMembers(yield* lines(), [...before.filter((line: string) => line !== "game snakes: 1"), "game snakes: 2"])
      assert.deepStrictEqual(yield* A.rows`SELECT id FROM view_count WHERE id LIKE '%DROP%' OR id LIKE 'x%'`, [])
    })
  )

  it.effect("names what was looked at, and nothing else is taken for one", () =>
    Effect.gen(function* () {
      const bodies = [{}, { kind: "game" }, { id: "snakes" }, { kind: "board", id: "x" }, { kind: "game", id: "" }, { kind: "game", id: 1 }]
      for (const body of [...bodies, { kind: "game", id: "x".repeat(101) }, { kind: "game", id: "a\0b" }, [], null, "game"]) {
        assert.deepStrictEqual(A.refusal(yield* A.post("/v1/events", body, "nobody")), [400, "invalid_request"], JSON.stringify(body))
      }
      const broken = yield* A.ask("/v1/events", { method: "POST", body: "{" })
      assert.deepStrictEqual(A.refusal(broken), [400, "invalid_json"])
      const form = yield* A.ask("/v1/events", { method: "POST", body: "kind=game", headers: { "content-type": "text/plain" } })
      assert.deepStrictEqual(A.refusal(form), [415, "unsupported_media_type"])
    })
  )

  it.effect("that a page of another origin sends with a cookie is refused before it is read, and without one is counted", () =>
    Effect.gen(function* () {
      yield* A.rows`DELETE FROM view_count`
      const cookie = { cookie: "theme=dark" }
      const foreign = { origin: "https://elsewhere.example" }
      const say = (headers: Readonly<Record<string, string>>, body: string) => A.ask("/v1/events", { method: "POST", body, headers })
      const body = JSON.stringify({ kind: "game", id: "snakes" })
      for (const from of [foreign, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
        assert.deepStrictEqual(A.refusal(yield* say({ ...cookie, ...from }, body)), [403, "cross_origin"], JSON.stringify(from))
        assert.deepStrictEqual(A.refusal(yield* say({ ...cookie, ...from }, "{")), [403, "cross_origin"])
        assert.strictEqual((yield* say(from, body)).status, 204)
      }
      for (const from of [{ origin: "http://localhost:8080" }, { "sec-fetch-site": "same-origin" }, {}]) {
        assert.strictEqual((yield* say({ ...cookie, ...from }, body)).status, 204, JSON.stringify(from))
      }
      assert.deepStrictEqual(yield* lines(), ["game snakes: 6"])
    })
  )

  it.effect("of a season is of its game's, or of the first game that has such a one", () =>
    Effect.gen(function* () {
      yield* Fixture.insert("season", [
        Fixture.season(uuid("season", 50), "spring", { game: "othello" }),
        Fixture.season(uuid("season", 51), "only-here", { game: "othello" })
      ])
      yield* A.rows`DELETE FROM view_count`
      for (const game of ["othello", "othello", "othello", "snakes", "chess"]) yield* view("season", "spring", { game })
      yield* view("season", "spring")
      yield* view("season", "only-here")
      yield* view("game", "snakes", { game: "othello" })
      assert.sameMembers(yield* lines(), [
        "season othello/spring: 3",
        "season snakes/spring: 2",
        "season othello/only-here: 1",
        "game snakes: 1"
      ])
    })
  )

  it.effect("is read by administrators of the platform: by kind, by days, page by page", () =>
    Effect.gen(function* () {
      yield* A.rows`DELETE FROM view_count`
      yield* A.rows`INSERT INTO view_count SELECT ('2026-02-0' || d)::date, kind, '', name, d * 10 + length(name)
        FROM generate_series(1, 3) d, (VALUES ('game', 'snakes'), ('profile', 'ada')) k (kind, name)`
      assert.deepStrictEqual(yield* lines("?from=2026-02-02&to=2026-02-02"), ["game snakes: 26", "profile ada: 23"])
      assert.deepStrictEqual(yield* lines("?kind=profile"), ["profile ada: 33", "profile ada: 23", "profile ada: 13"])
      assert.deepStrictEqual(yield* lines("?to=2026-02-01"), ["game snakes: 16", "profile ada: 13"])
      assert.deepStrictEqual(yield* lines("?from=2026-02-03&kind=game"), ["game snakes: 36"])
      const page = yield* counts("?limit=4")
      assert.deepStrictEqual([page.events.length, page.next_cursor], [4, "4"])
      const last = yield* counts("?limit=4&cursor=4")
      assert.deepStrictEqual([last.events.map(({ day }: any) => day), last.next_cursor], [["2026-02-01", "2026-02-01"], null])
      assert.deepStrictEqual(yield* counts("?cursor=99"), { events: [], next_cursor: null })
      for (const query of [
        "?kind=board",
        "?from=x",
        "?to=2026-02-30",
        "?from=2026-2-1",
        "?to=2026-02-01T00:00:00Z",
        "?from=0000-01-01",
        "?to=0000-12-31"
      ]) {
        assert.deepStrictEqual(A.refusal(yield* A.read(`/v1/admin/events${query}`)), [400, "invalid_request"], query)
      }
      assert.deepStrictEqual(A.refusal(yield* A.read("/v1/admin/events", "ada")), [403, "admin_only"])
      assert.deepStrictEqual(A.refusal(yield* A.ask("/v1/admin/events")), [401, "unauthenticated"])
    })
  )
})

const database = Layer.effectDiscard(seedAccounts).pipe(
  Layer.provideMerge(Postgres.layer({ migrate: true })),
  Layer.provideMerge(Logger.layer([]))
)
const stored = A.rows<{ readonly kind: string; readonly id: string; readonly views: number }>`
  SELECT kind, id, views::int AS views FROM view_count ORDER BY kind, id`

layer(database)("what a node has counted", (it) => {
  it.effect("is written every ten seconds and when the service stops, in no more statements than that", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { count } = yield* Effect.provide(Views, yield* Layer.buildWithScope(Views.layer, scope))
      for (let n = 0; n < 1_000; n++) yield* count({ kind: "profile", id: "ada" })
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* stored, [])
      yield* TestClock.adjust("1 second")
      yield* written(1_000)
      yield* count({ kind: "profile", id: "ada" })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* stored, [{ kind: "profile", id: "ada", views: 1_001 }])
    })
  )
})

layer(NodeHttpClient.layerUndici, { excludeTestServices: true })("a service that is stopped", (it) => {
  it.effect("has written what browsers had told it until then", () =>
    Effect.gen(function* () {
      const database_url = yield* Postgres.url({ migrate: true })
      const scope = yield* Scope.make()
      const { origin } = yield* Effect.provide(Service.Service, yield* Layer.buildWithScope(Service.layer({ database_url }), scope))
      const headers = { "content-type": "application/json", origin: "https://elsewhere.example" }
      const body = JSON.stringify({ kind: "game", id: "snakes" })
      const say = Effect.promise(() => fetch(`${origin}/v1/events`, { method: "POST", headers, body }))
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* say).status, 204)
      yield* Scope.close(scope, Exit.void)
      const rows = yield* Effect.provide(stored, PgClient.layer({ url: database_url }))
      assert.deepStrictEqual(rows, [{ kind: "game", id: "snakes", views: 3 }])
    })
  )
})

/** Until the table says so: a statement takes its time whatever the clock says. */
const written = (views: number) =>
  eventually(
    `${views} views in the table`,
    Effect.map(stored, ([row]) => row?.views === views)
  )

layer(database, { excludeTestServices: true })("a flood", (it) => {
  it.effect("of things that there are not costs nobody a row, and no more memory than is set aside", () =>
    Effect.gen(function* () {
      const { count, list } = yield* Effect.provide(Views, yield* Layer.build(Views.layer))
      for (let n = 0; n < 50_000; n++) yield* count({ kind: "profile", id: `nobody-${n}` })
      yield* count({ kind: "profile", id: "ada" })
      assert.deepStrictEqual((yield* list({ limit: 10, cursor: 0 })).events, [], "until the next write there is no room for more")
      yield* count({ kind: "profile", id: "ada" })
      assert.strictEqual((yield* list({ limit: 10, cursor: 0 })).events.length, 1)
    })
  )

  it.effect("of things that there are gets so many rows a day and no more; those that have one go on counting", () =>
    Effect.gen(function* () {
      yield* A.rows`DELETE FROM view_count`
      yield* A.rows`INSERT INTO account (id, username, display_name, created_at)
        SELECT gen_random_uuid(), 'crowd' || n, 'C', now() FROM generate_series(1, 12000) n`
      const { count, list } = yield* Effect.provide(Views, yield* Layer.build(Views.layer))
      const rows = A.rows<{ readonly n: number }>`SELECT count(*)::int AS n FROM view_count`
      const seen = (from: number, to: number) =>
        Effect.gen(function* () {
          for (let n = from; n <= to; n++) yield* count({ kind: "profile", id: `crowd${n}` })
        })
      /** A write that a busy machine does not finish in time is made by the next read. */
      const has = (n: number) =>
        eventually(
          `${n} rows`,
          Effect.andThen(
            Effect.orDie(list({ limit: 1, cursor: 0 })),
            Effect.map(rows, ([row]) => row!.n === n)
          )
        )
      yield* seen(1, 6_000)
      yield* has(6_000)
      yield* seen(6_001, 12_000)
      yield* seen(12_000, 12_000)
      yield* seen(1, 1)
      yield* has(ROWS_OF_DAY_MAX)
      const most = (yield* list({ limit: 3, cursor: 0 })).events.map(({ count, id }) => [id, count])
      assert.strictEqual((yield* rows)[0]!.n, ROWS_OF_DAY_MAX)
      assert.sameDeepMembers(most.slice(0, 2), [
        ["crowd1", 2],
        ["crowd12000", 2]
      ])
      assert.strictEqual(most[2]![1], 1, "who is looked at most gets a row first")
    })
  )

  it.effect("is forgotten after a year and a month", () =>
    Effect.gen(function* () {
      yield* A.rows`DELETE FROM view_count`
      yield* A.rows`INSERT INTO view_count SELECT (now() AT TIME ZONE 'UTC')::date - n, 'game', '', 'snakes', 1
        FROM unnest(ARRAY[${String(VIEWS_KEPT_DAYS - 1)}::int, ${String(VIEWS_KEPT_DAYS + 1)}::int]) n`
      const { count, list } = yield* Effect.provide(Views, yield* Layer.build(Views.layer))
      yield* count({ kind: "profile", id: "ada" })
      assert.strictEqual((yield* list({ limit: 10, cursor: 0 })).events.length, 2)
    })
  )

  it.effect("on several nodes at one time adds up", () =>
    Effect.gen(function* () {
      yield* A.rows`DELETE FROM view_count`
      const nodes = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.flatMap(Layer.build(Layer.fresh(Views.layer)), (services) => Effect.provide(Views, services))
      )
      const seen = nodes.map(({ count, list }, i) =>
        Effect.gen(function* () {
          for (let round = 0; round < 5; round++) {
            for (let n = 1; n <= 500; n++) yield* count({ kind: "profile", id: `crowd${i % 2 === 0 ? n : 501 - n}` })
            yield* list({ limit: 1, cursor: 0 })
          }
        })
      )
      yield* Effect.all(seen, { concurrency: "unbounded" })
      const [{ n, views }] = (yield* A.rows`SELECT count(*)::int AS n, sum(views)::int AS views FROM view_count`) as any
      assert.deepStrictEqual([n, views], [500, 10_000])
    })
  )

  it.effect("while the database is away is written when it is back", () =>
    Effect.gen(function* () {
      yield* A.rows`DELETE FROM view_count`
      const { count, list } = yield* Effect.provide(Views, yield* Layer.build(Views.layer))
      yield* count({ kind: "profile", id: "ada" })
      yield* A.rows`ALTER TABLE view_count RENAME TO away`
      yield* Effect.exit(list({ limit: 1, cursor: 0 }))
      yield* count({ kind: "profile", id: "ada" })
      yield* A.rows`ALTER TABLE away RENAME TO view_count`
      assert.strictEqual((yield* list({ limit: 1, cursor: 0 })).events[0]!.count, 2)
    })
  )
})
