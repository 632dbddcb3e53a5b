/**
 * Making a season and changing it (docs/contract.md#creating-a-season and docs/contract.md#editing-a-season),
 * over HTTP with the season's own actor.
 */

import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { engines } from "@agon/engine/registry.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  layer as administration,
  ask,
  baseline,
  changes,
  later,
  log,
  options,
  past,
  patch,
  post,
  read,
  refusal,
  remove,
  rows,
  scheduled,
  season,
  seasonBody,
  urlOf
} from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { holding } from "../support/holding.ts"

const seasons = "/v1/games/snakes/seasons"
const game = "/v1/games/snakes"
/** Without a slug, which then comes of the name. */
const body = { ...seasonBody("none"), name: "Éclair Cup 2026!", slug: undefined }

layer(administration, options)("making a season", (it) => {
  it.effect("answers its record with every default, logs it and shows it at once", () =>
    Effect.gen(function* () {
      yield* changes(
        [seasons, game],
        Effect.gen(function* () {
          const made = yield* post(seasons, { ...body, rules: { trial: { matches: 2 } }, admins: ["ada", "ada"], unknown: 1 })
          assert.strictEqual(made.status, 201, made.text)
          assert.deepInclude(made.json, { slug: "eclair-cup-2026", name: body.name, state: "live", entry: "open", entries: 0, round: null })
          assert.deepStrictEqual(made.json.rules, { ...DEFAULT_RULES, trial: { matches: 2 } })
        })
      )
      const { admins } = (yield* read(urlOf("eclair-cup-2026", "/admins"), "ada")).json
      assert.deepStrictEqual(
        admins.map((one: any) => one.username),
        ["ada"]
      )
      const [row] = yield* rows<any>`SELECT action, subject, game FROM audit WHERE action = 'season.create'`
      assert.deepStrictEqual(row, { action: "season.create", subject: "eclair-cup-2026", game: "snakes" })
    })
  )

  it.effect("is refused with the code of what is wrong, and leaves neither a season nor a log row", () =>
    Effect.gen(function* () {
      yield* season("taken")
      const before = yield* rows`SELECT id FROM audit`
      const cases: ReadonlyArray<readonly [object, number, string]> = [
        [{ slug: "taken" }, 409, "season_exists"],
        [{ slug: "No Slug" }, 400, "invalid_request"],
        [{ name: "!!!" }, 400, "invalid_request"],
        [{ name: undefined }, 400, "invalid_request"],
        [{ submissions_close_at: past }, 400, "invalid_request"],
        [{ rules: { cooldown_s: "a day" } }, 400, "invalid_request"],
        [{ rules: { match: 3 } }, 400, "invalid_request"],
        [{ rules: { cooldown_s: -1 } }, 422, "rules_invalid"],
        [{ rules: { speed: 1 } }, 422, "rules_invalid"],
        [{ rules: { "match.max_turns": 5 } }, 422, "rules_invalid"],
        [{ rules: { match: { "trial.matches": 5 } } }, 422, "rules_invalid"],
        [{ weight_classes: Fixture.classes.slice(1) }, 422, "rules_invalid"],
        [{ weight_classes: Fixture.classes.map((one) => ({ ...one, max_bytes: 5 })) }, 422, "rules_invalid"],
        [{ admins: ["nobody"] }, 400, "invalid_request"],
        [{ providers: ["hub", "nowhere"] }, 400, "invalid_request"]
      ]
      for (const [change, status, code] of cases) {
        const made = yield* post(seasons, { ...body, slug: "fresh", ...("name" in change ? { slug: undefined } : {}), ...change })
        assert.deepStrictEqual(refusal(made), [status, code], JSON.stringify(change))
        if (status === 422) assert.isAbove(made.json.errors.length, 0)
      }
      assert.deepStrictEqual(yield* rows`SELECT id FROM audit`, before)
      assert.deepStrictEqual(yield* rows`SELECT id FROM season WHERE slug = 'fresh'`, [])
      const { json } = yield* post("/v1/games/chess/seasons", body)
      const games = engines.map(({ slug }) => slug).join(", ")
      assert.deepStrictEqual([json.code, json.detail], ["unknown_game", `There is no game chess. There are: ${games}.`])
    })
  )
})

