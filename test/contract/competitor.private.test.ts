/** Private seasons: what their members read, and that to everybody else they are seasons that were never made. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "@agon/api/Api.ts"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import type { Answered, Call } from "../support/Web.ts"

const { matchIds: x, modelIds: m, seasonIds, uuid, versionIds: v } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const here = "/v1/games/snakes"
/** Every member's read, of a season and of what is in it. */
const readsOf = (season: string, ids: { readonly model: string; readonly version: string; readonly match: string }) => [
  `${here}/seasons`,
  `${here}/leaderboard?season=${season}`,
  `${here}/leaderboard?season=${season}&ladder=nano&limit=1`,
  `${here}/leaderboard/series?season=${season}`,
  `${here}/seasons/${season}/maps`,
  `${here}/seasons/${season}/maps?boards=true&enabled=true`,
  `${here}/seasons/${season}/maps/duel`,
  `${here}/seasons/${season}/podium`,
  `${here}/seasons/${season}/playing`,
  `/v1/models/${ids.model}`,
  `/v1/versions/${ids.version}`,
  `/v1/matches?season=${season}`,
  `/v1/matches?version=${ids.version}`,
  `/v1/matches/${ids.match}`,
  `/v1/matches/${ids.match}/frame`,
  `/v1/matches/${ids.match}/related`
]
const privately = (path: string) => path.replace("/v1/", "/v1/private/")
/** Series and replay links are dated by the moment of the answer. */
const undated = (text: string) => text.replace(/"points":\[[^\]]*\]/, "").replace(/"replay_url":"[^"]*"/, "")

const springIds = { model: m.gamma, version: v.gamma1, match: x.open }
const secretIds = { model: m.secretBase, version: v.alphaSecret, match: x.secret }
const byAll = (path: string, call: Call = {}) =>
  Effect.forEach(["nobody", "bob"], (as) => A.ask(path, as === "nobody" ? call : { ...call, as }))

layer(web, A.options)("members' reads", (it) => {
  it.effect("answer as the public routes do, and are never kept", () =>
    Effect.gen(function* () {
      for (const path of readsOf("spring", springIds)) {
        const open = yield* A.ask(path)
        assert.strictEqual(open.status, 200, path)
        for (const answer of yield* byAll(privately(path))) {
          assert.strictEqual(answer.status, 200, path)
          assert.strictEqual(undated(answer.text), undated(open.text), path)
          assert.strictEqual(answer.headers.get("cache-control"), "no-store", path)
          assert.isNull(answer.headers.get("etag"), path)
        }
      }
    })
  )

  it.effect("show a private season to its participants, its administrators and those of the platform", () =>
    Effect.gen(function* () {
      const lists = yield* Effect.forEach(["ada", "root", "bob"], (as) => A.read(`/v1/private${here.slice(3)}/seasons`, as))
      const names = lists.map(({ json }) => json.map(({ slug }: any) => slug))
      const all = ["autumn", "secret", "spring", "winter"]
      assert.deepStrictEqual(names, [all, all, all.filter((slug) => slug !== "secret")])
      for (const as of ["ada", "root"]) {
        for (const path of readsOf("secret", secretIds)) {
          const { status, text } = yield* A.read(privately(path), as)
          assert.strictEqual(status, 200, `${path} ${text}`)
          assert.notStrictEqual(text, "null", path)
          assert.notStrictEqual(text, (yield* A.read(privately(path), "bob")).text, path)
          if (!path.endsWith("/seasons")) assert.notStrictEqual(text, (yield* A.read(path, as)).text, "the public route knows no members")
        }
      }
      yield* A.rows`INSERT INTO season_admin (season_id, account_id, added_at)
        SELECT ${seasonIds.secret}, id, now() FROM account WHERE username = 'bob'`
      assert.strictEqual((yield* A.read(`/v1/private/matches/${x.secret}`, "bob")).status, 200)
      yield* A.rows`DELETE FROM season_admin WHERE season_id = ${seasonIds.secret}`
      assert.strictEqual((yield* A.read(`/v1/private/matches/${x.secret}`, "bob")).status, 404)
    })
  )

  it.effect("without a season speak of the featured one, which is never private", () =>
    Effect.gen(function* () {
      yield* A.rows`UPDATE season SET submissions_open_at = '2020-01-01' WHERE slug = 'secret'` // newer than every public one
      for (const path of [`${here}/leaderboard`, `${here}/leaderboard/series`, "/v1/matches?game=snakes", "/v1/matches"]) {
        assert.strictEqual((yield* A.read(privately(path), "ada")).json.season, "autumn", path)
      }
      const { versions } = (yield* A.read(`/v1/private/models/${m.alpha}`, "ada")).json
      assert.deepStrictEqual(
        versions.map(({ season }: any) => season),
        ["winter", "secret", "spring", "spring"]
      )
    })
  )
})

/** A thing of the hidden season, and one of the same form that was never made. */
const pairs = {
  slug: ["secret", "unmade"],
  season: ["secret", "unmade"],
  from: ["secret", "unmade"],
  models: [m.secretBase, uuid("model", 999)],
  versions: [v.hiddenSecret, uuid("version", 999)],
  matches: [x.secret, uuid("match", 999)]
} as const
type Pair = readonly [hidden: string, unmade: string]

