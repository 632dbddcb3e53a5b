/**
 * `agon` against a running service, as a competitor has it: signed in by a code that a browser approves, a
 * model submitted, stopped on the way, taken up again and entered, and signed out.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { makeClient } from "@agon/api/Client.ts"
import { firstPage } from "@agon/api/Pages.ts"
import type { WeightClass } from "@agon/domain/season/Rules.ts"
import { demoWeightClasses } from "@agon/zoo/weightClasses.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as arena, filesOf } from "../support/Arena.ts"
import { untilAnswer } from "../support/eventually.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { Service } from "../support/Service.ts"
import { Tool } from "../support/Tool.ts"

const PRIVATE = { file: 0o600, folder: 0o700 }
const modeOf = (path: string) => statSync(path).mode & 0o777

const tool = Effect.acquireRelease(
  Effect.sync(() => new Tool()),
  (tool) => Effect.sync(() => tool.end())
)
const run = (tool: Tool, ...args: ReadonlyArray<string>) => Effect.promise(() => tool.run(...args))

/** Starts `agon login`, and answers its code as `login` would on the site. */
const signIn = Effect.fnUntraced(function* (tool: Tool, login: string, approve = true, isNamed = true) {
  const { as, origin } = yield* Service
  const started = tool.start("login", "--json", ...(isNamed ? ["--url", origin] : []))
  const told = JSON.parse(yield* Effect.promise(() => started.says(/^\{.*\}$/m)))
  assert.deepStrictEqual([told.verification_uri, told.expires_in], [`${origin}/device`, 600])
  const person = yield* as(login)
  yield* person.device.decideDeviceSignIn({ payload: { user_code: told.user_code, approve } })
  return { person, ended: yield* Effect.promise(() => started.ended) }
})