layer(administration, options)("the providers of a season", (it) => {
  it.effect("are configured ones, which a refusal names", () =>
    Effect.gen(function* () {
      const refused = yield* post(seasons, { ...body, providers: ["hub", "nowhere", "elsewhere"] })
      const message = "There is no sign-in provider nowhere, elsewhere. Configured are: hub, lab."
      assert.deepStrictEqual([refused.status, refused.json.code, refused.json.detail], [400, "invalid_request", message])
      assert.deepStrictEqual(refused.json.errors, [{ path: "providers", message }])
      assert.strictEqual((yield* post(seasons, { ...body, providers: ["lab", "hub"] })).status, 201)
    })
  )
})

layer(administration, options)("editing a season", (it) => {
  it.effect("changes the window, some rules and the classes of a scheduled one, keeps the rest, and purges its reads", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("spring", { rules: { cooldown_s: 60 } })
      const smaller = Fixture.classes.map((one) => ({ ...one, max_bytes: one.max_bytes - 1 }))
      const edit = {
        submissions_close_at: "2098-01-01T01:00:00+01:00",
        rules: { match: { max_turns: 50 } },
        weight_classes: smaller,
        name: "New",
        visibility: "private"
      }
      yield* changes(
        [seasons],
        Effect.gen(function* () {
          const edited = yield* patch(url(), edit, "ada")
          assert.strictEqual(edited.status, 200, edited.text)
          assert.deepInclude(edited.json, {
            name: "Season spring",
            visibility: "public",
            submissions_open_at: later,
            submissions_close_at: "2098-01-01T00:00:00.000Z"
          })
          assert.deepStrictEqual(edited.json.rules, { ...DEFAULT_RULES, cooldown_s: 60, match: { max_turns: 50, strike_limit: 3 } })
          assert.deepStrictEqual(edited.json.weight_classes, smaller)
        })
      )
      const [[actor, action, subject, detail]] = (yield* log(id)) as [any]
      assert.deepStrictEqual([actor, action, subject, detail.rules], ["ada", "season.edit", "spring", { match: { max_turns: 50 } }])
    })
  )

  it.effect("keeps every rule that several administrators change at the same time", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("busy")
      const edits: ReadonlyArray<object> = [
        { rules: { cooldown_s: 5 } },
        { rules: { match: { max_turns: 50 } } },
        { rules: { match: { strike_limit: 7 } } },
        { rules: { trial: { matches: 2 } } },
        { submissions_close_at: "2098-01-01T00:00:00Z" },
        { rules: { note_max_length: 9 } }
      ]
      const answers = yield* Effect.all(
        edits.map((edit, i) => patch(url(), edit, i % 2 === 0 ? "ada" : "root")),
        { concurrency: edits.length }
      )
      for (const answer of answers) assert.strictEqual(answer.status, 200, answer.text)
      const { rules, submissions_close_at } = (yield* patch(url(), {})).json
      const changed = { cooldown_s: 5, note_max_length: 9, trial: { matches: 2 }, match: { max_turns: 50, strike_limit: 7 } }
      assert.deepStrictEqual(rules, { ...DEFAULT_RULES, ...changed })
      assert.strictEqual(submissions_close_at, "2098-01-01T00:00:00.000Z")
      assert.lengthOf(yield* log(id), edits.length)
    })
  )

  it.effect("lets it learn how far its field lies apart; rules that were never told so do not say it", () =>
    Effect.gen(function* () {
      const { url } = yield* scheduled("even")
      assert.notProperty((yield* patch(url(), {})).json.rules, "learn_spread")
      assert.strictEqual((yield* patch(url(), { rules: { learn_spread: 1 } })).json.rules.learn_spread, 1)
    })
  )

  it.effect("is for the administrators of a private one too; classes that say nothing of memory allow none; no edit, no log row", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("secret", { visibility: "private" })
      assert.strictEqual((yield* patch(url(), { weight_classes: Fixture.classes }, "ada")).status, 200)
      assert.deepStrictEqual(yield* log(id), [], "these are the classes that it has")
      const classes = Fixture.classes.map(({ class: name, max_bytes }) => ({ class: name, max_bytes }))
      const edited = yield* patch(url(), { weight_classes: classes }, "ada")
      assert.deepStrictEqual(
        edited.json.weight_classes,
        classes.map((one) => ({ ...one, memory_flat_bytes: 0, memory_cell_bytes: 0 }))
      )
      assert.deepStrictEqual((yield* patch(url(), {}, "ada")).json, edited.json)
      assert.lengthOf(yield* log(id), 1)
    })
  )

  it.effect("is refused where the outcome would be wrong, and changes nothing then", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("summer")
      const cases: ReadonlyArray<readonly [object, number, string]> = [
        [{ submissions_close_at: later }, 400, "invalid_request"],
        [{ submissions_open_at: "tomorrow" }, 400, "invalid_request"],
        [{ rules: { trial: { matches: 1.5 } } }, 400, "invalid_request"],
        [{ rules: { trial: { matches: 0 } } }, 422, "rules_invalid"],
        [{ rules: { luck: 1 } }, 422, "rules_invalid"],
        [{ rules: { learn_spread: 2 } }, 422, "rules_invalid"],
        [{ weight_classes: [] }, 422, "rules_invalid"]
      ]
      for (const [edit, status, code] of cases) assert.deepStrictEqual(refusal(yield* patch(url(), edit)), [status, code])
      assert.deepStrictEqual(yield* log(id), [])
    })
  )

  it.effect("is over once the season is live, closing or closed", () =>
    Effect.gen(function* () {
      const live = yield* season("live")
      assert.deepStrictEqual(refusal(yield* patch(live.url(), { rules: { cooldown_s: 1 } })), [409, "season_not_scheduled"])
      assert.deepStrictEqual(yield* log(live.id), [])
      yield* post(live.url("/close"))
      assert.deepStrictEqual(refusal(yield* patch(live.url(), {})), [409, "season_not_scheduled"])
      const moved = yield* scheduled("moved")
      assert.strictEqual((yield* patch(moved.url(), { submissions_open_at: past })).json.state, "live")
      assert.deepStrictEqual(refusal(yield* patch(moved.url(), {})), [409, "season_not_scheduled"])
    })
  )
})

