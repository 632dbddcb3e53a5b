/** The administration pages beside a real service: what they show, to whom, and that names harm none of them. */
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { platformPages, seasonPages } from "../support/adminPages.ts"
import * as Fixture from "../support/Fixture.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { assertPage, ILL, page, postForm, type Shown, siteAnswers } from "../support/Pages.ts"
import { retryPutOff, untilTaken } from "../support/putOff.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { matchIds: x, modelIds: m, versionIds: v } = Fixture

const GAME = { game: "snakes" } as const
/** A private season whose every name is ill. */
const HIDDEN = { game: "snakes", slug: "hidden" } as const

/** A runner of an ill name; one that says nothing more is lost after a while. */
const joining = Effect.gen(function* () {
  const service = yield* Service.Service
  const { key } = yield* (yield* service.as("admin")).seasonFleet.createSeasonKey({ params: HIDDEN, payload: { name: ILL.slice(0, 64) } })
  const payload = { name: ILL.slice(0, 64), runtime_version: "test", accepts: ["match"], slots: 3 } as const
  const engines = [{ game: "snakes", engine_digest: Fixture.engineDigest }]
  yield* (yield* service.runner(key)).runner.openSession({ payload: { ...payload, engines } })
})

/** ada administers `hidden` and `spring`, bob `winter`; root everything. */
const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO season_admin (season_id, account_id, added_at)
    SELECT s.id, a.id, now() FROM season s, account a WHERE (s.slug, a.username) IN (('spring', 'ada'), ('winter', 'bob'))`
  yield* sql`UPDATE model SET name = ${ILL} WHERE id = ${m.alpha}`
  yield* sql`UPDATE account SET display_name = ${ILL} WHERE username = 'ada'`
  yield* sql`INSERT INTO runner_key (id, name, prefix, key_sha256, created_at)
    VALUES (gen_random_uuid(), 'beside the service', 'agon_rk_own', sha256('own'), now())`
  const service = yield* Service.Service
  const [admin, ada] = [yield* service.as("admin"), yield* service.as("ada")]
  const writes = [
    admin.seasonCreation.createSeason({
      params: GAME,
      payload: {
        ...OPEN_SEASON,
        name: ILL,
        slug: "hidden",
        weight_classes: Fixture.classes,
        visibility: "private",
        entry: "restricted",
        providers: ["dev"],
        admins: ["ada"]
      }
    }),
    ...snakesBoards.slice(0, 2).map((board) => admin.boardAdmin.addBoard({ params: HIDDEN, payload: JSON.parse(JSON.stringify(board)) })),
    admin.roster.addParticipants({ params: HIDDEN, payload: { logins: [ILL, "bob"] } }),
    joining,
    admin.notice.notify({ params: HIDDEN, payload: { subject: ILL, link: "/news" } }),
    admin.round.planRound({ params: HIDDEN, payload: { kind: "round", games: 9, starts_at: "2098-01-01T00:00:00Z" } }),
    admin.seasonWebhook.createSeasonWebhook({ params: HIDDEN, payload: { url: `https://10.9.8.7/"><ill>` } }),
    admin.platform.addWord({ payload: { word: "darn" } }),
    admin.editorial.announce({ payload: { title: ILL, body: ILL } }),
    admin.editorial.addPost({ payload: { slug: "draft", title: ILL, body: ILL } }),
    admin.pickAdmin.pick({ payload: { match: x.nano, note: ILL } }),
    ada.community.postComment({ payload: { match: x.nano, body: ILL } }),
    ada.writing.writeStory({ params: { id: m.alpha }, payload: { body: ILL, submit: true } })
  ]
  for (const write of writes) yield* untilTaken(write)
})

const service = SiteService.layerFixture
const ready = Layer.effectDiscard(Effect.andThen(seeded, siteAnswers)).pipe(Layer.provideMerge(service))

const cookieOf = (as: string) => ({ cookie: `service_session=${as}-token` })

/** Asked again while the account's rate is met, which its address alone does not keep from. */
const untilAllowed = (path: string, ask: Effect.Effect<Shown>) => Effect.promise(() => retryPutOff(path, () => Effect.runPromise(ask)))

