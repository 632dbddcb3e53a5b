/**
 * An administrator's season from its creation to its frozen podium by forms alone, as a browser without
 * scripts sends them. The test is the runner, which plays and reports through the API, and two competitors.
 */
import type { Client } from "@agon/api/Client.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { admit, playUntilRated, recorded, sendByCommands, submit } from "../support/AdministeredSeason.ts"
import { Browser, signIn } from "../support/Browser.ts"
import { eventually } from "../support/eventually.ts"
import { visitor } from "../support/PageForms.ts"
import { siteAnswers, visit } from "../support/Pages.ts"
import { about, isMatch, report, snakesZoo } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const HERE = { game: "snakes", slug: "forms" }
const SEASON = `/games/${HERE.game}/seasons/${HERE.slug}`
const BASELINES = snakesZoo.slice(0, 2)
const BOARD = snakesBoards.find(({ players }) => players === 2)!

const signedIn = Effect.gen(function* () {
  const { origin } = yield* Service.Service
  const browser = new Browser()
  yield* Effect.promise(() => signIn(browser, origin, "admin"))
  return visitor(origin, `service_session=${browser.cookie(origin, "service_session")}`)
})
type Visitor = Effect.Success<typeof signedIn>

const adminPage = (part = "") => `${SEASON}/admin${part}`

/** Opens a page, presses one button, and says how the page answers. */
const pressed = Effect.fnUntraced(function* (
  { open, press }: Visitor,
  path: string,
  label: string,
  filled: Parameters<Visitor["press"]>[2] = {},
  status = 303
) {
  const at = yield* press(yield* open(path), label, filled)
  assert.strictEqual(at.status, status, `${label} at ${path}: ${at.shown.text}`)
  return at
})

/** A season that takes no models yet, with its roster, board and baselines, as the site's forms make it. */
const prepared = Effect.fnUntraced(function* (admin: Visitor) {
  const made = yield* pressed(admin, "/admin/seasons", "Create the season", {
    name: "Forms",
    submissions_open_at: "2089-01-01T00:00",
    submissions_close_at: "2090-01-01T00:00",
    "rules.cooldown_s": "0",
    "rules.trial.matches": "2"
  })
  assert.strictEqual(made.path, `${adminPage()}?done=yes`)
  const restricted = yield* pressed(admin, adminPage(), "Restrict entry to the roster of Forms")
  assert.include(restricted.shown.text, "Only people on the roster may enter")
  yield* pressed(admin, adminPage("/people"), "Add", { logins: "ada\nbob", provider: "dev" }, 200)
  const file = JSON.stringify(BOARD)
  const preview = yield* pressed(admin, adminPage("/boards"), "Show its picture", { file }, 200)
  assert.strictEqual((yield* admin.press(preview, "Upload")).status, 303)
  yield* pressed(admin, adminPage("/boards"), `Bring into play: board ${BOARD.map_id}`)
  const key = yield* pressed(admin, adminPage("/runners"), "Make a key", { name: "the test" }, 200)
  const [secret = ""] = /agon_rk_[\w-]{20,}/.exec(key.shown.text) ?? []
  for (const model of BASELINES) {
    const { shown } = yield* pressed(admin, adminPage("/baselines"), "Record", recorded(model), 200)
    const commands = /<pre tabindex="0">([^<]*)/.exec(shown.text)![1]!.replaceAll("&amp;", "&").replaceAll("&#39;", "'")
    yield* Effect.promise(() => sendByCommands(model, commands))
  }
  return yield* (yield* Service.Service).runner(secret)
})

/** Its rule is edited, and it takes models at once. */
const activated = Effect.fnUntraced(function* (admin: Visitor, fleet: Client) {
  yield* pressed(admin, adminPage(), "Save", { "rules.trial.matches": "1", submissions_open_at: "2026-01-01T00:00" })
  yield* admit(fleet, BASELINES.length)
  for (const { name } of BASELINES) yield* pressed(admin, adminPage("/baselines"), `Bring into play: baseline ${name}`)
  assert.include((yield* admin.open(adminPage())).shown.text, "<dd>live</dd>")
})

/** Starts a round in a second, or in as many as a busy service takes to hear of it before. */
const plan = Effect.fnUntraced(function* (admin: Visitor, kind: string, games: string) {
  let at = yield* admin.open(adminPage("/rounds"))
  for (let seconds = 1; ; seconds *= 2) {
    const starts_at = DateTime.formatIso(DateTime.add(yield* DateTime.now, { seconds }))
    at = yield* admin.press(at, "Plan", { kind, games, starts_at })
    if (at.status === 303) break
    assert.match(at.shown.text, /<bdi>(Round 1|The finals) must start in the future:/, `${seconds} s: ${at.shown.text}`)
  }
  const row = kind === "finals" ? "Finals" : "Round 1"
  const hasStarted = Effect.map(admin.open(adminPage("/rounds")), ({ shown }) =>
    shown.text.includes(`<th scope="row">${row}</th>\n<td>being played</td>`)
  )
  yield* eventually(`${row} has started`, hasStarted)
})