layer(administration, options)("who may enter", (it) => {
  it.effect("is narrowed once, while the season is scheduled and public", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("spring")
      yield* changes(
        [seasons],
        Effect.gen(function* () {
          const narrowed = yield* patch(url("/entry"), { entry: "restricted" }, "ada")
          assert.deepStrictEqual([narrowed.status, narrowed.json.entry], [200, "restricted"])
        })
      )
      assert.deepStrictEqual(yield* log(id), [["ada", "season.entry", "spring", { entry: "restricted" }]])
      assert.deepStrictEqual(refusal(yield* patch(url("/entry"), { entry: "restricted" })), [409, "entry_fixed"])
      const widened = yield* patch(url("/entry"), { entry: "open" })
      assert.deepStrictEqual(refusal(widened), [400, "invalid_request"])
      assert.deepStrictEqual(widened.json.errors, [{ path: "entry", message: 'takes "restricted"' }])
      const secret = yield* scheduled("secret", { visibility: "private" })
      assert.deepStrictEqual(refusal(yield* patch(secret.url("/entry"), { entry: "restricted" })), [409, "entry_fixed"])
      const live = yield* season("live")
      assert.deepStrictEqual(refusal(yield* patch(live.url("/entry"), { entry: "restricted" })), [409, "season_not_scheduled"])
      const closing = yield* scheduled("closing")
      yield* post(closing.url("/close"))
      assert.deepStrictEqual(refusal(yield* patch(closing.url("/entry"), { entry: "restricted" })), [409, "season_not_scheduled"])
      assert.lengthOf(yield* log(id), 1)
      assert.deepStrictEqual(yield* log(live.id), [])
    })
  )

  it.effect("is told once by two who narrow it at the same time", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("race")
      const both = yield* Effect.all(
        [1, 2].map(() => patch(url("/entry"), { entry: "restricted" })),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [200, 409])
      assert.lengthOf(yield* log(id), 1)
    })
  )
})