/** What else a path names, so that it would be found if the season were. */
const others: Readonly<Record<string, string>> = {
  game: "snakes",
  map_id: "duel",
  baseline: "base",
  n: "1",
  key: uuid("key", 1),
  runner: uuid("runner", 1)
}

interface Asked {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly json?: unknown
}

/** Both questions of each way in which an operation can be asked about a season or something in it. */
const questions = (): ReadonlyArray<readonly [hidden: Asked, unmade: Asked]> => {
  const { paths } = OpenApi.fromApi(Api) as { readonly paths: Record<string, Record<string, any>> }
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const route = `${method.toUpperCase()} ${template}`
      const asked = (path: string, json?: unknown): Asked => ({ route, method: method.toUpperCase(), path, json })
      const both = (pair: Pair, make: (name: string) => Asked) => [[make(pair[0]), make(pair[1])] as const]
      const collection = /\/(models|versions|matches)\/\{id\}/.exec(template)?.[1] as "models" | "versions" | "matches" | undefined
      const named: Pair | undefined = template.includes("{slug}") ? pairs.slug : collection === undefined ? undefined : pairs[collection]
      const fill = (path: string, name: string) =>
        path.replace(/\{(\w+)\}/g, (_, key: string) => (key === "slug" || key === "id" ? name : (others[key] ?? "x")))
      const inPath = named === undefined ? [] : both(named, (name) => asked(fill(template, name), operation.requestBody && {}))
      const query: ReadonlyArray<string> = (operation.parameters ?? []).filter((one: any) => one.in === "query").map((one: any) => one.name)
      const inQuery = query.flatMap((name) => {
        const pair = { season: pairs.season, model: pairs.models, version: pairs.versions }[name]
        return pair === undefined ? [] : both(pair, (value) => asked(`${fill(template, m.alpha)}?${name}=${value}`))
      })
      const bodies = inBodies.filter((one) => one.route === route)
      return [...inPath, ...inQuery, ...bodies.flatMap(({ make, pair }) => both(pair, (name) => asked(template, make(name))))]
    })
  )
}

const hash = `sha256:${"1".repeat(64)}`
const submission = { game: "snakes", model: m.beta, weights_hash: hash, manifest_hash: hash }
const reentry = { game: "snakes", model: m.beta, season: "spring", from: "spring" }
const inBodies: ReadonlyArray<{ readonly route: string; readonly pair: Pair; readonly make: (name: string) => unknown }> = [
  { route: "POST /v1/submissions", pair: pairs.season, make: (season) => ({ ...submission, season }) },
  { route: "POST /v1/submissions/reenter", pair: pairs.season, make: (season) => ({ ...reentry, season }) },
  { route: "POST /v1/submissions/reenter", pair: pairs.from, make: (from) => ({ ...reentry, from }) }
]

/** All of an answer but its own id and the name that was asked about. */
const faceOf = ({ headers, status, text }: Answered, name: string) => {
  const { "x-request-id": _, ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, text: undated(text).replaceAll(name, "it") }
}

layer(web, A.options)("a hidden season", (it) => {
  const asked = questions()

  it("is asked about in every way there is", () => {
    assert.isAbove(asked.length, 60)
    for (const route of [
      "GET /v1/matches",
      "POST /v1/submissions",
      "PATCH /v1/games/{game}/seasons/{slug}",
      "GET /v1/private/models/{id}"
    ]) {
      assert.isTrue(
        asked.some(([one]) => one.route === route),
        route
      )
    }
  })

  it.effect("and all that is in it answer to others exactly as what was never made", () =>
    Effect.gen(function* () {
      for (const [hidden, unmade] of asked) {
        for (const as of [undefined, "bob"]) {
          const ask = ({ json, method, path }: Asked) =>
            A.ask(path, { method, ...(as === undefined ? {} : { as }), ...(json === undefined ? {} : { json }) })
          const [one, other] = [yield* ask(hidden), yield* ask(unmade)]
          const name = ({ json, path }: Asked) =>
            Object.values(pairs)
              .flat()
              .find((each) => `${path}${JSON.stringify(json)}`.includes(each))!
          assert.deepStrictEqual(faceOf(one, name(hidden)), faceOf(other, name(unmade)), `${hidden.method} ${hidden.path} as ${as}`)
          assert.notStrictEqual(one.status, 500, hidden.path)
        }
      }
    })
  )

  it.effect("is told from one that was never made by those who see it", () =>
    Effect.gen(function* () {
      const told = yield* Effect.filter(asked, ([hidden, unmade]) =>
        Effect.gen(function* () {
          if (hidden.method !== "GET") return false
          const [one, other] = [yield* A.read(hidden.path), yield* A.read(unmade.path)]
          return one.status !== other.status || one.json === null || undated(one.text) !== undated(other.text)
        })
      )
      assert.isAbove(told.length, 25)
    })
  )
})