layer(arena, { excludeTestServices: true })("agon", (it) => {
  it.effect("signs in by a code, keeps the session where nobody else reads it, and ends it", () =>
    Effect.gen(function* () {
      const [own, { origin }] = [yield* tool, yield* Service]
      const file = own.at("config/agon/session.json")
      const { ended, person } = yield* signIn(own, "ada")
      assert.strictEqual(ended.status, 0, ended.err)
      assert.deepStrictEqual(JSON.parse(ended.out.trim().split("\n").at(-1)!), { signed_in: true, url: origin, username: "ada" })
      assert.deepStrictEqual([modeOf(file), modeOf(own.at("config/agon"))], [PRIVATE.file, PRIVATE.folder])
      assert.deepStrictEqual(readdirSync(own.at("config/agon")), ["session.json"])
      const { session } = JSON.parse(readFileSync(file, "utf8"))
      assert.notInclude(ended.out + ended.err, session)

      assert.match((yield* run(own, "whoami")).out, /^ada \(ada\) at http/)
      const devices = Effect.map(person.account.sessions({ query: firstPage() }), ({ sessions }) =>
        sessions.filter(({ user_agent }) => user_agent?.startsWith("agon on "))
      )
      assert.lengthOf(yield* devices, 1)
      const out = yield* run(own, "logout")
      assert.deepStrictEqual([out.status, out.out], [0, `The session of ada at ${origin} has ended.\n`])
      assert.lengthOf(yield* devices, 0)
      assert.isFalse(existsSync(file))
      const gone = yield* Effect.flip(Effect.flatMap(makeClient(origin, { session }), (client) => client.account.me()))
      assert.strictEqual(gone._tag, "unauthenticated")
      const nobody = yield* run(own, "whoami")
      assert.deepStrictEqual([nobody.status, nobody.out, nobody.err], [2, "", "agon: You are not signed in: agon login.\n"])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps nothing where the person refuses, and ends with a sentence where it cannot sign in", () =>
    Effect.gen(function* () {
      const [own, { origin }] = [yield* tool, yield* Service]
      const { ended } = yield* signIn(own, "ada", false)
      assert.strictEqual(ended.status, 1)
      assert.deepStrictEqual(readdirSync(own.at("config/agon")), [])
      writeFileSync(own.at("config/agon/session.json"), "{")
      const cases = [
        [["login", "--url", "agon.example"], /^agon: The address of a service is like https:\/\/agon\.example, not agon\.example\.\n$/],
        [["login", "--url", "http://127.0.0.1:1"], /^agon: \S+session\.json is not a session of agon login; remove it\.\n$/],
        [["submit", "none.onnx", "--game", "snakes", "--model", "x"], /none\.onnx/],
        [["submit", own.at("a.onnx"), "--game", "snakes", "--model", "x"], /^agon: \S+a\.onnx has no manifest beside it/]
      ] as const
      writeFileSync(own.at("a.onnx"), "x")
      for (const [args, said] of cases) {
        const { err, out, status } = yield* run(own, ...args)
        assert.strictEqual(status, 2, args.join(" "))
        assert.match(err + out, said)
      }
      writeFileSync(own.at("config/agon/session.json"), JSON.stringify({ url: origin, session: "x", username: "ada" }))
      const over = yield* run(own, "status")
      assert.deepStrictEqual([over.status, over.err], [2, `agon: Your session has ended. agon login --url ${origin} starts a new one.\n`])
      const again = yield* signIn(own, "ada", true, false)
      assert.strictEqual(again.ended.status, 0, "it signs in where the session was")
    }).pipe(Effect.scoped)
  )

  it.effect("signs in where the service of the session before is gone, and does not where that session stands", () =>
    Effect.gen(function* () {
      const [own, { origin }] = [yield* tool, yield* Service]
      const file = own.at("config/agon/session.json")
      mkdirSync(own.at("config/agon"), { recursive: true })
      writeFileSync(file, JSON.stringify({ url: "http://127.0.0.1:1", session: "x", username: "old" }))
      const { ended } = yield* signIn(own, "ada")
      assert.strictEqual(ended.status, 0, ended.err)
      assert.deepInclude(JSON.parse(readFileSync(file, "utf8")), { url: origin, username: "ada" })
      const elsewhere = yield* run(own, "login", "--url", "http://127.0.0.1:1")
      assert.deepStrictEqual([elsewhere.status, elsewhere.err], [2, `agon: You are signed in at ${origin}: agon logout first.\n`])
    }).pipe(Effect.scoped)
  )

  it.effect("examines by the classes, the boards and the speed of a season, and says by which", () =>
    Effect.gen(function* () {
      const [own, { as, origin }] = [yield* tool, yield* Service]
      const { manifest, weights } = filesOf("wanderer")
      writeFileSync(own.at("mine.onnx"), weights)
      writeFileSync(own.at("mine.json"), manifest)
      const admin = yield* as("admin")
      const make = (slug: string, weight_classes: ReadonlyArray<WeightClass>, infer_us_max: number) =>
        admin.seasonCreation.createSeason({
          params: { game: "snakes" },
          payload: { ...OPEN_SEASON, name: slug, slug, rules: { infer_us_max }, weight_classes }
        })
      yield* make(
        "small",
        demoWeightClasses.map((one, n) => ({ ...one, max_bytes: 100 + n })),
        20_000
      )
      yield* make(
        "forgetful",
        demoWeightClasses.map((one) => ({ ...one, memory_flat_bytes: 0, memory_cell_bytes: 0 })),
        20_000
      )
      yield* make("hasty", demoWeightClasses, 1)
      const examine = (...more: ReadonlyArray<string>) => run(own, "examine", own.at("mine.onnx"), "--game", "snakes", ...more)
      const without = yield* examine()
      assert.strictEqual(without.status, 0, without.err)
      assert.match(
        without.out,
        /^admitted: .*\nby the weight classes of the demonstration season; --season SLUG takes those of a season\n$/
      )
      for (const [slug, reason] of [
        ["small", "too_large"],
        ["forgetful", "memory_over_class"],
        ["hasty", "too_slow"]
      ] as const) {
        const { out, status } = yield* examine("--season", slug, "--url", origin)
        assert.strictEqual(status, 1, out)
        assert.match(out, new RegExp(`^rejected \\(${reason}\\): .*\\nby the weight classes of ${slug} at ${origin}\\n$`))
      }
      const spring = yield* examine("--season", "spring", "--url", origin, "--json")
      const judged_by = { season: { url: origin, slug: "spring" }, weight_classes: demoWeightClasses, infer_us_max: 20_000 }
      assert.deepInclude(JSON.parse(spring.out), { verdict: "admitted", judged_by })
      const none = yield* examine("--season", "nowhere", "--url", origin)
      assert.deepStrictEqual([none.status, none.out], [2, ""])
      assert.match(none.err, /^agon: .*nowhere/)
    }).pipe(Effect.scoped)
  )

  it.effect("submits, is stopped, goes on where it was, and says how it ended", () =>
    Effect.gen(function* () {
      const own = yield* tool
      const { person } = yield* signIn(own, "grace")
      const { manifest, weights } = filesOf("nibbler")
      writeFileSync(own.at("mine.onnx"), weights)
      writeFileSync(own.at("mine.json"), manifest)
      const submit = (model: string, ...more: ReadonlyArray<string>) =>
        ["submit", own.at(model), "--game", "snakes", "--season", "spring", "--model", " garter ", ...more] as const

      const first = own.start(...submit("mine.onnx", "--note", "the first"))
      yield* Effect.promise(() => first.says(/garter version 1 in spring/))
      first.child.kill("SIGINT")
      const stopped = yield* Effect.promise(() => first.ended)
      assert.deepStrictEqual([stopped.status, stopped.err], [130, "agon: stopped; the same command goes on from here.\n"])
      const again = yield* run(own, ...submit("mine.onnx", "--json"))
      assert.strictEqual(again.status, 0, again.err)
      assert.deepInclude(JSON.parse(again.out), { model: "garter", version: 1, status: "entered", note: "the first" })
      const { models } = yield* person.model.ownModels({ query: { game: "snakes", ...firstPage() } })
      assert.deepStrictEqual(
        models.map(({ name }) => name),
        ["garter"]
      )

      writeFileSync(own.at("broken.onnx"), "broken")
      writeFileSync(own.at("broken.json"), manifest)
      const broken = yield* run(own, ...submit("broken.onnx"))
      assert.strictEqual(broken.status, 1, broken.err)
      assert.match(broken.out, /^rejected \(weights_unreadable\): \S/m)
      assert.match((yield* run(own, "status")).out, /No version is in admission/)
      for (const [name, weights_bytes, manifest_bytes, said] of [
        [
          "heavy",
          16_777_216,
          manifest.length,
          `Weights and manifest have ${16_777_216 + manifest.length} bytes; the season takes 16777216 at most.`
        ],
        ["wordy", 7, 70_000, "The manifest has 70000 bytes; the season takes 65536 at most."],
        ["empty", 0, manifest.length, "The weights file is empty."]
      ] as const) {
        writeFileSync(own.at(`${name}.onnx`), new Uint8Array(weights_bytes))
        writeFileSync(own.at(`${name}.json`), Buffer.concat([manifest, Buffer.alloc(manifest_bytes - manifest.length, " ")]))
        const large = yield* run(own, ...submit(`${name}.onnx`))
        assert.deepStrictEqual([large.status, large.out, large.err], [2, "", `agon: ${said}\n`])
        const { candidates } = yield* person.version.candidates({ query: firstPage() })
        assert.deepStrictEqual(candidates, [], "no version waits for an upload that cannot come")
      }
      const unknown = yield* run(own, "submit", own.at("mine.onnx"), "--game", "snakes", "--season", "none", "--model", "x")
      assert.deepStrictEqual([unknown.status, unknown.out], [2, ""])
      const copied = yield* run(own, "submit", own.at("mine.onnx"), "--game", "snakes", "--season", "spring", "--model", "other")
      assert.deepStrictEqual([copied.status, /^refused \(weights_already_entered\): /.test(copied.out)], [1, true], copied.out)
      yield* untilAnswer(
        "the end of admission",
        person.version.candidates({ query: firstPage() }),
        ({ candidates }) => candidates.length === 0
      )
    }).pipe(Effect.scoped)
  )

  it.effect("fetches the replay of a match, and shows the match", () =>
    Effect.gen(function* () {
      const [own, { origin }] = [yield* tool, yield* Service]
      const { person } = yield* signIn(own, "linus")
      const { manifest, weights } = filesOf("sniffer")
      writeFileSync(own.at("mine.onnx"), weights)
      writeFileSync(own.at("mine.json"), manifest)
      const submitted = yield* run(own, "submit", own.at("mine.onnx"), "--game", "snakes", "--season", "spring", "--model", "adder")
      assert.strictEqual(submitted.status, 0, submitted.err)
      const { matches } = yield* untilAnswer(
        "a rated match",
        person.match.ownMatches({ query: { game: "snakes", ...firstPage(60) } }),
        (page) => page.matches.some(({ status }) => status === "rated")
      )
      const { id, seats, turns } = matches.find(({ status }) => status === "rated")!
      const kept = yield* run(own, "replay", "download", id)
      assert.deepStrictEqual([kept.status, kept.err], [0, ""])
      const verified = yield* run(own, "verify", own.at(`${id}.replay.json`))
      assert.deepStrictEqual([verified.status, verified.out.includes(`after ${turns} turns`)], [0, true], verified.err)
      const watched = yield* run(own, "watch", `${origin}/matches/${id}`)
      assert.include(watched.out, `turn ${turns}: `)
      for (const { model } of seats) assert.include(watched.out, ` ${model}  length `)

      const trial = matches.find(({ is_trial, status }) => is_trial && status === "finished")!
      for (const named of [trial.id, `${origin}/me/matches/${trial.id}`]) {
        const seen = yield* run(own, "watch", named)
        assert.include(seen.out, `turn ${trial.turns}: `, seen.err)
      }
      assert.strictEqual((yield* run(own, "watch", trial.id, "--open")).out, `${origin}/me/matches/${trial.id}\n`)
    }).pipe(Effect.scoped)
  )
})
