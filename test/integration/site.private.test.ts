/**
 * Pages of private seasons beside a real service: who sees them, what everybody else is told,
 * and that nothing keeps them.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, page, type Shown, send } from "../support/Pages.ts"
import { retryPutOff } from "../support/putOff.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { matchIds: x, modelIds: m, uuid, versionIds: v } = Fixture

const service = SiteService.layerFixture

/**
 * ada takes part in the private season and root administers the platform; bob does neither, and
 * a forged session is nobody's.
 */
type Caller = "ada" | "bob" | "root" | "forged" | undefined

/** A session has its own rate, so whoever is put off waits as long as they are told. */
const get = (path: string, as?: Caller, headers: Readonly<Record<string, string>> = {}): Effect.Effect<Shown, never, Service.Service> =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    Effect.promise(() =>
      retryPutOff(path, () =>
        Effect.runPromise(page(origin, path, { ...headers, ...(as === undefined ? {} : { cookie: `service_session=${as}-token` }) }))
      )
    )
  )

const SECRET = "/private/games/snakes/seasons/secret"
const PAGES = [
  SECRET,
  ...["", "/matrix", "/course"].map((part) => `${SECRET}/ladders/open${part}`),
  `${SECRET}/boards/duel`,
  "/private/matches?season=secret",
  `/private/matches/${x.secret}`,
  `/private/models/${m.alpha}?season=secret`,
  `/private/models/${m.hidden}?season=secret`
]

/** The same address of what was never made. */
const unmade = (path: string) => path.replaceAll("secret", "unmade").replace(x.secret, uuid("match", 999))

/**
 * All of an answer but its own id, its time, and what the address says, which a form on the page
 * repeats and its tag then counts.
 */
const faceOf = ({ headers, status, text }: Shown) => {
  const { date: _date, etag, "x-request-id": _id, ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, etag: /secret|unmade/.test(text) ? "" : etag, text: unmade(text) }
}

