import { Api } from "@agon/api/Api.ts"
import { Cached } from "@agon/api/Boundary.ts"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { type CacheKey, makeCacheKey, pathOf } from "./cacheKey.ts"

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

/** Valid values by parameter name. */
const VALUES: Readonly<Record<string, ReadonlyArray<string>>> = {
  model: [uuid(1)],
  match: [uuid(3)],
  version: [uuid(2)],
  vs: [`${uuid(1)},${uuid(2)}`],
  ladder: ["nano", "open"],
  class: ["micro"],
  season: ["spring"],
  game: ["snakes"],
  map: ["a b&c=d", "\u{1f40d}"],
  owner: ["ada"],
  outcome: ["win"],
  players_min: ["1"],
  players_max: ["8"],
  since: ["2026-01-01T00:00:00+01:00", "2025-12-31T23:00:00.000Z"],
  top: ["10"],
  sort: ["closest", "newest"],
  limit: ["25", "50", "1000000"],
  cursor: ["0", "000", "25"],
  enabled: ["true", "false"],
  boards: ["true"]
}

const recordOf = (url: string) => {
  const pairs = new URLSearchParams(url.slice(pathOf(url).length))
  return Object.fromEntries(
    [...new Set(pairs.keys())].map((name) => [name, pairs.getAll(name)]).map(([name, all]) => [name, all!.length === 1 ? all![0]! : all!])
  ) as Record<string, string>
}
const keyOfUrl = (key: CacheKey, url: string) => key(pathOf(url), recordOf(url))

const shared = new Map<string, CacheKey>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, middleware }) => {
    if ([...middleware].some((one) => (one as unknown) === Cached)) shared.set(endpoint.path, makeCacheKey(endpoint.query))
  }
})

/** Every combination of values for every two of the parameters. */
const pairsOf = (names: ReadonlyArray<string>) =>
  names.flatMap((one, i) =>
    names.slice(i + 1).flatMap((other) =>
      VALUES[one]!.flatMap((a) =>
        VALUES[other]!.map(
          (b) =>
            [
              [one, a],
              [other, b]
            ] as const
        )
      )
    )
  )

describe("the name of a shared answer", () => {
  it("is a URL of that answer, for every route and every two parameters, and is the same whatever stands beside them", () => {
    assert.isAbove(shared.size, 20)
    let named = 0
    for (const [path, key] of shared) {
      for (const [one, other] of pairsOf(Object.keys(VALUES))) {
        const url = `${path}?${new URLSearchParams([[...one], [...other]])}`
        const name = keyOfUrl(key, url)
        if (name === undefined) continue
        named++
        assert.strictEqual(keyOfUrl(key, name), name, url)
        const others = [
          `${path}?${new URLSearchParams([[...other], [...one]])}`,
          `${url}&z=1&z=2&__proto__=x&constructor=y`,
          url.replace(/[?&]\w/g, (c) => `${c[0]}%${c.charCodeAt(1).toString(16)}`)
        ]
        for (const same of others) assert.strictEqual(keyOfUrl(key, same), name, same)
      }
    }
    assert.isAbove(named, 1_000)
  })

  it("leaves out what is so by default, and bounds what is clamped", () => {
    const matches = shared.get("/v1/matches")!
    for (const same of ["", "?limit=25", "?cursor=0&sort=newest", "?z=9"])
      assert.strictEqual(keyOfUrl(matches, `/v1/matches${same}`), "/v1/matches")
    assert.strictEqual(keyOfUrl(matches, "/v1/matches?limit=61"), "/v1/matches?limit=60")
    assert.strictEqual(keyOfUrl(matches, "/v1/matches?since=2026-01-01T00:00:00%2B01:00"), "/v1/matches?since=2025-12-31T23%3A00%3A00.000Z")
  })

  it("is another for every other value, and none for what the endpoint refuses", () => {
    const matches = shared.get("/v1/matches")!
    const names = ["", "?map=a", "?map=A", "?map=a%26limit%3D1", "?owner=a", "?limit=1", "?cursor=1", "?sort=upset", "?map="]
    assert.lengthOf(new Set(names.map((one) => keyOfUrl(matches, `/v1/matches${one}`))), names.length)
    for (const refused of ["?limit=0", "?limit=1&limit=2", "?cursor=-1", "?cursor=000", "?sort=worst", "?vs=x", "?outcome=win"])
      assert.isUndefined(keyOfUrl(matches, `/v1/matches${refused}`), refused)
  })

  it("has a path without needless percent-encoding", () => {
    const profile = shared.get("/v1/profiles/:username")!
    assert.strictEqual(keyOfUrl(profile, "/v1/pro%66iles/%61da"), "/v1/profiles/ada")
    assert.strictEqual(keyOfUrl(profile, "/v1/profiles/a%2fb"), "/v1/profiles/a%2Fb")
    assert.strictEqual(keyOfUrl(profile, "/v1/profiles/%ff"), "/v1/profiles/%ff")
  })
})