const voided = Effect.fnUntraced(function* (admin: Visitor) {
  const { shown } = yield* admin.open(adminPage("/matches"))
  const [, to = ""] = /href="([^"#]*)#void"/.exec(shown.text) ?? []
  const at = yield* pressed(admin, to, "Void the match", { reason: "The board was drawn wrongly." }, 200)
  assert.match(at.shown.text, /role="status">The match [^<]* (is void|no longer counts)/)
})

const disqualified = Effect.fnUntraced(function* (admin: Visitor) {
  const { shown } = yield* admin.open(adminPage("/entries"))
  const name = snakesZoo[3]!.name
  const [, to = ""] = new RegExp(`href="([^"#]*)#disqualify" aria-label="Disqualify ${name} `).exec(shown.text) ?? []
  const out = yield* pressed(admin, to, "Disqualify", { reason: "It is somebody else's." })
  assert.include(out.shown.text, "Disqualified: <bdi>It is somebody else")
  assert.notInclude((yield* visit(`${SEASON}/ladders/open`)).text, name)
  const back = yield* admin.press(out, `Let it play again: ${name} version 1`)
  assert.strictEqual(back.status, 303)
  assert.include(back.shown.text, "None is out of play.")
})

/** In the finals a baseline may leave, which is offered, and none joins, which is not. */
const settled = Effect.fnUntraced(function* (admin: Visitor) {
  const { shown } = yield* admin.open(adminPage("/baselines"))
  assert.include(shown.text, "none is recorded, copied or brought into play any more")
  const offered = [...shown.text.matchAll(/name="form" value="(\w+)"/g)].map(([, form]) => form)
  assert.deepStrictEqual([...new Set(offered)], ["switch"])
  assert.notInclude(shown.text, "Bring into play")
})

/** Plays what the finals owe; the season closes by itself then. */
const finals = Effect.fnUntraced(function* (admin: Visitor, fleet: Client) {
  yield* plan(admin, "finals", "1")
  assert.include((yield* visit(`${SEASON}/ladders/open`)).text, "In the finals, which owe each model 1 match.")
  const { text } = yield* visit(SEASON)
  assert.include(text, "<dt>Takes models</dt><dd>no more; planned was ")
  assert.notInclude(text, "Enter a model")
  assert.include((yield* visit("/")).text, "Takes no more models.")
  yield* settled(admin)
  const { runner } = yield* fleet.runner.openSession({ payload: { ...about, accepts: ["match"] } })
  /** The last match closes the season: a lease that waits for another ends empty. */
  const playOne = Effect.gen(function* () {
    const { leases } = yield* fleet.runner.lease({ payload: { runner, max: 1, wait_s: 1 } })
    for (const work of leases.filter(isMatch)) yield* report(fleet, work)
  })
  const isClosed = Effect.map(admin.open(adminPage()), ({ shown }) => /<dt>State<\/dt><dd>closed/.test(shown.text))
  yield* eventually(
    "the finals are played",
    Effect.flatMap(isClosed, (closed) => (closed ? Effect.succeed(true) : Effect.as(playOne, false)))
  )
})

const ready = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(SiteService.layer))

layer(ready, { excludeTestServices: true, timeout: "300 seconds" })("an administrator who has a browser without scripts", (it) => {
  it.effect("leads a season from its creation to its frozen podium by forms", () =>
    Effect.gen(function* () {
      const admin = yield* signedIn
      const fleet = yield* prepared(admin)
      yield* activated(admin, fleet)
      yield* submit(HERE, "ada", snakesZoo[2]!)
      yield* submit(HERE, "bob", snakesZoo[3]!)
      yield* admit(fleet, 2)
      yield* plan(admin, "round", "50")
      yield* playUntilRated(HERE, fleet, 2)
      assert.match(
        (yield* visit(`/matches?game=snakes&season=${HERE.slug}`)).text,
        /[1-9] rated match(es)? found; trials are listed besides</
      )
      yield* voided(admin)
      yield* disqualified(admin)
      yield* finals(admin, fleet)
      const podium = (yield* visit(SEASON)).text
      assert.match(podium, /<h2>Podium<\/h2>/)
      for (const name of ["ada", "bob"]) assert.include(podium, `href="/people/${name}"`)
      const closed = yield* admin.open(adminPage())
      assert.include(closed.shown.text, "The season is closed: its settings and its podium stay as they are.")
      const log = (yield* admin.open(adminPage("/log"))).shown.text
      for (const action of [
        "season.create",
        "season.edit",
        "board.add",
        "match.void",
        "version.disqualify",
        "version.reinstate",
        "round.plan"
      ])
        assert.include(log, `<code class="faint">${action}</code></td>`)
    })
  )
})
