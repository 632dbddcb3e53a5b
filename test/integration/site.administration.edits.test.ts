/**
 * Forms of the administration pages that meet somebody else's, a season that has moved on, or a slip, as a
 * browser without scripts sends them.
 */

import { classBounds } from "@agon/api/season/bounds.ts"
import { ladders } from "@agon/api/Wire.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { timeText } from "@agon/site/html/words.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { type At, formsOf, visitor } from "../support/PageForms.ts"
import { send, siteAnswers } from "../support/Pages.ts"
import { untilTaken } from "../support/putOff.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { scheduled } from "../support/scheduledSeason.ts"

const adminOf = (slug: string, part = "") => `/games/snakes/seasons/${slug}/admin${part}`

const as = (name: string) => Effect.map(Service.Service, ({ origin }) => visitor(origin, `service_session=${name}-token`))

/** The text of a field, as it stands in the form of the page. */
const fieldIn = (text: string, button: string, name: string) =>
  formsOf(text)
    .find(({ buttons }) => buttons.some(({ label }) => label === button))!
    .fields.find(([each]) => each === name)![1]

/** The part at the top that tells what became of the form. */
const outcomeIn = (text: string) => /<(div|p)[^>]* id="outcome".*?<\/\1>/s.exec(text)?.[0] ?? ""

const service = SiteService.layerFixture
const ready = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(service))

