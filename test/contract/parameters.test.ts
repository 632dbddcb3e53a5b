/**
 * Queries and paths as nobody should write them: repeated, empty, huge, in other scripts,
 * or meant for another service.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { call } from "../support/Web.ts"

const { matchIds, modelIds, versionIds } = Fixture
const { alpha, beta } = modelIds
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))
const board = "/v1/games/snakes/leaderboard"

const outcomeOf = (path: string) => Effect.map(call(path), ({ json, status }) => (status === 200 ? "200" : `${status} ${json.code}`))

const answers = Effect.fnUntraced(function* (at: string, expected: string, queries: ReadonlyArray<string>) {
  for (const query of queries) assert.strictEqual(yield* outcomeOf(`${at}?${query}`), expected, query)
})

layer(web, A.options)("a query", (it) => {
  it.effect("with several faults is told all of them, as a body is", () =>
    Effect.gen(function* () {
      const query = yield* call(`${board}?ladder=none&limit=0`)
      const body = yield* A.post("/v1/events", { kind: "none", id: "" }, "nobody")
      for (const [{ json, status }, paths] of [
        [query, ["ladder", "limit"]],
        [body, ["kind", "id"]]
      ] as const) {
        assert.strictEqual(status, 400)
        assert.deepStrictEqual(json.errors.map(({ path }: { readonly path: string }) => path).toSorted(), [...paths].toSorted())
      }
    })
  )

  it.effect("whose limit is no whole number of one or more, or is there twice, is refused", () =>
    answers(board, "400 invalid_request", [
      ...[
        "limit=1&limit=2",
        "limit=1&limit=1",
        "limit=1,2",
        "limit=",
        "limit",
        "limit=0",
        "limit=-0",
        "limit=-1",
        "limit=1.5",
        "limit=0x10"
      ],
      ...["limit=1_000", "limit=Infinity", "limit=NaN", "limit=1e400", "limit=true", "limit=null", "limit=+5", "limit=%205", "limit=5%20"],
      ...["limit=1e2", "limit=%2B5", "limit=05", "limit=5.0", "limit=5.", "limit=1E0", "limit=%0A5", "limit=5%0A", "limit=5&limit"],
      ...["limit=%00", "limit=%EF%BC%99", "limit=%D9%A3", "limit=1;cursor=2", `limit=${"9".repeat(5_000)}`, "limit=%FF", "limit=[1]"]
    ])
  )

  it.effect("whose limit is over the maximum counts as the maximum, however large it is", () =>
    answers(
      board,
      "200",
      ["201", "2147483648", "9007199254740993", "99999999999999999999", "9".repeat(300)].map((limit) => `limit=${limit}`)
    )
  )

  it.effect("whose cursor is none that a page has given is told so", () =>
    Effect.andThen(
      answers(board, "400 invalid_cursor", [
        ...[
          "cursor=",
          "cursor",
          "cursor=0&cursor=0",
          "cursor=-0",
          "cursor=-1",
          "cursor=1e3",
          "cursor=1.0",
          "cursor=null",
          "cursor=%00",
          "cursor=0%0A"
        ],
        ...[
          "cursor=2147483648",
          "cursor=9999999999",
          "cursor=99999999999999999999",
          "cursor=%EF%BC%91",
          "cursor=0x1",
          `cursor=${"0".repeat(5_000)}`
        ]
      ]),
      answers(board, "200", ["cursor=0", "cursor=7", "cursor=2147483647"])
    )
  )

  it.effect("with a known key and a bad value is refused, whatever the key", () =>
    Effect.andThen(
      answers(board, "400 invalid_request", [
        "ladder=",
        "ladder=OPEN",
        "ladder=open&ladder=nano",
        "ladder=%00",
        "season=spring&season=winter"
      ]),
      answers("/v1/matches", "400 invalid_request", [
        ...["model=x", "model=", `model=${alpha}&model=${beta}`, `model=%7B${alpha}%7D`, `model=${alpha.replaceAll("-", "")}`, "version=x"],
        ...["vs=a", "vs=,", `vs=${alpha}`, `vs=${alpha},`, `vs=${alpha},${beta},${beta}`, `vs=${alpha}%20,${beta}`, `vs=${alpha},${alpha}`],
        ...[
          "top=0",
          "top=1001",
          "top=1.5",
          "top=x",
          "top=1e1",
          "top=01",
          "players_max=%2B2",
          "players_min=2.0",
          "players_min=0",
          "players_min=9",
          "players_max=2147483648",
          "class=huge",
          "sort=random"
        ],
        ...[
          "outcome=win",
          "outcome=won&owner=ada",
          "since=now",
          "since=2026-01-01",
          "since=2026-13-45T99:99:99Z",
          "since=99999-01-01T00:00:00Z",
          "since=2026-02-29T00:00:00Z",
          "since=2026-04-31T12:00:00%2B02:00",
          "since=2026-01-01T24:00:00Z"
        ],
        ...["since=9999-12-31T23:59:59-23:59", "since=-000001-01-01T00:00:00Z"]
      ])
    )
  )

  it.effect("that names what there is none of says so, or finds nothing", () =>
    Effect.gen(function* () {
      yield* answers(board, "404 unknown_season", [
        "season=",
        "season=SPRING",
        "season=%00",
        "season=..%2F..",
        `season=${"x".repeat(5_000)}`,
        "season=%F0%9F%90%8D"
      ])
      yield* answers("/v1/matches", "404 unknown_game", [
        "game=go",
        "game=",
        "game=SNAKES",
        "game=__proto__",
        "game=constructor",
        "game=toString"
      ])
      yield* answers("/v1/matches", "200", ["owner=", "owner=%00", "owner=ADA", "map=%00", "map=x", "players_min=8&players_max=1"])
    })
  )

  it.effect("with keys that nobody knows, or that are none, answers as without them", () =>
    answers(board, "200", [
      ...["=", "&&&", "?", "%", "%zz=1", "%00=1", "bogus=1&bogus=2", "limit[]=1", "LIMIT=x", "__proto__=1", "constructor[prototype]=1"],
      ...["limit=1&__proto__[limit]=x", "a=".repeat(3_000), "&".repeat(8_000), Array.from({ length: 1_500 }, (_, n) => `k${n}=1`).join("&")]
    ])
  )
})

layer(web, A.options)("a path", (it) => {
  it.effect("is what it is: other letters, slashes more or fewer, and ids in other dress name nothing", () =>
    Effect.gen(function* () {
      const id = versionIds.alpha2
      const none = [
        ...[
          "/V1/games",
          "/v1/Games",
          "/v1/games/",
          "//v1/games",
          "/v1//games",
          "/v1/games/snakes/",
          "/v1/games//leaderboard",
          "/v1/models/",
          "/v1/games/?x=/",
          "/v1/games;x=1",
          "/v1/games%2Fsnakes"
        ],
        ...[
          "/v1/versions/",
          `/v1/versions/${id}/`,
          `/v1//versions/${id}`,
          `/v1/versions/${id}%20`,
          `/v1/versions/${id}%00`,
          `/v1/versions/%7B${id}%7D`
        ],
        ...[
          `/v1/versions/${id.replaceAll("-", "")}`,
          `/v1/versions/${id.slice(1)}`,
          `/v1/versions/${id}0`,
          `/v1/versions/${"x".repeat(5_000)}`
        ],
        ...[
          "/v1/matches/x",
          "/v1/matches/0",
          "/v1/matches/-1",
          `/v1/matches/${matchIds.nano}/frame/`,
          `/v1/matches/${matchIds.nano}/Frame`
        ],
        ...[
          "/v1/profiles/",
          "/v1/profiles/ADA",
          "/v1/profiles/%00",
          "/v1/profiles/ada%00",
          "/v1/profiles/__proto__",
          `/v1/profiles/${"a".repeat(3_000)}`
        ],
        ...[
          "/v1/models/x/season",
          "/v1/models/x/rivals",
          "/v1/games/snakes/seasons/spring/maps/DUEL",
          "/v1/games/snakes/seasons/spring/maps/%FF"
        ]
      ]
      for (const path of none) assert.strictEqual(yield* outcomeOf(path), "404 not_found", path)
      for (const game of ["SNAKES", "go", "%00", "__proto__", "%E2%80%AE", "x".repeat(500)]) {
        assert.strictEqual(yield* outcomeOf(`/v1/games/${game}`), "404 unknown_game", game)
        assert.strictEqual(yield* outcomeOf(`/v1/games/${game}/leaderboard`), "404 unknown_game", game)
      }
      for (const season of ["SPRING", "%00", "__proto__", "spring%20", "x".repeat(500)]) {
        assert.strictEqual(yield* outcomeOf(`/v1/games/snakes/seasons/${season}/podium`), "404 unknown_season", season)
      }
    })
  )

  it.effect("of a model that is none is the answer null, whatever stands for the id", () =>
    Effect.gen(function* () {
      for (const id of ["x", "0", "%00", "%F0%9F%90%8D", `%7B${alpha}%7D`, alpha.slice(1), "x".repeat(500), "null"]) {
        const { json, status } = yield* call(`/v1/models/${id}`)
        assert.deepStrictEqual([status, json], [200, null], id)
      }
    })
  )
})