layer(administration, options)("the featured season", (it) => {
  const featured = Effect.map(read(game), ({ json }) => json.featured_season.slug)

  it.effect("is the one that was set, whatever is newer; setting it again changes nothing", () =>
    Effect.gen(function* () {
      const old = yield* season("old")
      const fresh = yield* season("fresh", { submissions_open_at: "2026-02-01T00:00:00Z" })
      assert.strictEqual(yield* featured, "fresh")
      yield* changes([game, "/v1/games", "/v1/games/snakes/leaderboard"], post(old.url("/featured")))
      assert.strictEqual(yield* featured, "old")
      yield* post(old.url("/featured"))
      assert.deepStrictEqual(yield* log(old.id), [["root", "season.feature", "old", null]])
      assert.strictEqual((yield* post(fresh.url("/featured"))).json.slug, "fresh")
      assert.strictEqual(yield* featured, "fresh")
    })
  )

  it.effect("is one only, however many are set at the same time, and never a private one", () =>
    Effect.gen(function* () {
      const slugs = ["a", "b", "c", "d"]
      for (const slug of slugs) yield* season(slug)
      const set = yield* Effect.all(
        slugs.map((slug) => post(urlOf(slug, "/featured"))),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(
        set.map(({ status }) => status),
        [200, 200, 200, 200]
      )
      const [{ n }] = (yield* rows<any>`SELECT count(*)::int AS n FROM season WHERE featured`) as [any]
      assert.strictEqual(n, 1)
      const secret = yield* season("secret", { visibility: "private" })
      assert.deepStrictEqual(refusal(yield* post(secret.url("/featured"))), [409, "season_private"])
      assert.deepStrictEqual(yield* log(secret.id), [])
    })
  )
})

layer(administration, options)("fleet and fill", (it) => {
  const settings = (id: string) => Effect.map(rows<any>`SELECT fleet, fill FROM season WHERE id = ${id}`, ([row]) => row)

  it.effect("change while the season is live, what is left out stays, and both are logged", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("live")
      const changed = yield* patch(url("/fleet"), { matches: "own", admissions: "platform" })
      assert.deepStrictEqual([changed.status, changed.json.slug], [200, "live"])
      yield* patch(url("/fleet"), { matches: "both" })
      yield* patch(url("/fill"), { enabled: true, max_per_hour: 30 })
      yield* patch(url("/fill"), { enabled: false })
      assert.deepStrictEqual(yield* settings(id), {
        fleet: { matches: "both", admissions: "platform" },
        fill: { enabled: false, max_per_hour: 30 }
      })
      assert.deepStrictEqual(
        (yield* log(id)).map(([actor, action, , detail]) => [actor, action, detail]),
        [
          ["root", "season.fill", { enabled: false }],
          ["root", "season.fill", { enabled: true, max_per_hour: 30 }],
          ["root", "season.fleet", { matches: "both" }],
          ["root", "season.fleet", { matches: "own", admissions: "platform" }]
        ]
      )
      assert.strictEqual((yield* patch(url("/fill"), { enabled: true, max_per_hour: null })).status, 200)
    })
  )

  it.effect("keep what each of two administrators changed at the same time, and log nothing where nothing changed", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("shared")
      for (const [matches, admissions, max_per_hour] of [
        ["own", "platform", 1],
        ["platform", "own", 2],
        ["both", "both", 3]
      ] as const) {
        const edits = [
          patch(url("/fleet"), { matches }),
          patch(url("/fleet"), { admissions }),
          patch(url("/fill"), { enabled: max_per_hour % 2 === 1 }),
          patch(url("/fill"), { max_per_hour })
        ]
        const answers = yield* Effect.all(edits, { concurrency: edits.length })
        for (const answer of answers) assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(yield* settings(id), {
          fleet: { matches, admissions },
          fill: { enabled: max_per_hour % 2 === 1, max_per_hour }
        })
      }
      const logged = yield* log(id)
      yield* patch(url("/fleet"), { matches: "both" })
      yield* patch(url("/fill"), {})
      assert.deepStrictEqual(yield* log(id), logged)
    })
  )

  it.effect("take nothing else, and nothing at all once the season is closed", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("strict")
      assert.deepStrictEqual(refusal(yield* patch(url("/fleet"), { matches: "theirs" })), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* patch(url("/fill"), { enabled: "yes" })), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* patch(url("/fill"), { max_per_hour: -1 })), [400, "invalid_request"])
      assert.deepStrictEqual(yield* log(id), [])
      yield* post(url("/close"))
      assert.deepStrictEqual(refusal(yield* patch(url("/fleet"), { matches: "own" })), [409, "season_closed"])
      assert.deepStrictEqual(refusal(yield* patch(url("/fill"), { enabled: true })), [409, "season_closed"])
    })
  )
})