const linksOf = (path: string, shown: Shown) =>
  elementsOf(path, shown.text).flatMap(({ attributes, name }) => (name === "a" ? attributes["href"]!.replace(/#.*/, "") : []))

layer(service, { excludeTestServices: true, timeout: "300 seconds" })("pages of private seasons", (it) => {
  it.effect("show members and administrators what the public pages show of public seasons, without a link that leads nowhere", () =>
    Effect.gen(function* () {
      const links = new Set<string>()
      for (const path of PAGES) {
        for (const as of ["ada", "root"] as const) {
          const shown = yield* get(path, as)
          assert.strictEqual(shown.status, 200, `${path} for ${as}`)
          assert.strictEqual(shown.headers.get("cache-control"), "private, no-store", path)
          assertPage(path, shown)
          for (const to of linksOf(path, shown)) if (to.startsWith("/") && !to.startsWith("/docs")) links.add(to)
        }
      }
      assert.includeMembers([...links], [...PAGES.slice(0, 5), `/private/matches/${x.secret}`, `/v1/private/matches/${x.secret}`])
      for (const to of links) assert.include(to.includes("/admin/") ? [403] : [200, 303], (yield* get(to, "ada")).status, to)
      const text = (path: string) => Effect.map(get(path, "ada"), ({ text }) => text)
      assert.include(yield* text(`${SECRET}/ladders/open`), "<bdi>Alpha</bdi>")
      assert.match(yield* text(`/private/matches/${x.secret}`), /<bdi>Alpha<\/bdi><\/a> – <a[^>]*><bdi>Hidden<\/bdi>/)
      assert.include(yield* text("/private/matches?season=secret"), "1 rated match found")
      assert.include(yield* text(`${SECRET}/boards/duel`), 'class="agon-picture')
    })
  )

  it.effect("tell of a model its record and its rivals there, on which the public page is silent", () =>
    Effect.gen(function* () {
      const path = `/private/models/${m.hidden}?season=secret`
      for (const as of ["ada", "root"] as const) {
        const shown = yield* get(path, as)
        assertPage(path, shown)
        assert.include(linksOf(path, shown), `/private/models/${m.alpha}`, "a rival")
        assert.include(shown.text, "Last matches")
        assert.match(shown.text, new RegExp(`<dt>Worst match</dt><dd><a href="/private/matches/${x.secret}">a loss on`))
      }
      assert.strictEqual((yield* get(path, "bob")).status, 404)
      const baseline = yield* get(`/private/models/${m.secretBase}`, "ada")
      assert.strictEqual((yield* get(`/models/${m.secretBase}/results.atom`)).status, 404)
      assert.notInclude(baseline.text, "results.atom", "a feed that is not there")
      const alpha = `/private/models/${m.alpha}?season=secret`
      const captionOf = (path: string) =>
        Effect.map(get(path, "ada"), ({ text }) => /<caption>([^<]*ersions[^<]*)<\/caption>/.exec(text)?.[1])
      assert.strictEqual(yield* captionOf(`/models/${m.alpha}`), "Public versions, the newest first")
      for (const path of [alpha, `/me/models/${m.alpha}`]) assert.strictEqual(yield* captionOf(path), "Versions, the newest first", path)
      assert.include(linksOf(alpha, yield* get(alpha, "ada")), `/private/models/${m.hidden}`)
      for (const open of [`/models/${m.alpha}`, `/models/${m.hidden}`]) {
        const { text } = yield* get(open, "ada")
        assert.notInclude(text, x.secret)
        assert.notInclude(open === `/models/${m.alpha}` ? text : "", m.hidden)
      }
    })
  )

  it.effect("are where the administrator's list of entries leads, and the entry to disqualify", () =>
    Effect.gen(function* () {
      const adminPage = "/games/snakes/seasons/secret/admin/entries"
      for (const path of [adminPage, `${adminPage}?name=alpha`, `${adminPage}?version=${v.alphaSecret}`]) {
        const models = linksOf(path, yield* get(path, "root")).filter((to) => /\/models\//.test(to))
        assert.isNotEmpty(models, path)
        for (const to of models) {
          assert.match(to, /^\/private\/models\//, path)
          assert.strictEqual((yield* get(to, "root")).status, 200, to)
        }
      }
      const spring = yield* get("/games/snakes/seasons/spring/admin/entries", "root")
      assert.include(linksOf("spring", spring), `/models/${m.alpha}`)
    })
  )

  it.effect("are where a comment on a baseline leads its author, whom it answers, and a moderator", () =>
    Effect.gen(function* () {
      const at = `/private/models/${m.secretBase}`
      const write = `/me/comments?model=${m.secretBase}`
      assert.include(linksOf(at, yield* get(at, "ada")), write)
      const say = (body: string) => send(write, "ada", { form: "write", body })
      assert.strictEqual((yield* say("A strong start.")).headers.get("location"), "/me/comments?done=pending")
      const ways = Effect.fnUntraced(function* (path: string, as: "ada" | "root") {
        const links = linksOf(path, yield* get(path, as)).filter((to) => to.includes(m.secretBase) && !to.startsWith("/me/"))
        assert.isNotEmpty(links, path)
        for (const to of links) assert.strictEqual((yield* get(to, as)).status, 200, `${to} of ${path}`)
      })
      for (const path of [write, "/me/comments"]) yield* ways(path, "ada")
      yield* ways("/admin/comments", "root")
      const { as } = yield* Service.Service
      const [ada, admin] = [yield* as("ada"), yield* as("admin")]
      const { comments } = yield* ada.community.pendingComments({ query: { limit: 1, cursor: 0 } })
      yield* admin.moderation.moderateComment({ params: { id: comments[0]!.id }, payload: { state: "approved" } })
      yield* ways("/me/notifications", "ada")
      yield* ways("/admin/threads", "root")
      const second = (yield* say("And a strong end.")).headers.get("location")!
      assert.include((yield* get(second.replace(/#.*/, ""), "ada")).text, "And a strong end.")
      assert.strictEqual((yield* get(second.replace(/#.*/, ""), "bob")).status, 404)
    })
  )

  it.effect("lead to the public address of what is public, which can be passed on", () =>
    Effect.gen(function* () {
      for (const [path, to] of [
        ["/private/games/snakes/seasons/spring", "/games/snakes/seasons/spring"],
        ["/private/games/snakes/seasons/spring/ladders/open?cursor=50&x=y", "/games/snakes/seasons/spring/ladders/open?cursor=50"],
        [`/private/matches/${x.open}`, `/matches/${x.open}`],
        [`/private/models/${m.random}`, `/models/${m.random}`],
        [`/private/models/${m.beta}?season=spring&cursor=50`, `/models/${m.beta}?season=spring&cursor=50`]
      ] as const) {
        const { headers, status } = yield* get(path, "ada")
        assert.deepStrictEqual([status, headers.get("location"), headers.get("cache-control")], [303, to, "private, no-store"])
      }
      const { headers, status } = yield* get(`/private/versions/${v.alphaSecret}`, "ada")
      assert.deepStrictEqual([status, headers.get("location")], [303, `/private/models/${m.alpha}?season=secret#v3`])
    })
  )

  it.effect("do not exist for anybody else: the answer is that to what was never made, to the byte, whatever they have seen", () =>
    Effect.gen(function* () {
      for (const path of [...PAGES, `/private/versions/${v.hiddenSecret}`, `/private/replays/${x.secret}/abc`]) {
        const seen = yield* get(path, "ada", { "accept-encoding": "identity" })
        const has = { "accept-encoding": "identity", "if-none-match": `${seen.headers.get("etag") ?? '"a"'}, *` }
        for (const as of ["bob", "forged", undefined] as const) {
          const [hidden, never] = [yield* get(path, as, has), yield* get(unmade(path), as, has)]
          assert.strictEqual(hidden.status, 404, `${path} for ${as}`)
          assert.deepStrictEqual(faceOf(hidden), faceOf(never))
          assert.strictEqual(hidden.headers.get("cache-control"), "private, no-store")
        }
      }
      const nowhere = yield* get(SECRET)
      assert.strictEqual(nowhere.text, (yield* get("/games/snakes/seasons/unmade")).text)
      assert.strictEqual(nowhere.text, (yield* get(SECRET, "bob")).text)
    })
  )

  it.effect("are kept by nobody, however a member asks for them", () =>
    Effect.gen(function* () {
      const member = { "accept-encoding": "gzip", "cache-control": "public, max-age=600", "agon-fresh-ms": "60000" }
      const spelled = [
        ...PAGES,
        ...PAGES.map((path) => path.replace("/private", "")),
        ...["/%70rivate", "//private", "/Private", "/private%2fgames/..", "/private/", "/private;x"].map((prefix) =>
          SECRET.replace("/private", prefix)
        ),
        `${SECRET}?season=secret`,
        `/matches/${x.secret}?/private`,
        `${SECRET}/`
      ]
      for (const path of spelled) {
        for (const method of ["GET", "HEAD"]) {
          const { origin } = yield* Service.Service
          yield* page(origin, path, { ...member, cookie: "service_session=ada-token" }, method)
        }
        const mine = yield* get(path, "ada", member)
        const others = yield* get(path, undefined, member)
        if (mine.headers.get("cache-control")?.startsWith("public") === true) assert.strictEqual(mine.text, others.text, path)
        for (const as of [undefined, "bob"] as const) {
          const { status, text } = yield* get(path, as, { "accept-encoding": "gzip" })
          assert.isTrue(status === 404 || !text.includes("secret"), `${path} for ${as}: ${status}`)
        }
      }
    })
  )

  it.effect("are linked on the member's own page and on no public one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE season SET submissions_close_at = '2099-01-01' WHERE slug = 'secret'`
      const own = yield* get("/me", "ada")
      assert.include(linksOf("/me", own), SECRET)
      assert.include(linksOf("/me", own), `/private/matches/${x.secret}`)
      assert.notInclude((yield* get("/me", "bob")).text, "/private")
      assert.include(linksOf("/me", yield* get(`/me/versions/${v.alphaSecret}`, "ada")), `${SECRET}/ladders/open`)
      assert.include((yield* get(`/me/models/${m.alpha}`, "ada")).text, `/me/models/${m.alpha}/submit/secret`)
      for (const path of ["/", "/games/snakes", "/matches", "/news", "/people/ada", `/models/${m.alpha}`, `/models/${m.hidden}`]) {
        for (const as of ["ada", undefined] as const) {
          const { status, text } = yield* get(path, as)
          assert.strictEqual(status, 200, path)
          assert.notInclude(text, "/private", path)
          assert.notInclude(text, "secret", path)
        }
      }
    })
  )

  it.effect("go when the right to them goes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const added = {
        id: uuid("participant", 90),
        season_id: Fixture.seasonIds.secret,
        provider: "dev",
        login: "BOB",
        added_at: "2026-01-01"
      }
      yield* Fixture.insert("participant", [added])
      const seen = yield* get(SECRET, "bob")
      assert.strictEqual(seen.status, 200)
      yield* sql`DELETE FROM participant WHERE id = ${added.id}`
      const { headers, status } = yield* get(SECRET, "bob", { "if-none-match": seen.headers.get("etag")! })
      assert.deepStrictEqual([status, headers.get("cache-control")], [404, "private, no-store"])
    })
  )
})
