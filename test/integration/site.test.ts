/** The site beside a real service on a real database: every page, what it shows to whom, and what becomes of the service without it. */

import { OwnSite } from "@agon/server/process/OwnSite.ts"
import { said } from "@agon/site/html/Html.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, page, siteAnswers, TURNED } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { seedAccounts } from "../support/Web.ts"

const { matchIds: x, modelIds: m, uuid, versionIds: v } = Fixture

/** Behind a proxy that tells addresses, which the pages' readers have one each of. */
const proxied = SiteService.settings
const seeded = Fixture.layer.pipe(Layer.provide(Layer.effectDiscard(seedAccounts)))
const service = seeded.pipe(Layer.provideMerge(Service.layer(proxied)))

const get = (path: string, headers?: Readonly<Record<string, string>>, method?: string) =>
  Effect.flatMap(Service.Service, ({ origin }) => page(origin, path, headers, method))

const spoil = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE account SET display_name = ${TURNED}, bio = ${TURNED} WHERE username = 'ada'`
  yield* sql`UPDATE model SET name = ${TURNED} WHERE id IN (${m.alpha}, ${m.random})`
  yield* sql`UPDATE season SET name = ${TURNED} WHERE slug = 'spring'`
  yield* sql`INSERT INTO series_point (season_id, ladder, at, versions, mus)
    VALUES (${Fixture.seasonIds.spring}, 'open', '1990-01-01', ARRAY[${v.alpha2}, ${v.beta1}]::uuid[], ARRAY[40, 10])`
  yield* sql`UPDATE version SET note = ${TURNED} WHERE id = ${v.alpha2}`
  yield* sql`INSERT INTO announcement (id, title, body, link, created_at) VALUES (${uuid("thread", 1)}, ${TURNED}, ${TURNED}, '/news', '2026-01-01')`
  yield* sql`INSERT INTO post (id, slug, title, body, author_id, published_at, created_at)
    SELECT gen_random_uuid(), 'ill', ${TURNED}, ${TURNED}, id, '2026-01-01', '2026-01-01' FROM account WHERE username = 'ada'`
})

let asked = 0

const PAGES = [
  ...["/", "/games/snakes", "/games/othello", "/matches", "/news", "/posts/ill", "/people/ada", "/people/bob"],
  ...["spring", "winter", "autumn"].map((slug) => `/games/snakes/seasons/${slug}`),
  ...["open", "nano", "large"].map((ladder) => `/games/snakes/seasons/spring/ladders/${ladder}`),
  ...["open", "large"].map((ladder) => `/games/snakes/seasons/spring/ladders/${ladder}/matrix`),
  ...["open", "large"].map((ladder) => `/games/snakes/seasons/spring/ladders/${ladder}/course`),
  ...["duel", "old"].map((map_id) => `/games/snakes/seasons/spring/boards/${map_id}`),
  ...[x.nano, x.open, x.winter].map((id) => `/matches/${id}`),
  ...[m.alpha, m.beta, m.gamma, m.random].map((id) => `/models/${id}`),
  `/models/${m.alpha}?season=winter&ladder=nano`,
  `/matches?game=snakes&season=spring&owner=ada&outcome=win&sort=closest&players_min=2&since=1969-01-01&top=10`,
  `/matches?vs=${m.alpha},${m.beta}`
]

layer(service, { excludeTestServices: true, timeout: "600 seconds" })("the site", (it) => {
  it.effect("shows a page of everything, well formed, safe whatever people call themselves, without a link that leads nowhere", () =>
    Effect.gen(function* () {
      yield* spoil
      yield* siteAnswers
      const links = new Set<string>()
      for (const path of PAGES) {
        const answer = yield* get(path)
        assert.strictEqual(answer.status, 200, `${path}: ${answer.text}`)
        for (const { attributes, name } of assertPage(path, answer)) {
          const to = name === "a" ? attributes["href"]! : undefined
          if (to?.startsWith("/") === true && !/^\/(v1|docs|objects)\b/.test(to)) links.add(to.replace(/#.*/, ""))
        }
      }
      for (const path of links) {
        const { status } = yield* get(path)
        assert.strictEqual(status, /^\/me(\/|$)|\/admin\//.test(path) ? 401 : 200, path)
      }
      assert.isAbove(links.size, 40)
      const alpha = yield* get(`/versions/${v.alpha2}`)
      assert.deepStrictEqual([alpha.status, alpha.headers.get("location")], [303, `/models/${m.alpha}?season=spring#v2`])
    })
  )

  it.effect("says in its head what a page shows, in plain words whatever people call things, for previews of links", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const preview = (path: string) =>
        Effect.map(get(path), ({ text }) => {
          const metas = elementsOf(path, text).filter(({ name }) => name === "meta")
          const of = (property: string) => metas.find(({ attributes }) => attributes["property"] === property)?.attributes
          assert.strictEqual(of("og:description")?.["name"], "description", path)
          for (const property of ["og:title", "og:description"]) {
            const words = of(property)!["content"]!
            assert.notMatch(words, /[\u202a-\u202e\n]|&(lt|gt|quot|#\d+);/, path)
            assert.isAtMost([...words].length, 200, path)
          }
          return [of("og:title")!["content"], of("og:description")!["content"]]
        })
      assert.match((yield* preview(`/models/${m.beta}`))[1]!, /^A model of bob\. Rank 1 on the ladder open of [^.]+\.$/)
      const [title, description] = yield* preview(`/matches/${x.nano}`)
      assert.include(title, TURNED.replace("\u202e", ""))
      assert.match(description!, / won\. The match ended after \d+ turns: .* on the board \w+, .* UTC\.$/)
      for (const path of ["/", "/games/snakes", "/posts/ill", `/games/snakes/seasons/spring`, `/games/snakes/seasons/spring/ladders/open`])
        yield* preview(path)
      const { text } = yield* get("/me")
      assert.notInclude(text, "og:", "nobody previews a page of one's own")
    })
  )

  it.effect("leads up to the game and the season by their names", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const crumbs = (path: string) =>
        Effect.map(get(path), ({ text }) => [
          .../<p class="faint">(.*?)<\/p>\n<h1>/.exec(text)![1]!.matchAll(/<a href="([^"]*)">(.*?)<\/a>/g)
        ])
      const spring = "/games/snakes/seasons/spring"
      const name = said(TURNED)
      const game = ["/games/snakes", "<bdi>Snakes</bdi>"]
      const ladder = [`${spring}/ladders/open`, "ladder open"]
      for (const [path, ...steps] of [
        [`${spring}/boards/duel`, game, [spring, String(name)]],
        [`/matches/${x.open}`, game, [spring, String(name)]],
        [`${spring}/ladders/open`, game, [spring, String(name)]],
        [`${spring}/ladders/open/matrix`, game, [spring, String(name)], ladder],
        [`${spring}/ladders/open/course`, game, [spring, String(name)], ladder],
        ["/games/snakes/seasons/winter/boards/duel", game, ["/games/snakes/seasons/winter", "<bdi>Season winter</bdi>"]],
        [spring, game],
        [`/models/${m.beta}`, game]
      ] as const) {
        const found = (yield* crumbs(path)).map(([, to, text]) => [to!, text!])
        assert.deepStrictEqual(
          found,
          steps.map((step) => [...step]),
          path
        )
      }
      assert.include((yield* get(`/models/${m.beta}?season=spring`)).text, `<h2>In season <a href="${spring}">${name}</a>, on`)
      for (const path of ["/", "/matches?season=spring", "/people/ada", `/models/${m.beta}`]) {
        const { text } = yield* get(path)
        assert.include(text, `<a href="${spring}">${name}</a>`, path)
        assert.notInclude(text, ">spring<", path)
      }
      assert.include((yield* get(`${spring}/ladders/open/course`)).text, `<h1>The open ladder of ${name} over time</h1>`)
    })
  )

  it.effect("shows the top of a ladder against each other, and who is ahead in words", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { as } = yield* Service.Service
      const { entries } = yield* (yield* as("ada")).leaderboard.matrix({
        params: { game: "snakes" },
        query: { season: "spring", ladder: "open", limit: 20 }
      })
      const { text } = yield* get("/games/snakes/seasons/spring/ladders/open/matrix")
      const records = entries.flatMap(({ against }) => against.flatMap((record) => (record === null ? [] : [record])))
      const met = records.filter(({ draws, losses, wins }) => wins + draws + losses > 0)
      const cells = [...text.matchAll(/<td class="(ahead|behind|even)"><a [^>]*>(\d+)&#8211;(\d+)&#8211;(\d+)<\/a><br><small>(\w+)</g)]
      const words = ({ losses, wins }: (typeof met)[number]) => (wins > losses ? "ahead" : wins < losses ? "behind" : "even")
      assert.deepStrictEqual(
        cells.map(([, colour, wins, draws, losses, word]) => [colour, Number(wins), Number(draws), Number(losses), word]),
        met.map((record) => [words(record), record.wins, record.draws, record.losses, words(record)])
      )
      assert.isNotEmpty(cells)
    })
  )

  it.effect("draws ratings over time without a script, with a table of the figures", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const course = yield* get("/games/snakes/seasons/spring/ladders/open/course")
      for (const { text } of [course, yield* get(`/models/${m.alpha}?season=spring`)]) {
        assert.match(text, /<agon-chart[^>]*><svg class="graph"[^>]* role="img" aria-label="Rating/)
        assert.match(text, /<script type="module" src="\/assets\/chart-/)
        assert.match(text, /<tr><th scope="row"><time datetime="[^"]+">[^<]+<\/time><\/th><td class="n">15[14]0\.0<\/td>/)
      }
      assert.lengthOf([...course.text.matchAll(/<th scope="col" data-line/g)], 4)
    })
  )

  it.effect("shows the boards of a season as pictures, and who is in front of the models that people have entered", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { text } = yield* get("/games/snakes/seasons/spring")
      const boards = text.slice(text.indexOf('<ul class="cards boards">'))
      assert.match(boards, /<h3><a href="\/games\/snakes\/seasons\/spring\/boards\/duel">duel<\/a><\/h3>\n<svg class="agon-picture /)
      const ladders = text.slice(text.indexOf('<h2 id="ladders">'), text.indexOf('<h2 id="matches">'))
      assert.match(ladders, /<td><a href="\/models\/[^"]*"><bdi>[^<]*<\/bdi><\/a> of <a href="\/people\//)
      assert.notInclude(ladders, "<i>baseline</i>")
    })
  )

  it.effect("says of a game without a season that there is none, and of a ladder that nobody entered before the end who won it", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const none = yield* get("/matches?game=othello")
      assert.strictEqual(none.status, 200)
      assert.include(none.text, "There is no season of Othello yet.")
      const ladderOf = (text: string, name: string) =>
        new RegExp(`ladders/${name}">${name}</a></th>\n<td class="faint">([^<]*)<`).exec(text)![1]
      assert.strictEqual(ladderOf((yield* get("/games/snakes/seasons/winter")).text, "micro"), "nobody")
      assert.strictEqual(ladderOf((yield* get("/games/snakes/seasons/spring")).text, "micro"), "nobody yet")
    })
  )

  it.effect("knows nothing of private seasons, of what does not exist, and of what is asked in another way", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const nothing = [
        ...[
          "/games/snakes/seasons/secret",
          "/games/snakes/seasons/secret/ladders/open",
          "/games/snakes/seasons/secret/ladders/open/matrix",
          "/games/snakes/seasons/secret/boards/duel",
          "/matches?season=secret",
          "/matches?game=othello&season=none",
          "/matches?game=chess"
        ],
        ...[`/matches/${x.secret}`, `/models/${m.alpha}?season=secret`, `/versions/${v.alphaSecret}`],
        ...["/games/chess", "/games/snakes/seasons/none", "/games/snakes/seasons/spring/ladders/none", `/matches/${uuid("match", 999)}`],
        ...[
          "/people/nobody",
          "/posts/none",
          "/posts/NO_SLUG",
          "/versions/none",
          `/versions/${uuid("version", 999)}`,
          "/models/none",
          "/matches/none",
          "/nothing",
          "/games/",
          "/news/",
          "/NEWS",
          `/matches/${x.passedTrial}`
        ],
        ...["/games/..%2f..%2fv1", "/people/%00", "/people/%ff", "/assets/none.js"]
      ]
      const has = (text: string) => assert.include(text, '<li><a href="/me">My page</a></li>', "the way of any other page to one's own")
      for (const path of nothing) {
        const answer = yield* get(path)
        assert.strictEqual(answer.status, 404, path)
        assertPage(path, answer)
        has(answer.text)
      }
      const own = yield* get("/me/nothing", { cookie: "service_session=ada-token" })
      assert.deepStrictEqual([own.status, own.headers.get("cache-control")], [404, "no-store"])
      has(own.text)
      const hidden = yield* get(`/models/${m.hidden}`) // a model is anybody's to see; that it is in a private season is not
      assert.notInclude(hidden.text, "secret")
      const ill = ["/matches?sort=none", "/matches?outcome=win", "/matches?cursor=-1", "/news?cursor=x", `/models/${m.alpha}?ladder=none`]
      for (const path of [...ill, `/matches?model=${"a".repeat(500)}`, "/matches?vs=a,b", "/matches?since=yesterday", "/matches?top=1e9"]) {
        const answer = yield* get(path)
        assert.strictEqual(answer.status, 400, path)
        assertPage(path, answer)
      }
      const long = yield* get(`/matches?model=${"a".repeat(3_000)}`)
      assert.strictEqual(long.status, 414)
      const post = yield* get("/news", {}, "POST")
      assert.deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"])
      has(long.text)
    })
  )

  it.effect("takes the addresses of pages as filters of the matches", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const listed = (query: Readonly<Record<string, string>>) =>
        Effect.map(get(`/matches?${new URLSearchParams(query)}`), ({ text }) => text)
      const at = (id: string) => `https://agon.example/models/${id}`
      for (const [pasted, plain] of [
        [{ model: `${at(m.alpha)}?season=spring#v2` }, { model: m.alpha }],
        [{ vs: `${at(m.alpha)}, ${at(m.beta)}` }, { vs: `${m.alpha},${m.beta}` }],
        [{ owner: "https://agon.example/people/ada" }, { owner: "ada" }],
        [
          { season: "spring", map: "/games/snakes/seasons/spring/boards/duel" },
          { season: "spring", map: "duel" }
        ]
      ] as const) {
        const text = yield* listed(pasted)
        assert.match(text, /[1-9]\d* rated match(es)? found/)
        assert.strictEqual(text, yield* listed(plain), JSON.stringify(pasted))
      }
    })
  )

  it.effect("says which filter of the matches needs another value, above the form and at the field, and which it takes", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { status, text } = yield* get(`/matches?top=2000&vs=a,b&since=yesterday&owner=ada&outcome=win`)
      assert.strictEqual(status, 400)
      const told = text.slice(text.indexOf('id="refusal"'), text.indexOf("<form"))
      for (const label of ["With one of the best", "Two models that met", "Played since"]) assert.include(told, `“${label}`)
      assert.notInclude(told, "outcome")
      const wrong = [...text.matchAll(/name="(\w+)"[^>]*aria-invalid="true" aria-describedby="refusal"/g)].map(([, name]) => name)
      assert.sameMembers(wrong, ["vs", "since", "top"])
      assert.include(text, 'value="2000"', "as it was typed")
    })
  )

  it.effect("says of an empty list whether nothing fits it, or its end is passed, or nothing has happened yet", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const says = Effect.fnUntraced(function* (path: string, sentence: string) {
        const answer = yield* get(path)
        assertPage(path, answer)
        assert.include(answer.text, sentence, path)
      })
      for (const filter of ["owner=nobody", "since=9999-12-31", "season=autumn&map=none"])
        yield* says(`/matches?${filter}`, "No match fits these filters.")
      yield* says("/matches?season=spring&cursor=1000", "There is no match on this page.")
      yield* says("/matches?season=autumn&game=snakes&sort=longest", "No match has been played.")
      yield* says(`/matches/${x.nano}?cursor=1000`, "There is no comment on this page.")
      yield* says(`/matches/${x.nano}`, "Nobody has said anything yet.")
      yield* says("/games/snakes/seasons/autumn", "Nobody is on the open ladder yet.")
    })
  )

  it.effect("answers no question that a stranger makes up with a failure of its own", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const values = ["", "0", "-1", "1e99", "%00", "%F0%9F%92%A9", "%EF%BF%BF", "%ED%A0%80", "null", "[]", "..", "%27%22%3C", "__proto__"]
      const names = [
        "cursor",
        "season",
        "ladder",
        "sort",
        "game",
        "model",
        "owner",
        "map",
        "vs",
        "since",
        "top",
        "__proto__",
        "constructor"
      ]
      for (const path of [
        "/",
        "/matches",
        "/news",
        `/models/${m.alpha}`,
        `/matches/${x.nano}`,
        "/games/snakes/seasons/spring/ladders/open"
      ]) {
        for (const [i, name] of names.entries()) {
          const value = values[(i * 5 + path.length) % values.length]!
          const { status } = yield* get(`${path}?${name}=${value}&${name}=${values[i]}`)
          assert.isBelow(status, 500, `${path}?${name}=${value}&${name}=${values[i]}`)
        }
      }
    })
  )

  it.effect("is the same for everybody, kept by its tag, and compressed", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const path = "/games/snakes/seasons/winter/ladders/nano"
      const ada = yield* Effect.flatMap(Service.Service, ({ as }) => as("ada"))
      assert.strictEqual((yield* ada.account.me()).username, "ada")
      const plain = yield* get(path, { "accept-encoding": "identity" })
      const cookie = yield* get(path, { "accept-encoding": "identity", cookie: "service_session=whoever" })
      assert.strictEqual(cookie.text, plain.text)
      assert.strictEqual(plain.headers.get("cache-control"), "public, no-cache")
      const { text, ...known } = yield* get(path, { "accept-encoding": "identity", "if-none-match": plain.headers.get("etag")! })
      assert.deepStrictEqual([known.status, text], [304, ""])
      for (const coding of ["gzip", "br"]) {
        const coded = yield* get(path, { "accept-encoding": coding })
        assert.deepStrictEqual([coded.headers.get("content-encoding"), coded.text], [coding, plain.text])
      }
      assert.strictEqual((yield* get(path, {}, "HEAD")).status, 200)
      const styles = elementsOf(path, plain.text).flatMap(({ attributes, name }) => (name === "link" ? attributes["href"]! : []))
      for (const style of styles) {
        const { headers } = yield* get(style, { "accept-encoding": "gzip" })
        assert.match(headers.get("cache-control")!, /immutable/)
        if (style.endsWith(".css")) assert.strictEqual(headers.get("content-encoding"), "gzip")
      }
      assert.notInclude((yield* get("/?sign_in_error=constructor")).text, 'role="alert"')
      assert.match((yield* get("/robots.txt")).text, /Disallow: \/v1\//)
    })
  )

  it.effect("shows a visitor's own page to that visitor alone, who may keep no copy of it", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const nobody = yield* get("/me")
      assert.strictEqual(nobody.status, 401)
      assert.include(nobody.text, "/v1/auth/dev?return_to=%2Fme")
      for (const cookie of ["service_session=forged", "service_session=a b;x", "service_session=\u00e9"]) {
        assert.strictEqual((yield* get("/me", { cookie })).status, 401, cookie)
      }
      const ada = yield* get("/me", { cookie: "service_session=ada-token" })
      assert.strictEqual(ada.status, 200, ada.text)
      assertPage("/me", ada)
      assert.strictEqual(ada.headers.get("cache-control"), "private, no-store")
      assert.include(ada.text, "Signed in as ada")
      assert.include(ada.text, "in trial")
      assert.match(ada.text, /<li>rank \d+ on <a href="\/games\/snakes\/seasons\/[a-z]+\/ladders\/[a-z]+">/, "where a model stands")
      const newcomer = yield* get("/me", { cookie: "service_session=root-token" })
      assert.include(newcomer.text, "Your first model", "an account without a model is told how to begin")
      assert.notInclude(ada.text, "Your first model")
    })
  )

  it.effect("counts what it reads against its visitor, and nobody else", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const one = { "x-forwarded-for": "203.0.113.1" }
      const asks = Effect.forEach(Array.from({ length: 120 }), () => get(`/models/none-${++asked}`, one), { concurrency: "unbounded" })
      yield* eventually(
        "an address that has asked for too much",
        Effect.map(asks, (answers) => answers.some(({ status, text }) => status === 429 && text.includes("Too many requests")))
      )
      assert.strictEqual((yield* get(`/models/${m.beta}`, { "x-forwarded-for": "203.0.113.3" })).status, 200)
    })
  )

  it.effect("has pages that are shown without it while nothing beneath them has changed, and that follow a write at once", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { pid } = yield* OwnSite
      const bob = yield* Effect.flatMap(Service.Service, ({ as }) => as("bob"))
      const shown = get("/people/bob")
      const before = yield* shown
      assert.strictEqual(before.status, 200)
      process.kill(pid()!, "SIGSTOP")
      yield* Effect.sleep("1500 millis") // longer than the site's own second
      const without = yield* Effect.ensuring(
        shown,
        Effect.sync(() => process.kill(pid()!, "SIGCONT"))
      )
      assert.deepStrictEqual([without.status, without.text], [200, before.text])
      yield* bob.account.editMe({ payload: { display_name: "Robert of the pages" } })
      assert.include((yield* shown).text, "Robert of the pages")
    })
  )

  it.effect("may be killed: the API answers on, a plain page says so, and it comes back by itself", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { pid } = yield* OwnSite
      const first = pid()!
      process.kill(first, "SIGKILL")
      const away = eventually(
        "a page with 503", // a personal one, since the service keeps no such page
        Effect.map(get("/me"), ({ status }) => status === 503)
      )
      yield* away
      const answer = yield* get("/games")
      if (answer.status === 503) assert.strictEqual(answer.headers.get("retry-after"), "2")
      assert.strictEqual((yield* get("/v1/games")).status, 200)
      yield* siteAnswers
      assert.notStrictEqual(pid(), first)
    })
  )
})