const get = (path: string, as?: string) =>
  Effect.flatMap(Service.Service, ({ origin }) => untilAllowed(path, page(origin, path, as === undefined ? {} : cookieOf(as))))

/** A form of the page at `path`, sent by somebody. */
const sent = (path: string, as: string, fields: Readonly<Record<string, string>>) =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    untilAllowed(path, postForm(origin, path, new URLSearchParams(fields).toString(), cookieOf(as)))
  )

/** Of the texts of ill names, and of what is nowhere to be found. */
const WRITTEN = {
  version: v.beta1,
  match: x.nano,
  announcement: Fixture.uuid("thread", 999),
  post: "draft",
  webhook: Fixture.uuid("thread", 998)
}
const adminOf = (slug: string) => seasonPages(slug, WRITTEN)
const PLATFORM = platformPages(WRITTEN)

layer(Layer.orDie(ready), { excludeTestServices: true, timeout: "600 seconds" })("the administration pages", (it) => {
  it.effect("is well formed, safe whatever people call things, kept nowhere, and leads nowhere that does not answer", () =>
    Effect.gen(function* () {
      const links = new Set<string>()
      for (const path of [...adminOf("hidden"), ...adminOf("spring"), ...PLATFORM, "/games/snakes/seasons/autumn/admin"]) {
        const answer = yield* get(path, "root")
        assert.strictEqual(answer.status, 200, `${path}: ${answer.text}`)
        assert.strictEqual(answer.headers.get("cache-control"), "private, no-store", path)
        for (const { attributes, name } of assertPage(path, answer)) {
          const to = name === "a" ? attributes["href"]! : undefined
          if (to?.startsWith("/") === true && !/^\/(v1|docs)\b/.test(to)) links.add(to.replace(/#.*/, ""))
        }
      }
      for (const path of links) {
        const { headers, status } = yield* get(path, "root")
        // A match may be one of a private season; the page of any other leads to its public address. A version is shown by its model.
        const to = status === 303 && /^\/private\/matches\/|^(\/private)?\/versions\//.test(path) ? headers.get("location")! : path
        assert.strictEqual((yield* get(to, "root")).status, 200, path)
      }
      assert.isAbove(links.size, 40)
    })
  )

  it.effect("is for those alone whom the service lets in", () =>
    Effect.gen(function* () {
      const statuses = (path: string) =>
        Effect.forEach([undefined, "bob", "ada", "root"], (as) => Effect.map(get(path, as), ({ status }) => status))
      for (const path of adminOf("spring")) assert.deepStrictEqual(yield* statuses(path), [401, 403, 200, 200], path)
      for (const path of adminOf("winter")) assert.deepStrictEqual(yield* statuses(path), [401, 200, 403, 200], path)
      for (const path of adminOf("none")) assert.deepStrictEqual(yield* statuses(path), [401, 404, 404, 404], path)
      for (const path of PLATFORM) assert.deepStrictEqual(yield* statuses(path), [401, 403, 403, 200], path)
      const [nobody, other] = [yield* get("/admin/users?q=a"), yield* get("/games/snakes/seasons/secret/admin", "bob")]
      assert.include(nobody.text, `/v1/auth/dev?return_to=${encodeURIComponent("/admin/users?q=a")}`)
      assert.notInclude(other.text, "Season secret")
      assert.match(
        (yield* get("/games/snakes/seasons/spring/admin", "bob")).text,
        /account that you are signed in with may not[\s\S]* or <a href="\/me">to my page<\/a>/
      )
      assertPage("/admin", nobody)
      assertPage("/admin", other)
    })
  )

  it.effect("shows a season's state, boards, people, keys and log", () =>
    Effect.gen(function* () {
      const shown = (part: string) => Effect.map(get(`/games/snakes/seasons/hidden/admin${part}`, "ada"), ({ text }) => text)
      const has = (text: string, ...parts: ReadonlyArray<string>) => {
        for (const part of parts) assert.include(text, part)
      }
      yield* joining
      has(yield* shown(""), "0 in play, 2 out of play", "its participants and administrators", "Only people on the roster may enter")
      const boards = yield* shown("/boards")
      assert.strictEqual(boards.match(/<svg class="agon-picture/g)?.length, 2)
      has(boards, ...snakesBoards.slice(0, 2).map(({ map_id }) => map_id), "Out of play")
      has(yield* shown("/people"), 'href="/people/ada"', 'href="/people/bob"', "not yet signed in")
      has(yield* shown("/rounds"), "Round 1", "9 matches for each model", "The platform's administrators plan rounds")
      has(yield* shown("/runners"), "agon_rk_", 'by <a href="/people/', "nothing of 3")
      const baselines = (yield* get("/games/snakes/seasons/spring/admin/baselines", "ada")).text
      has(baselines, `<th scope="row"><a href="/versions/${v.random}">random</a></th>`)
      assert.notInclude(baselines, "<code>", "no id that nobody reads")
      const log = yield* shown("/log")
      has(log, "created the season", "added a board", "made a runner key", "the newest first")
      assert.notInclude(log, '<td class="own"> <code', "an action without words")
      has((yield* get("/games/snakes/seasons/hidden/admin/rounds", "root")).text, "Rounds", "to come")
      const found = yield* get("/admin/users?q=bo", "root")
      has(found.text, "bob")
      assert.notInclude(found.text, "/people/ada")
      has((yield* get("/admin/runners", "root")).text, "by <i>the service</i>")
    })
  )

  it.effect("refuses what it does not understand with a page", () =>
    Effect.gen(function* () {
      for (const path of ["/admin/log?cursor=x", `/admin/users?q=${"a".repeat(201)}`, "/games/snakes/seasons/spring/admin/log?cursor=-1"]) {
        const answer = yield* get(path, "root")
        assert.strictEqual(answer.status, 400, path)
        assertPage(path, answer)
      }
      assert.strictEqual((yield* get("/admin/nothing", "root")).status, 404)
    })
  )

  it.effect("writes what its forms say, and refuses beside the field what the service refuses", () =>
    Effect.gen(function* () {
      const adminPage = (part: string) => `/games/snakes/seasons/hidden/admin/${part}`
      const fault = (text: string) => /<p class="bad" id="[^"]*-fault"><bdi>([^<]*)/.exec(text)?.[1]
      const board = JSON.stringify({ ...snakesBoards[0]!, map_id: "typed" })
      const preview = yield* sent(adminPage("boards"), "ada", { form: "add", do: "preview", file: board })
      assert.strictEqual(preview.status, 200)
      assert.match(preview.text, /<title>Preview<\/title>/)
      assertPage(adminPage("boards"), preview)
      const ill = yield* sent(adminPage("boards"), "ada", { form: "add", do: "add", file: `${ILL}{` })
      assert.strictEqual(ill.status, 400)
      assert.match(fault(ill.text) ?? "", /^This is no JSON: .*(token|position)/, "and where")
      assertPage(adminPage("boards"), ill)
      for (const what of ["add", "preview"]) {
        const invalid = yield* sent(adminPage("boards"), "ada", { form: "add", do: what, file: "{}" })
        assert.strictEqual(invalid.status, 422, what)
        assert.match(fault(invalid.text) ?? "", /is required/, "no picture of what is no board")
      }
      const added = yield* sent(adminPage("boards"), "ada", { form: "add", do: "add", file: board })
      assert.deepStrictEqual([added.status, added.headers.get("location")], [303, `${adminPage("boards")}?done=yes#outcome`])
      assert.strictEqual((yield* sent(adminPage("boards"), "ada", { form: "switch", map_id: "typed", enabled: "yes" })).status, 303)
      assert.include((yield* get(`${adminPage("boards")}?done=yes`, "ada")).text, "3 boards, 1 of them in play")
      const key = yield* sent(adminPage("runners"), "ada", { form: "create", name: "rack" })
      assert.match(key.text, /AGON_URL=\S+ AGON_RUNNER_KEY=\S+ scripts\/runner/, "what the machine is told")
      assert.include(key.text, "No runner with it is connected: none was heard of within 90 seconds.")
      assert.strictEqual(key.status, 200)
      const [secret = ""] = /agon_rk_[\w-]{20,}/.exec(key.text) ?? []
      assert.isAbove(secret.length, 20)
      assert.notInclude(key.text, 'value="rack"', "another click makes no second key of the name")
      assert.notInclude((yield* get(adminPage("runners"), "ada")).text, secret)
      assert.strictEqual((yield* sent(adminPage("notices"), "ada", { form: "notice", subject: ILL, link: "" })).status, 303)
      const roster = yield* sent(adminPage("people"), "ada", { form: "add", logins: `${ILL}\n\ngrace, Ada; Bob\tgrace`, provider: "dev" })
      assert.strictEqual(roster.status, 200)
      assertPage(adminPage("people"), roster)
      assert.match(roster.text, /<textarea[^>]* id="add-logins"[^>]*>\n<\/textarea>/, "it was taken")
      const names = /See whether each is spelt right: (.*?)\.<\/p>/s.exec(roster.text)?.[1] ?? ""
      assert.include(names, "<bdi>grace</bdi>")
      assert.notInclude(names, "Ada", "who has signed in")
      for (const login of ["grace", "ada", "bob"]) assert.include(roster.text.toLowerCase(), `<th scope="row"><bdi>${login}</bdi></th>`)
      const nobody = yield* sent(adminPage("people"), "ada", { form: "appoint", username: "bob" })
      assert.strictEqual(nobody.status, 403) // the platform's administrators appoint
      const unknown = yield* sent(adminPage("matches"), "ada", { form: "void", id: WRITTEN.webhook, reason: "a test" })
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual(fault(unknown.text), `Season hidden has no match ${WRITTEN.webhook}.`)
      const slip = yield* sent(adminPage("").slice(0, -1), "root", { form: "close", season: "hid" })
      assert.deepStrictEqual([slip.status, fault(slip.text)], [400, "Type hidden here."])
    })
  )

  it.effect("takes no form from whom the service refuses", () =>
    Effect.gen(function* () {
      const board = { form: "switch", map_id: "duel", enabled: "no" }
      assert.strictEqual((yield* sent("/games/snakes/seasons/spring/admin/boards", "bob", board)).status, 403)
      assert.strictEqual((yield* sent("/admin/users", "ada", { form: "edit", username: "bob", suspended: "yes" })).status, 403)
      assert.strictEqual((yield* sent("/admin/users", "nobody", { form: "edit", username: "bob", suspended: "yes" })).status, 401)
      const own = yield* sent("/admin/users", "root", { form: "edit", username: "root", suspended: "yes" })
      assert.strictEqual(own.status, 409)
      assert.include(own.text, 'role="alert"')
      assertPage("/admin/users", own)
    })
  )

  it.effect("asks before it suspends an account, and offers nobody to put themselves out of office", () =>
    Effect.gen(function* () {
      const row = (text: string, username: string) =>
        new RegExp(`<tr>\\n<th scope="row"><a href="/people/${username}">.*?</tr>`, "s").exec(text)![0]
      const { text } = yield* get("/admin/users", "root")
      const [suspend = ""] = /<details class="sure"><summary aria-label="Suspend bob">.*?<\/details>/s.exec(row(text, "bob")) ?? []
      assert.include(suspend, "until the suspension is lifted")
      assert.match(suspend, /name="suspended" value="yes"><button>Suspend <bdi>bob<\/bdi><\/button>/)
      assert.notInclude(row(text, "bob").replace(suspend, ""), 'name="suspended"')
      assert.match(row(text, "bob"), /<summary aria-label="Make an administrator of bob">/, "which is asked, too")
      assert.notInclude(row(text, "root"), "<form")
      assert.include(row(text, "root"), "another administrator")
    })
  )

  it.effect("says which season is featured instead of offering to feature it", () =>
    Effect.gen(function* () {
      const shown = (slug: string) => get(`/games/snakes/seasons/${slug}/admin`, "root")
      const isFeatured = Effect.fnUntraced(function* (slug: string) {
        const answer = yield* shown(slug)
        assertPage(slug, answer)
        const offered = answer.text.includes(">Feature this season</button>")
        assert.strictEqual(answer.text.includes("<h2>It is featured</h2>"), !offered, slug)
        return !offered
      })
      for (const slug of ["spring", "autumn"]) {
        const path = `/games/snakes/seasons/${slug}/admin`
        assert.strictEqual((yield* sent(path, "root", { form: "feature" })).status, 303)
        const seen = [yield* isFeatured("spring"), yield* isFeatured("autumn")]
        assert.deepStrictEqual(seen, [slug === "spring", slug === "autumn"])
      }
      assert.notInclude((yield* get("/games/snakes/seasons/spring/admin", "ada")).text, "eature", "the platform's administrators decide")
      const closed = yield* shown("winter")
      assert.include(closed.text, "its settings and its podium stay as they are")
      assert.include(closed.text, ">Feature this season</button>", "a closed season may be featured")
      assert.strictEqual((yield* sent("/games/snakes/seasons/winter/admin", "root", { form: "feature" })).status, 303)
      assert.isTrue(yield* isFeatured("winter"))
      const hidden = yield* shown("hidden")
      assert.notInclude(hidden.text, ">Feature this season<", "a private season is never the featured one")
    })
  )

  it.effect("offers nothing in a closed season that is refused there", () =>
    Effect.gen(function* () {
      const forms = (text: string) => [...text.matchAll(/name="form" value="([^"]*)"/g)].map(([, name]) => name)
      const adminPage = (slug: string, part: string) => `/games/snakes/seasons/${slug}/admin/${part}`
      for (const [part, link] of [
        ["boards", undefined],
        ["baselines", undefined],
        ["rounds", undefined],
        ["matches", "#void"],
        ["entries", "#disqualify"]
      ] as const) {
        const answer = yield* get(adminPage("winter", part), "root")
        assertPage(part, answer)
        assert.deepStrictEqual(forms(answer.text), [], part)
        assert.include(answer.text, "The season is closed", part)
        if (link !== undefined) assert.notInclude(answer.text, `${link}"`, part)
        assert.isNotEmpty(forms((yield* get(adminPage("hidden", part), "root")).text), part)
      }
      const board = yield* sent(adminPage("winter", "boards"), "root", { form: "switch", map_id: "duel", enabled: "no" })
      assert.strictEqual(board.status, 409)
    })
  )

  it.effect("offers no round after the finals, and says how one comes before them", () =>
    Effect.gen(function* () {
      const adminPage = "/games/snakes/seasons/hidden/admin/rounds"
      const shown = Effect.map(get(adminPage, "root"), ({ text }) => text)
      const finals = { form: "plan", kind: "finals", games: "9", starts_at: "2098-06-01T00:00" }
      assert.include(yield* shown, 'id="plan"')
      assert.strictEqual((yield* sent(adminPage, "root", finals)).status, 303)
      const planned = yield* shown
      assert.notInclude(planned, 'id="plan"')
      assert.include(planned, "withdraw the finals first")
      assert.isAtLeast((yield* sent(adminPage, "root", { ...finals, kind: "round", starts_at: "2098-07-01T00:00" })).status, 400)
      const [, n = ""] = /name="n" value="(\d+)"><button>Withdraw <bdi>the finals<\/bdi>/.exec(planned) ?? []
      assert.strictEqual((yield* sent(adminPage, "root", { form: "withdraw", n })).status, 303)
      assert.include(yield* shown, 'id="plan"')
    })
  )

  it.effect("creates a season by the rules that were typed", () =>
    Effect.gen(function* () {
      const form = yield* get("/admin/seasons", "root")
      const begins = [...form.text.matchAll(/<input value="([^"]*)"[^>]* name="((?:rules|weight_classes)[^"]*)"/g)].map(
        ([, value, name]) => [name!, value!]
      )
      const fields = {
        ...Object.fromEntries(begins),
        ...{
          form: "create",
          game: "snakes",
          name: "Typed",
          submissions_open_at: "2026-01-01T00:00",
          submissions_close_at: "2090-01-01T00:00"
        },
        ...{ visibility: "public", entry: "open", "fleet.matches": "both", "fleet.admissions": "both", providers: "dev" },
        "rules.match.max_turns": "123"
      }
      const unknown = yield* sent("/admin/seasons", "root", { ...fields, admins: "ada, nobody-here\nnor-here" })
      assert.strictEqual(unknown.status, 400)
      assert.match(unknown.text, /id="create-admins-fault"><bdi>There is no account nobody-here, nor-here\.</)
      const refused = yield* sent("/admin/seasons", "root", { ...fields, "rules.trial.matches": "21" })
      assert.strictEqual(refused.status, 422)
      assert.match(refused.text, /id="create-rules.trial.matches-fault"/)
      assertPage("/admin/seasons", refused)
      const text = yield* sent("/admin/seasons", "root", { ...fields, "weight_classes.2.max_bytes": ILL })
      assert.strictEqual(text.status, 400)
      assert.match(text.text, /id="create-weight_classes.2.max_bytes-fault"/)
      assertPage("/admin/seasons", text)
      const made = yield* sent("/admin/seasons", "root", fields)
      assert.strictEqual(made.status, 303, made.text)
      assert.strictEqual(made.headers.get("location"), "/games/snakes/seasons/typed/admin?done=yes#outcome")
      const first = (yield* get("/games/snakes/seasons/typed/admin", "root")).text
      assert.include(first, "123 turns")
      assert.match(
        first,
        /No match is played before a board is in play.*href="\/games\/snakes\/seasons\/typed\/admin\/boards"/,
        "what is next"
      )
    })
  )

  it.effect("lists the entries of a season, disqualifies one with its reason, and lets it play again", () =>
    Effect.gen(function* () {
      const adminPage = "/games/snakes/seasons/spring/admin/entries"
      const shown = (path = adminPage) => Effect.map(get(path, "ada"), ({ text }) => text)
      const before = yield* shown()
      assert.include(before, `href="${adminPage}?version=${v.beta1}#disqualify"`)
      assert.notInclude(before, `?version=${v.random}#`, "a baseline is switched off instead")
      const match = yield* shown(`${adminPage.replace("entries", "matches")}?match=${Fixture.matchIds.open}`)
      assert.match(match, new RegExp(`<p>The match <a href="/matches/${Fixture.matchIds.open}"><bdi>[^<]*</bdi> – .*on the board `))
      const chosen = yield* shown(`${adminPage}?version=${v.beta1}`)
      assert.match(chosen, new RegExp(`<input value="${v.beta1}"[^>]* id="disqualify-id"`))
      assert.match(chosen, /<p>The entry <a href="[^"]*"><bdi>[^<]*<\/bdi><\/a> version 1 of <a href="\/people\/bob">/)
      assert.notInclude(yield* shown(`${adminPage}?version=${"0".repeat(36)}`), "The entry <a")
      const fields = { form: "disqualify", id: v.beta1, reason: ILL }
      for (const [change, status] of [
        [{ reason: "" }, 400],
        [{ id: "none" }, 400],
        [{ id: v.random }, 409]
      ] as const) {
        const refused = yield* sent(adminPage, "ada", { ...fields, ...change })
        assert.strictEqual(refused.status, status)
        assert.match(refused.text, /id="disqualify-(reason|id)-fault"/)
        assertPage(adminPage, refused)
      }
      assert.strictEqual((yield* sent(adminPage, "bob", fields)).status, 403)
      assert.strictEqual((yield* sent(adminPage, "ada", fields)).status, 303)
      assert.notInclude(yield* shown(), `?version=${v.beta1}#`)
      const out = yield* get(`${adminPage}?state=disqualified`, "ada")
      assertPage(adminPage, out)
      assert.match(out.text, new RegExp(`<a href="/versions/${v.beta1}">`))
      assert.include(out.text, "Disqualified: <bdi>&quot;&gt;&lt;ill", "with the reason, as it was typed")
      const back = yield* sent(`${adminPage}?state=disqualified`, "ada", { form: "again", id: v.beta1 })
      assert.deepStrictEqual([back.status, back.headers.get("location")], [303, `${adminPage}?state=disqualified&done=yes#outcome`])
      assert.include(yield* shown(`${adminPage}?state=disqualified`), "None is out of play.")
      assert.include(yield* shown(), `?version=${v.beta1}#disqualify`)
      const none = yield* sent(adminPage, "ada", { form: "again", id: "none" })
      assert.strictEqual(none.status, 404)
      assert.match(none.text, /<div class="bad alert" id="outcome" role="alert" tabindex="-1">/)
      assert.strictEqual((yield* sent(adminPage, "ada", { form: "again", id: v.beta1 })).status, 303, "whatever plays stays as it is")
    })
  )

  it.effect("finds an entry by the beginning of its model's name or its owner's, whatever is typed", () =>
    Effect.gen(function* () {
      const adminPage = "/games/snakes/seasons/spring/admin/entries"
      const found = (name: string, state = "") =>
        Effect.map(get(`${adminPage}?state=${state}&name=${encodeURIComponent(name)}`, "ada"), (answer) => {
          assert.strictEqual(answer.status, 200, name)
          assertPage(adminPage, answer)
          return [...answer.text.matchAll(/\?version=([0-9a-f-]{36})#disqualify/g)].map(([, id]) => id)
        })
      assert.deepStrictEqual(yield* found("BOB"), [v.gamma1, v.beta1])
      assert.deepStrictEqual(yield* found("bet"), [v.beta1])
      for (const nobody of ["eta", "%", "_", ILL.slice(1, 90), "\u202e"]) assert.deepStrictEqual(yield* found(nobody), [], nobody)
      const { text } = yield* get(`${adminPage}?name=bet&cursor=0`, "ada")
      assert.match(
        text,
        /<th scope="row"><a href="[^"]*"><bdi>[^<]*<\/bdi><\/a> version 1<\/th>\n<td><a href="\/people\/bob">bob<\/a><\/td>\n<td class="n"><span class="unit">rank <\/span>\d/
      )
      assert.match(text, new RegExp(`<input name="name" value="bet"[^>]*></label>[^]*<a href="${adminPage}">All of them</a>`))
      assert.include((yield* get(`${adminPage}?state=testing&name=zzz`, "ada")).text, "No name here begins so.")
      assert.include((yield* get(`${adminPage}?state=testing`, "ada")).text, '<input type="hidden" name="state" value="testing">')
      for (const path of [`${adminPage}?name=`, `${adminPage.replace("entries", "people")}?login=`, "/admin/users?q="])
        assert.strictEqual((yield* get(`${path}${"x".repeat(101)}`, "root")).status, 400, path)
      assert.strictEqual((yield* get(`${adminPage}?name=${"x".repeat(3_000)}`, "ada")).status, 414)
    })
  )

  it.effect("lists candidates with what they wait for, and lets a suspended entry play again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const adminPage = (season: string, state: string) => `/games/snakes/seasons/${season}/admin/entries?state=${state}`
      const service = yield* Service.Service
      const hash = `sha256:${"ab".repeat(32)}`
      const payload = { name: "first", weights_hash: hash, manifest_hash: hash }
      yield* (yield* service.as("admin")).baseline.recordBaseline({ params: HIDDEN, payload })
      const candidates = yield* get(adminPage("hidden", "testing"), "ada")
      assertPage("candidates", candidates)
      assert.include(candidates.text, "<bdi>first</bdi> version 1")
      assert.include(candidates.text, "It waits for its files.")
      assert.notInclude(candidates.text, "Let it play again")
      yield* sql`UPDATE version SET phase = 'suspended' WHERE id = ${v.alpha2}`
      const suspended = yield* get(adminPage("spring", "suspended"), "ada")
      assertPage("suspended", suspended)
      assert.include(suspended.text, "&lt;ill")
      assert.match(suspended.text, new RegExp(`name="id" value="${v.alpha2}"><button`))
      assert.strictEqual((yield* sent(adminPage("spring", "suspended"), "ada", { form: "again", id: v.alpha2 })).status, 303)
      assert.strictEqual((yield* get(adminPage("spring", "testing"), "bob")).status, 403)
      assert.strictEqual((yield* get(adminPage("spring", "none"), "ada")).status, 400)
    })
  )

  it.effect("is found from the pages of those who administer, and from no others", () =>
    Effect.gen(function* () {
      const links = (as: string) =>
        Effect.map(get("/me", as), ({ text }) => [...text.matchAll(/href="([^"]*\/admin|\/admin)"/g)].map(([, to]) => to))
      assert.includeMembers([...(yield* links("root"))], ["/admin"])
      assert.sameMembers([...(yield* links("ada"))], ["/games/snakes/seasons/spring/admin", "/games/snakes/seasons/hidden/admin"])
      assert.deepStrictEqual([...(yield* links("bob"))], ["/games/snakes/seasons/winter/admin"])
      const me = yield* get("/me", "bob")
      for (const to of ["/device", "/kit/readme"]) assert.include(me.text, `href="${to}"`)
    })
  )
})
