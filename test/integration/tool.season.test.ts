/**
 * `agon season` against a running service: created, changed, planned and closed from one file,
 * each shown by a dry run first.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { firstPage } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { agonHere } from "@agon/cli/testing/here.ts"
import { demoWeightClasses } from "@agon/zoo/zoo.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { stringify } from "yaml"
import { Browser, signIn } from "../support/Browser.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { Service, layer as service } from "../support/Service.ts"

const spring = { game: "snakes", slug: "spring" }
const SEASON = {
  ...OPEN_SEASON,
  ...spring,
  name: "The spring",
  submissions_open_at: "2098-01-01T00:00:00+01:00",
  submissions_close_at: "2099-01-01T00:00:00Z",
  // In another order than the service has them.
  weight_classes: demoWeightClasses.map(({ class: name, ...caps }) => ({ ...caps, class: name })),
  rules: { cooldown_s: 0, match: { max_turns: 60 } },
  providers: [] as ReadonlyArray<string>
}
const ROUNDS = [
  { kind: "round", games: 20, starts_at: "2098-02-01T00:00:00Z" },
  { kind: "round", games: 30, starts_at: "2098-03-01T00:00:00Z" },
  { kind: "finals", games: 50, starts_at: "2098-04-01T00:00:00Z" }
]
const WEEK_LATER = ROUNDS.map((round) => ({ ...round, starts_at: `${round.starts_at.slice(0, 8)}28T00:00:00Z` }))

/** The season's file on the page for administrators. */
const [, PAGE_FILE] = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(join(import.meta.dirname, "../../docs/administering.md"), "utf8"))!

/** A person at a command line, signed in, with one file. */
const person = Effect.fnUntraced(function* (login: string) {
  const { as, origin } = yield* Service
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-season-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const browser = new Browser()
  yield* Effect.promise(() => signIn(browser, origin, login))
  mkdirSync(join(folder, "agon"))
  writeFileSync(
    join(folder, "agon/session.json"),
    JSON.stringify({ url: origin, session: browser.cookie(origin, "service_session"), username: login })
  )
  const file = join(folder, "season.yaml")
  const run = (command: string, content: unknown, ...more: ReadonlyArray<string>) =>
    Effect.promise(() => {
      writeFileSync(file, typeof content === "string" ? content : stringify(content))
      return agonHere(["season", command, file, ...more], { environment: { XDG_CONFIG_HOME: folder } })
    })
  const tool = (...args: ReadonlyArray<string>) => Effect.promise(() => agonHere(args, { environment: { XDG_CONFIG_HOME: folder } }))
  return { client: yield* as(login), run, tool, folder, origin }
})