layer(administration, options)("closing", (it) => {
  it.effect("is asked for once: again it answers the same moment, also when the season is closed; it is logged and purged once", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("live", { admins: ["ada"] })
      yield* changes([seasons, url("/podium")], post(url("/close"), undefined, "ada"))
      const first = yield* post(url("/close"))
      assert.deepStrictEqual([first.status, first.json.state], [200, "closed"])
      assert.isNotNull(first.json.close_requested_at)
      const again = yield* post(url("/close"))
      assert.strictEqual(again.json.close_requested_at, first.json.close_requested_at)
      assert.deepStrictEqual(yield* log(id), [["ada", "season.close", "live", null]])
      const early = yield* scheduled("early")
      assert.isNotNull((yield* post(early.url("/close"))).json.close_requested_at)
    })
  )

  it.effect("of a private season is answered with its record, also to an administrator who is dismissed meanwhile", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("secret", { visibility: "private", admins: ["ada"] })
      const waits = Effect.map(
        rows`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        (waiting) => waiting.length > 0
      )
      const closing = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* holding(`SELECT 1 FROM season WHERE id = '${id}' FOR UPDATE`)
          const closing = yield* Effect.forkChild(post(url("/close"), undefined, "ada"))
          yield* eventually("the commit of the close", waits)
          yield* remove(url("/admins"), { username: "ada" })
          return closing
        })
      )
      const { json, status, text } = yield* Fiber.join(closing)
      assert.deepStrictEqual([status, json.slug], [200, "secret"], text)
      assert.isNotNull(json.close_requested_at)
      assert.deepStrictEqual(refusal(yield* post(url("/close"), undefined, "ada")), [404, "unknown_season"])
    })
  )

  it.effect("cuts reviews off: their runner is told that the lease is lost, by its result and by its heartbeat", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("cut")
      yield* baseline(id, 7, "late", false)
      const { key } = (yield* post(url("/runner-keys"), { name: "rack" })).json
      const say = (path: string, json: unknown) =>
        ask(`/v1/runner${path}`, { method: "POST", json, headers: { authorization: `Bearer ${key}` } })
      const engines = [{ game: "snakes", engine_digest: Fixture.engineDigest }]
      const session = { name: "rack", runtime_version: "test", engines, accepts: ["admission"], slots: 1 }
      const { runner } = (yield* say("/sessions", session)).json
      const [{ lease }] = (yield* say("/leases", { runner, max: 1, wait_s: 0 })).json.leases
      yield* post(url("/close"))
      const verdict = { verdict: "admitted", param_count: 1, infer_us: 1, memory: { flat: 0, cell: 0 } }
      const result = { kind: "admission", runtime_version: "test", ...verdict }
      assert.deepStrictEqual((yield* say("/heartbeat", { runner, leases: [lease] })).json.leases, [{ lease, lost: true }])
      assert.deepStrictEqual((yield* say(`/leases/${lease}/result`, result)).json, { accepted: false, reason: "lost" })
      const never = yield* say(`/leases/${lease.replace(/1$/, "2")}/result`, result)
      assert.deepStrictEqual(refusal(never), [404, "not_found"])
    })
  )
})