layer(Layer.orDie(ready), { excludeTestServices: true, timeout: "300 seconds" })("an administrator without scripts", (it) => {
  it.effect("is shown both values where another has changed the same setting meanwhile, and loses none", () =>
    Effect.gen(function* () {
      const { admin, of } = yield* scheduled("twice")
      const [root, ada] = [yield* as("root"), yield* as("ada")]
      const [first, second] = [yield* root.open(adminOf("twice")), yield* ada.open(adminOf("twice"))]
      const rules = Effect.map(admin.season.privateSeason({ params: of }), ({ rules }) => rules)
      const before = yield* rules
      assert.strictEqual((yield* root.press(first, "Save", { "rules.trial.matches": "7", "rules.provisional_matches": "33" })).status, 303)
      const refused = yield* ada.press(second, "Save", { "rules.trial.matches": "9", "rules.cooldown_s": "61" })
      assert.deepStrictEqual([refused.status, refused.fragment], [409, "outcome"])
      const sentence = `It is 7 now, and was ${before.trial.matches} when the form was shown; you typed 9.`
      assert.include(outcomeIn(refused.shown.text), `<a href="#edit-rules.trial.matches">Trial matches</a>: <bdi>${sentence}</bdi>`)
      assert.include(outcomeIn(refused.shown.text), "Somebody has changed the season")
      assert.strictEqual(refused.shown.text.split(sentence).length - 1, 2, "also beside the field")
      const fields = ["trial.matches", "cooldown_s", "provisional_matches"].map((rule) =>
        fieldIn(refused.shown.text, "Save", `rules.${rule}`)
      )
      assert.deepStrictEqual(fields, ["9", "61", "33"], "what was typed, and what the other has made of the rest")
      assert.deepStrictEqual(yield* rules, { ...before, trial: { matches: 7 }, provisional_matches: 33 }, "nothing is saved yet")
      assert.strictEqual((yield* ada.press(refused, "Save")).status, 303)
      assert.deepStrictEqual(yield* rules, { ...before, trial: { matches: 9 }, provisional_matches: 33, cooldown_s: 61 })
    })
  )

  it.effect("keeps what another has changed meanwhile in other settings, also in the classes, which are sent together", () =>
    Effect.gen(function* () {
      const { admin, of } = yield* scheduled("apart")
      const [root, ada] = [yield* as("root"), yield* as("ada")]
      const [first, second] = [yield* root.open(adminOf("apart")), yield* ada.open(adminOf("apart"))]
      const before = yield* admin.season.privateSeason({ params: of })
      const saved = [
        yield* root.press(first, "Save", { "weight_classes.0.memory_flat_bytes": "77", "rules.match.max_turns": "321" }),
        yield* ada.press(second, "Save", { "weight_classes.1.memory_flat_bytes": "88", submissions_close_at: "2098-01-01T00:00" })
      ]
      for (const { shown, status } of saved) assert.deepStrictEqual([status, outcomeIn(shown.text).includes("Done.")], [303, true])
      const { rules, submissions_close_at, weight_classes } = yield* admin.season.privateSeason({ params: of })
      assert.deepStrictEqual(
        [rules, submissions_close_at],
        [{ ...before.rules, match: { ...before.rules.match, max_turns: 321 } }, "2098-01-01T00:00:00.000Z"]
      )
      assert.deepStrictEqual(
        weight_classes,
        before.weight_classes.map((each, i) => (i < 2 ? { ...each, memory_flat_bytes: [77, 88][i]! } : each))
      )
      // Nothing was typed anew: nothing is written.
      assert.strictEqual((yield* ada.press(yield* ada.open(adminOf("apart")), "Save")).status, 303)
      const { audit } = yield* admin.notice.seasonAudit({ params: of, query: { limit: 50, cursor: 0 } })
      assert.strictEqual(audit.filter(({ action }) => action === "season.edit").length, 2)
    })
  )

  it.effect("loses nothing of a post or an announcement that another changes meanwhile, and is shown the other's text whole", () =>
    Effect.gen(function* () {
      const admin = yield* (yield* Service.Service).as("admin")
      const root = yield* as("root")
      const page = { query: { limit: 10, cursor: 0 } }
      const long = "It began as a text of many lines.\n".repeat(20)
      yield* admin.editorial.addPost({ payload: { slug: "both", title: "Both", body: long, published_at: "2026-01-01T00:00:07Z" } })
      const at = "/admin/posts?post=both"
      const post = Effect.map(admin.editorial.allPosts(page), ({ posts }) => posts.find(({ slug }) => slug === "both")!)
      const [first, second, third] = [yield* root.open(at), yield* root.open(at), yield* root.open(at)]
      assert.strictEqual((yield* root.press(first, "Save", { title: "Ours" })).status, 303)
      assert.strictEqual((yield* root.press(second, "Save", { body: "Theirs, **anew**." })).status, 303)
      const both = yield* post
      assert.deepStrictEqual([both.title, both.body], ["Ours", "Theirs, **anew**."])
      assert.strictEqual(both.published_at, "2026-01-01T00:00:07.000Z", "nobody has typed another time")
      const refused = yield* root.press(third, "Save", { body: "Mine." })
      assert.deepStrictEqual([refused.status, refused.fragment], [409, "outcome"])
      assert.include(outcomeIn(refused.shown.text), "Somebody has changed the post")
      assert.match(refused.shown.text, /<h3>As it stands now<\/h3>\n<div class="prose"><p dir="auto">Theirs, \*\*anew\*\*\./)
      assert.deepStrictEqual(
        ["body", "title"].map((name) => fieldIn(refused.shown.text, "Save", name).trim()),
        ["Mine.", "Ours"]
      )
      assert.strictEqual((yield* post).body, "Theirs, **anew**.", "nothing is saved yet")
      assert.strictEqual((yield* root.press(refused, "Save")).status, 303)
      assert.strictEqual((yield* post).body, "Mine.")

      const { id } = yield* admin.editorial.announce({ payload: { title: "Down", body: "At noon.", link: "/news" } })
      const told = `/admin/announcements?announcement=${id}`
      const forms = [yield* root.open(told), yield* root.open(told), yield* root.open(told)] as const
      assert.strictEqual((yield* root.press(forms[0], "Save", { link: "" })).status, 303)
      assert.strictEqual((yield* root.press(forms[1], "Save", { ends_at: "2090-01-01T00:00" })).status, 303)
      const again = yield* root.press(forms[2], "Save", { ends_at: "2091-01-01T00:00" })
      assert.strictEqual(again.status, 409)
      assert.include(
        outcomeIn(again.shown.text),
        "It is 2090-01-01T00:00 now, and was empty when the form was shown; you typed 2091-01-01T00:00."
      )
      const { announcements } = yield* admin.editorial.allAnnouncements(page)
      assert.deepStrictEqual(
        announcements.find((one) => one.id === id),
        { id, title: "Down", body: "At noon.", link: null, starts_at: null, ends_at: "2090-01-01T00:00:00.000Z" }
      )
    })
  )

  it.effect("saves as a new one the text of an announcement or a post that is not there any more, and is told so before", () =>
    Effect.gen(function* () {
      const admin = yield* (yield* Service.Service).as("admin")
      const root = yield* as("root")
      const page = { query: { limit: 10, cursor: 0 } }
      const { id } = yield* admin.editorial.announce({ payload: { title: "Soon gone", body: "Once." } })
      yield* admin.editorial.addPost({ payload: { slug: "here", title: "Here", body: "Once.", published_at: null } })
      const announcement = yield* root.open(`/admin/announcements?announcement=${id}`)
      const post = yield* root.open("/admin/posts?post=here")
      yield* admin.editorial.removeAnnouncement({ params: { id } })
      yield* admin.editorial.editPost({ params: { slug: "here" }, payload: { slug: "there" } })

      const lost = yield* root.press(announcement, "Save", { title: "Said again", body: "Typed for an hour." })
      assert.deepStrictEqual([lost.status, fieldIn(lost.shown.text, "Announce", "body").trim()], [404, "Typed for an hour."])
      assert.include(lost.shown.text, "The announcement is not there any more. Sent again, this text is a new one.")
      assert.strictEqual((yield* root.press(lost, "Announce")).status, 303)
      const { announcements } = yield* admin.editorial.allAnnouncements(page)
      assert.deepInclude(
        announcements.find(({ title }) => title === "Said again"),
        { body: "Typed for an hour." }
      )

      const moved = yield* root.press(post, "Save", { body: "Typed for a day." })
      assert.strictEqual(moved.status, 404)
      assert.include(
        moved.shown.text,
        "The post is not there any more: it was removed, or has another address. Sent again, this text is a new one."
      )
      assert.strictEqual((yield* root.press(moved, "Write")).status, 303)
      const bodies = new Map((yield* admin.editorial.allPosts(page)).posts.map(({ body, slug }) => [slug, body]))
      assert.deepStrictEqual([bodies.get("there"), bodies.get("here")], ["Once.", "Typed for a day."])
    })
  )

  it.effect("is told of which weight class a value is too great", () =>
    Effect.gen(function* () {
      yield* scheduled("heavy")
      const root = yield* as("root")
      const form = yield* root.open(adminOf("heavy"))
      const refused = yield* root.press(form, "Save", { "weight_classes.2.memory_cell_bytes": "x" })
      assert.isAtLeast(refused.status, 400)
      const told = outcomeIn(refused.shown.text)
      assert.match(told, new RegExp(`>Memory of ${ladders[2]} for each cell, in bytes</a>`))
      const large = yield* root.press(form, "Save", { "weight_classes.1.memory_flat_bytes": String(10 ** 14) })
      assert.match(
        outcomeIn(large.shown.text),
        new RegExp(`>Memory of ${ladders[1]}, in bytes</a>: .*at most ${classBounds.memory_flat_bytes[1]}`)
      )
    })
  )

  it.effect("is told in a sentence at the top that the season has moved on, where the form is there no more", () =>
    Effect.gen(function* () {
      const { admin, of } = yield* scheduled("opened")
      const root = yield* as("root")
      const [form, rounds] = [yield* root.open(adminOf("opened")), yield* root.open(adminOf("opened", "/rounds"))]
      yield* admin.seasonEditing.editSeason({ params: of, payload: { submissions_open_at: "2026-01-01T00:00:00Z" } })
      const opened = yield* root.press(form, "Save", { "rules.trial.matches": "9" })
      assert.strictEqual(opened.status, 409)
      assert.include(outcomeIn(opened.shown.text), "The season is not scheduled any more; it stays as it is.")
      assert.include(outcomeIn(opened.shown.text), "The page does not have this form any more.")
      const past = yield* root.press(rounds, "Plan", { kind: "round", games: "5", starts_at: "2020-01-01T00:00" })
      assert.isAtLeast(past.status, 400)
      assert.include(outcomeIn(past.shown.text), '<a href="#plan">To the form</a>, as it was typed.')
      assert.strictEqual(fieldIn(past.shown.text, "Plan", "starts_at"), "2020-01-01T00:00")
      const planned = yield* root.press(past, "Plan", { kind: "round", games: "5", starts_at: "2088-01-01T00:00" })
      assert.include(planned.shown.text, "<td>to come</td>")
      const again = yield* root.press(yield* root.open(adminOf("opened")), "Close the season", { season: "opened" })
      assert.strictEqual(again.status, 303)
      const closed = yield* root.press(rounds, "Plan", { kind: "round", games: "5", starts_at: "2089-01-01T00:00" })
      assert.strictEqual(closed.status, 409)
      assert.match(outcomeIn(closed.shown.text), /The season is (closing|closed)\./)
      assert.include(outcomeIn(closed.shown.text), "The page does not have this form any more.")
      assert.match(closed.shown.text, /The season is (closing|closed): no round is planned any more\./)
      assert.include(closed.shown.text, "<td>not played</td>", "a round of a season that is over does not come any more")
    })
  )

  it.effect("arrives at what a long form has come to, and at each field that was refused", () =>
    Effect.gen(function* () {
      const root = yield* as("root")
      const times = { submissions_open_at: "2026-01-01T00:00", submissions_close_at: "2090-01-01T00:00" }
      const form = yield* root.open("/admin/seasons")
      const refused = yield* root.press(form, "Create the season", { ...times, name: "Long", "rules.trial.matches": "21" })
      assert.deepStrictEqual([refused.status, refused.fragment], [422, "outcome"])
      assert.match(refused.shown.text, /<div class="bad alert" id="outcome" role="alert" tabindex="-1">\n<h2>Not done<\/h2>/)
      assert.match(outcomeIn(refused.shown.text), /<a href="#create-rules.trial.matches">Trial matches<\/a>: <bdi>[^<]+<\/bdi>/)
      assert.strictEqual(refused.shown.text.match(/role="alert"/g)?.length, 1, "it is read aloud once")
      const word = yield* root.press(yield* root.open("/admin/words"), "Add", { word: "drat" })
      assert.deepStrictEqual([word.status, word.fragment, word.path], [303, "outcome", "/admin/words?done=yes"])
      const key = yield* root.press(yield* root.open("/admin/runners"), "Make a key", { name: "rack" })
      assert.deepStrictEqual([key.status, key.fragment], [200, "outcome"])
      assert.include(outcomeIn(key.shown.text), '<a href="#create">at the form</a>')
    })
  )

  it.effect("moves a round that is to come, by what was typed anew alone, and is told where that cannot be", () =>
    Effect.gen(function* () {
      const { admin, of } = yield* scheduled("moved")
      const root = yield* as("root")
      yield* admin.round.planRound({ params: of, payload: { kind: "round", games: 5, starts_at: "2098-01-01T00:00:07Z" } })
      const at = adminOf("moved", "/rounds?round=1")
      const round = Effect.map(admin.round.rounds({ params: of, query: { limit: 1, cursor: 0 } }), ({ rounds }) => rounds[0]!)
      const [first, second, third] = [yield* root.open(at), yield* root.open(at), yield* root.open(at)]
      const list = yield* root.open(adminOf("moved", "/rounds"))
      assert.include(list.shown.text, `<a class="do" href="${at}#move" aria-label="Move: Round 1">Move</a>`)
      assert.notInclude(list.shown.text, 'id="move"')
      const moved = yield* root.press(first, "Move", { games: "6" })
      assert.deepStrictEqual([moved.status, moved.path], [303, adminOf("moved", "/rounds?done=yes")])
      assert.deepInclude(yield* round, { games: 6, starts_at: "2098-01-01T00:00:07.000Z" })
      const past = yield* root.press(second, "Move", { starts_at: "2020-01-01T00:00" })
      assert.strictEqual(past.status, 400)
      assert.include(outcomeIn(past.shown.text), '<a href="#move-starts_at">Its start, in UTC</a>')
      assert.strictEqual(fieldIn(past.shown.text, "Move", "starts_at"), "2020-01-01T00:00")
      const late = yield* root.press(third, "Move", { games: "9", starts_at: "2098-02-01T00:00" })
      assert.strictEqual(late.status, 409)
      assert.include(late.shown.text, "It is 6 now, and was 5 when the form was shown; you typed 9.")
      assert.strictEqual((yield* root.press(late, "Move")).status, 303)
      assert.deepInclude(yield* round, { games: 9, starts_at: "2098-02-01T00:00:00.000Z" })
      yield* admin.round.patchRound({ params: { ...of, n: "1" }, payload: { withdrawn: true } })
      assert.notInclude((yield* root.open(at)).shown.text, 'id="move"')
    })
  )

  it.effect("pages through more rounds than a page has", () =>
    Effect.gen(function* () {
      yield* scheduled("rounds")
      const sql = yield* SqlClient.SqlClient
      const root = yield* as("root")
      yield* sql`INSERT INTO round (season_id, n, kind, games, starts_at, withdrawn)
        SELECT s.id, n, 'round', 5, timestamptz '2090-01-01' + n * interval '1 hour', true FROM season s, generate_series(1, 130) n WHERE s.slug = 'rounds'`
      const seen: Array<string> = []
      for (let path: string | undefined = adminOf("rounds", "/rounds"); path !== undefined; ) {
        const { shown }: At = yield* root.open(path)
        seen.push(...[...shown.text.matchAll(/<th scope="row">(Round \d+)</g)].map(([, name]) => name!))
        path = /<a href="([^"]*)" rel="next"/.exec(shown.text)?.[1]
      }
      assert.deepStrictEqual(
        seen,
        Array.from({ length: 130 }, (_, i) => `Round ${i + 1}`)
      )
    })
  )

  it.effect("changes of fleet and fill what was chosen alone, so that what another has set stays", () =>
    Effect.gen(function* () {
      yield* scheduled("kept")
      const sql = yield* SqlClient.SqlClient
      const [root, adminPage] = [yield* as("root"), adminOf("kept")]
      const { shown } = yield* root.open(adminPage)
      const fleet = formsOf(shown.text).find(({ takes }) => takes.has("matches") && takes.has("admissions"))!
      assert.deepInclude(fleet.fields, ["matches", ""], "it begins with no choice")
      const asItIs = (text: string) => [...text.matchAll(/<option value=""[^>]*>(.*?)<\/option>/g)].map(([, label]) => label)
      assert.includeMembers(asItIs(shown.text), ["as it is: both fleets", "as it is: no"])
      assert.include(shown.text, "Empty leaves it as it is, which is no limit;")
      for (const fields of [
        { form: "fleet", matches: "own", admissions: "" },
        { form: "fleet", matches: "", admissions: "platform" },
        { form: "fill", enabled: "", max_per_hour: "7" },
        { form: "fill", enabled: "yes", max_per_hour: "" }
      ] as const)
        assert.strictEqual((yield* send(adminPage, "root", fields)).status, 303, JSON.stringify(fields))
      const settings = sql`SELECT fleet, fill FROM season WHERE slug = 'kept'`
      const kept = { matches: "own", admissions: "platform" }
      assert.deepStrictEqual(yield* settings, [{ fleet: kept, fill: { enabled: true, max_per_hour: 7 } }])
      const after = (yield* root.open(adminPage)).shown.text
      assert.includeMembers(asItIs(after), ["as it is: the season&#39;s own fleet", "as it is: the platform&#39;s fleet", "as it is: yes"])
      assert.include(after, "Empty leaves it as it is, which is 7;")
      assert.strictEqual((yield* send(adminPage, "root", { form: "fill", enabled: "", max_per_hour: "none" })).status, 303)
      assert.deepStrictEqual(yield* settings, [{ fleet: kept, fill: { enabled: true, max_per_hour: null } }])
    })
  )

  it.effect("pages through more administrators than a page has, beside the roster", () =>
    Effect.gen(function* () {
      const { admin, of } = yield* scheduled("crowd")
      const sql = yield* SqlClient.SqlClient
      yield* sql`WITH a AS (
          INSERT INTO account (id, username, display_name, admin, created_at)
          SELECT gen_random_uuid(), 'crowd-' || n, 'Crowd', false, now() FROM generate_series(1, 120) n RETURNING id)
        INSERT INTO season_admin (season_id, account_id, added_at) SELECT s.id, a.id, now() FROM season s, a WHERE s.slug = 'crowd'`
      yield* admin.roster.addParticipants({ params: of, payload: { logins: Array.from({ length: 60 }, (_, n) => `login-${n}`) } })
      const root = yield* as("root")
      const seen = new Set<string>()
      const next = (text: string) => {
        const [nav = ""] = /<nav aria-label="Pages of the administrators">.*?<\/nav>/s.exec(text) ?? []
        return /href="([^"]*)" rel="next"/.exec(nav)?.[1]?.replaceAll("&amp;", "&")
      }
      let pages = 0
      for (let path: string | undefined = `${adminOf("crowd", "/people")}?cursor=50`; path !== undefined; pages++) {
        const { shown }: At = yield* root.open(path)
        for (const [, name] of shown.text.matchAll(/<th scope="row"><a href="\/people\/([^"]*)"/g)) seen.add(name!)
        assert.strictEqual(shown.text.match(/<th scope="row"><bdi>login-/g)?.length, 10, "the roster stays at its page")
        path = next(shown.text)
      }
      assert.deepStrictEqual([seen.size, pages], [121, 3])
      assert.strictEqual((yield* root.open(`${adminOf("crowd", "/people")}?admins=x`)).status, 400)
    })
  )

  it.effect("removes a text, revokes a key and restricts entry by a second step alone", () =>
    Effect.gen(function* () {
      const { admin, of } = yield* scheduled("sure")
      yield* untilTaken(admin.editorial.addPost({ payload: { slug: "long-one", title: "Long", body: "Long" } }))
      yield* untilTaken(admin.editorial.announce({ payload: { title: "Soon", body: "Soon." } }))
      yield* untilTaken(admin.seasonFleet.createSeasonKey({ params: of, payload: { name: "rack" } }))
      yield* untilTaken(admin.fleet.createKey({ payload: { name: "all" } }))
      yield* untilTaken(admin.platform.addWord({ payload: { word: "darn" } }))
      const { picked_at } = yield* untilTaken(admin.pickAdmin.pick({ payload: { match: Fixture.matchIds.nano } }))
      const picked = timeText(picked_at)
      const ada = yield* (yield* Service.Service).as("ada")
      yield* untilTaken(ada.community.postComment({ payload: { match: Fixture.matchIds.nano, body: "Well played" } }))
      yield* untilTaken(ada.writing.writeStory({ params: { id: Fixture.modelIds.alpha }, payload: { body: "How it came", submit: true } }))
      const board = snakesBoards[0]!
      yield* untilTaken(admin.boardAdmin.addBoard({ params: of, payload: JSON.parse(JSON.stringify(board)) }))
      yield* untilTaken(admin.boardAdmin.switchBoard({ params: { ...of, map_id: board.map_id }, payload: { enabled: true } }))
      yield* untilTaken(admin.roster.addParticipants({ params: of, payload: { logins: ["eve"] } }))
      yield* untilTaken(admin.round.planRound({ params: of, payload: { kind: "round", games: 5, starts_at: "2098-01-01T00:00:00Z" } }))
      yield* untilTaken(admin.seasonWebhook.createSeasonWebhook({ params: of, payload: { url: "https://10.9.8.7/sure" } }))
      const root = yield* as("root")
      for (const [path, label] of [
        ["/admin/posts", "Remove the post long-one"],
        ["/admin/announcements", "Remove the announcement Soon"],
        ["/admin/runners", "Revoke the key all"],
        ["/admin/words", "Remove the word darn"],
        ["/admin/picks", `Take back the pick of ${picked}`],
        ["/admin/comments", "Remove the comment of ada"],
        ["/admin/stories", "Reject the story of Alpha"],
        ["/admin/users?q=bob", "Make an administrator of bob"],
        ["/admin/users?q=bob", "Dismiss the administrator bob"],
        [adminOf("sure", "/runners"), "Revoke the key rack"],
        [adminOf("sure", "/boards"), `Take out of play the board ${board.map_id}`],
        [adminOf("sure", "/people"), "Dismiss ada"],
        [adminOf("sure", "/people"), "Take off the login eve (dev)"],
        [adminOf("sure", "/rounds"), "Withdraw round 1"],
        [adminOf("sure", "/webhooks"), "Remove the webhook to https://10.9.8.7/sure"],
        [adminOf("sure"), "Restrict entry to the roster of sure"]
      ] as const) {
        const at = yield* root.open(path)
        const form = formsOf(at.shown.text).find(({ buttons }) => buttons.some((button) => button.label === label))
        assert.isTrue(form?.folded, `${label} of ${path}`)
        const done = yield* root.press(at, label)
        assert.deepStrictEqual([done.status, done.fragment], [303, "outcome"], label)
        assert.notInclude(done.shown.text, label)
      }
    })
  )
})