layer(service(), { excludeTestServices: true })("agon season", (it) => {
  it.effect("creates a season, changes it, and leaves alone what is so already", () =>
    Effect.gen(function* () {
      const { client, run } = yield* person("admin")
      const told = yield* run("create", SEASON, "--dry-run")
      assert.strictEqual(told.status, 0, told.err)
      for (const line of ["+ name: The spring", "+ rules.match.max_turns: 60", "snakes/spring: a dry run"]) assert.include(told.out, line)
      const none = yield* Effect.flip(retryRefused(client.season.privateSeason({ params: spring })))
      assert.strictEqual(none._tag, "unknown_season")

      const created = yield* run("create", SEASON)
      assert.deepStrictEqual([created.status, created.out.endsWith("snakes/spring: done\n")], [0, true], created.err)
      const again = yield* run("create", SEASON, "--json")
      assert.deepStrictEqual(JSON.parse(again.out), { season: "snakes/spring", changes: [], fixed: [], written: false })

      const changed = { ...SEASON, entry: "restricted", rules: { ...SEASON.rules, cooldown_s: 60 } }
      const shown = yield* run("create", changed, "--dry-run")
      const lines = ["- entry: open", "+ entry: restricted", "- rules.cooldown_s: 0", "+ rules.cooldown_s: 60", "snakes/spring: a dry run"]
      assert.sameMembers(shown.out.trim().split("\n"), lines)
      const before = yield* retryRefused(client.season.privateSeason({ params: spring }))
      assert.deepStrictEqual([before.entry, before.rules.cooldown_s], ["open", 0])
      assert.strictEqual((yield* run("create", changed)).status, 0)
      const after = yield* retryRefused(client.season.privateSeason({ params: spring }))
      assert.deepStrictEqual([after.entry, after.rules.cooldown_s, after.rules.match.max_turns], ["restricted", 60, 60])

      const refused = yield* run("create", { ...SEASON, rules: { ...SEASON.rules, cooldown_s: 90 } })
      assert.strictEqual(refused.status, 1)
      assert.include(refused.out, "fixed: entry is restricted, not open\n")
      assert.strictEqual((yield* retryRefused(client.season.privateSeason({ params: spring }))).rules.cooldown_s, 60)
    }).pipe(Effect.scoped)
  )

  it.effect("takes the file of docs/administering.md as it stands there, also a second time", () =>
    Effect.gen(function* () {
      const { run } = yield* person("admin")
      const slug = "of-the-page"
      const file = PAGE_FILE!.replace(/^slug: .*$/m, `slug: ${slug}`)
      for (const command of ["create --dry-run", "create"]) {
        const { err, status } = yield* run("create", file, ...command.split(" ").slice(1))
        assert.strictEqual(status, 0, err)
      }
      const again = yield* run("create", file, "--json")
      assert.deepStrictEqual(JSON.parse(again.out), { season: `snakes/${slug}`, changes: [], fixed: [], written: false })
    }).pipe(Effect.scoped)
  )

  it.effect("leaves a private season alone whose file says that its entry is open, and still edits it", () =>
    Effect.gen(function* () {
      const { client, run } = yield* person("admin")
      const season = { ...SEASON, slug: "friends", name: "Friends", visibility: "private", entry: "open" }
      const created = yield* run("create", season)
      assert.strictEqual(created.status, 0, created.err)
      assert.include(created.out, "+ entry: restricted\n", "it is what is written")
      assert.match((yield* run("create", season)).out, /^snakes\/friends: nothing to do\n$/)
      const later = { ...season, submissions_close_at: "2099-02-01T00:00:00Z" }
      const { err, out, status } = yield* run("create", later)
      assert.deepStrictEqual([status, out.endsWith("snakes/friends: done\n")], [0, true], out + err)
      const { entry, submissions_close_at } = yield* retryRefused(
        client.season.privateSeason({ params: { game: "snakes", slug: "friends" } })
      )
      assert.deepStrictEqual([entry, Date.parse(submissions_close_at)], ["restricted", Date.parse(later.submissions_close_at)])
    }).pipe(Effect.scoped)
  )

  it.effect("says of a season that is live or closed that its dates, rules, classes and entry are fixed, also as a dry run", () =>
    Effect.gen(function* () {
      const { run } = yield* person("admin")
      const live = { ...SEASON, slug: "live", name: "Live", submissions_open_at: "2026-01-01T00:00:00Z" }
      const closed = { ...SEASON, slug: "closed", name: "Closed" }
      for (const season of [live, closed]) assert.strictEqual((yield* run("create", season)).status, 0)
      assert.strictEqual((yield* run("close", closed)).status, 0)
      const [nano, ...larger] = SEASON.weight_classes
      for (const season of [live, closed]) {
        assert.match((yield* run("create", season)).out, /: nothing to do\n$/)
        for (const [change, what] of [
          [{ submissions_close_at: "2099-02-01T00:00:00Z" }, "submissions_close_at"],
          [{ rules: { ...SEASON.rules, cooldown_s: 60 } }, "rules.cooldown_s"],
          [{ weight_classes: [{ ...nano, max_bytes: nano!.max_bytes - 1 }, ...larger] }, "weight_classes"],
          [{ entry: "restricted" }, "entry"]
        ] as const)
          for (const more of [["--dry-run"], []]) {
            const { err, out, status } = yield* run("create", { ...season, ...change }, ...more)
            assert.deepStrictEqual([status, err], [1, ""], out)
            assert.match(out, new RegExp(`^fixed: ${what} is .*\\nsnakes/${season.slug}: nothing was written\\n$`))
          }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("plans rounds, moves all of them later and back, withdraws one, and closes the season", () =>
    Effect.gen(function* () {
      const { client, run } = yield* person("admin")
      const season = { ...SEASON, slug: "autumn", name: "The autumn" }
      const params = { game: "snakes", slug: "autumn" }
      assert.strictEqual((yield* run("create", season)).status, 0)
      const standing = Effect.map(retryRefused(client.round.rounds({ params, query: firstPage() })), ({ rounds }) =>
        rounds
          .filter(({ state }) => state === "pending")
          .toSorted((a, b) => a.n - b.n)
          .map(({ games, kind, starts_at }) => ({ kind, games, starts_at: starts_at.replace(".000Z", "Z") }))
      )
      const dry = yield* run("rounds", { ...season, rounds: ROUNDS }, "--dry-run")
      assert.include(dry.out, '+ round: {"kind":"finals","games":50,"starts_at":"2098-04-01T00:00:00.000Z"}')
      assert.deepStrictEqual(yield* standing, [])
      for (const rounds of [ROUNDS, WEEK_LATER, ROUNDS, ROUNDS.slice(0, 1), ROUNDS]) {
        const { err, status } = yield* run("rounds", { ...season, rounds })
        assert.strictEqual(status, 0, err)
        assert.deepStrictEqual(yield* standing, rounds)
      }
      assert.match((yield* run("rounds", { ...season, rounds: ROUNDS })).out, /^snakes\/autumn: nothing to do\n$/)

      const without = yield* run("rounds", season)
      assert.deepStrictEqual([without.status, /^agon: The file has no rounds\./.test(without.err)], [2, true], without.err)
      assert.deepStrictEqual(yield* standing, ROUNDS)

      assert.include((yield* run("close", season, "--dry-run")).out, "+ state: closed")
      assert.strictEqual((yield* retryRefused(client.season.privateSeason({ params }))).close_requested_at, null)
      assert.strictEqual((yield* run("close", season)).status, 0)
      assert.notStrictEqual((yield* retryRefused(client.season.privateSeason({ params }))).close_requested_at, null)
      assert.match((yield* run("close", season)).out, /nothing to do\n$/)
    }).pipe(Effect.scoped)
  )

  it.effect("says in a sentence what is wrong with the file, and what the service refuses", () =>
    Effect.gen(function* () {
      const { run } = yield* person("admin")
      const other = yield* person("ada")
      const never = { ...SEASON, slug: "never" }
      const cases = [
        [run("create", "name: [", "--dry-run"), /^agon: \S+season\.yaml is not YAML: \S.*\.\n$/],
        [run("create", "[]"), /^agon: \S+season\.yaml: The file .*\.\n$/],
        [
          run("create", { ...never, slug: "Never!" }),
          /^agon: \S+season\.yaml: slug takes small letters, digits and single hyphens, .*\.\n$/
        ],
        [
          run("rounds", { ...never, rounds: [{ ...ROUNDS[0], games: 0 }] }),
          /^agon: \S+season\.yaml: games of item 1 of rounds takes .*\.\n$/
        ],
        [run("create", { ...never, nmae: "x" }), /^agon: \S+season\.yaml: nmae \S.*\.\n$/],
        [run("create", { ...never, submissions_open_at: "soon" }), /^agon: \S+season\.yaml: submissions_open_at \S.*RFC 3339.*\.\n$/],
        [
          run("rounds", { ...never, rounds: ROUNDS.toReversed() }),
          /^agon: \S+season\.yaml: starts_at of item 2 of rounds must be after .*\.\n$/
        ],
        ...["--dry-run", "--json"].flatMap((flag) =>
          (
            [
              [{ rules: { cooldown: 1 } }, "cooldown of rules: There is no such rule\\."],
              [{ rules: { cooldown_s: -1 } }, "cooldown_s of rules takes 0 to 604800\\."],
              [{ rules: { cooldown_s: "a" } }, "cooldown_s of rules: A rule is a whole number\\."],
              [{ weight_classes: SEASON.weight_classes.slice(-1) }, "weight_classes takes the classes nano, .*\\."],
              [{ submissions_close_at: SEASON.submissions_open_at }, "submissions_close_at: Submissions close after they open\\."]
            ] as const
          ).map(
            ([change, said]) => [run("create", { ...never, ...change }, flag), new RegExp(`^agon: \\S+season\\.yaml: ${said}\\n$`)] as const
          )
        ),
        [run("close", never), /^agon: \S.*\n$/],
        [other.run("create", never), /^agon: (?!Your session)\S.*\n$/]
      ] as const
      for (const [asked, said] of cases) {
        const { err, out, status } = yield* asked
        assert.deepStrictEqual([status, out], [2, ""], err)
        assert.match(err, said)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("the featured season that is closed is named to who submits without a season, with the ones that are live", () =>
    Effect.gen(function* () {
      const [admin, { folder, origin, tool }] = [yield* person("admin"), yield* person("ada")]
      const over = { ...SEASON, slug: "over", name: "Over" }
      const playing = { ...SEASON, slug: "playing", name: "Playing", submissions_open_at: "2026-01-01T00:00:00Z" }
      for (const season of [over, playing]) assert.strictEqual((yield* admin.run("create", season)).status, 0)
      yield* retryRefused(admin.client.seasonSteering.featureSeason({ params: { game: "snakes", slug: "over" } }))
      assert.strictEqual((yield* admin.run("close", over)).status, 0)
      const [model, manifest] = [join(folder, "a.onnx"), join(folder, "a.json")]
      writeFileSync(model, "x")
      writeFileSync(manifest, "{}")
      const submit = (...more: ReadonlyArray<string>) => tool("submit", model, "--game", "snakes", "--model", "a", ...more)
      const refused = /^refused \(season_closed\): Season over takes no more submissions\.\n/
      const meant = yield* submit()
      assert.strictEqual(meant.status, 1, meant.err)
      assert.match(meant.out, refused)
      assert.match(meant.out, /\nThe featured season was meant\. --season names another that is live: (?:\S+, )*playing(?:, \S+)*\.\n$/)
      const named = yield* submit("--season", "over")
      assert.match(named.out, refused)
      assert.notInclude(named.out, "featured")

      const already = yield* tool("login", "--url", origin)
      assert.deepStrictEqual(
        [already.status, already.out],
        [0, `Signed in as ada at ${origin} already; agon logout comes before another sign-in.\n`]
      )
    }).pipe(Effect.scoped)
  )
})
