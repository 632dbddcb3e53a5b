/**
 * python/agon_client beside a running service, by Debian's Python: signed in by a code that a browser
 * approves, a model submitted, stopped on the way, taken up again and entered; pages, refusals, and
 * waits as long as an answer tells.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { makeClient } from "@agon/api/Client.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as arena, filesOf } from "../support/Arena.ts"
import { eventually } from "../support/eventually.ts"
import { listening } from "../support/listening.ts"
import { PYTHON, ROOT } from "../support/python.ts"
import { Service } from "../support/Service.ts"
import { Tool } from "../support/Tool.ts"

const missing = existsSync(PYTHON) ? undefined : `no ${PYTHON}`
const PRIVATE = { file: 0o600, folder: 0o700 }
const modeOf = (path: string) => statSync(path).mode & 0o777

const python = (code: string) => [PYTHON, "-B", "-c", `import sys; sys.path.insert(0, ${JSON.stringify(`${ROOT}/python`)})\n${code}`]
const COMMAND = python(`import runpy; runpy.run_module("agon_client", run_name="__main__", alter_sys=True)`)

const toolOf = (command: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => new Tool(command)),
    (tool) => Effect.sync(() => tool.end())
  )
const run = (tool: Tool, ...args: ReadonlyArray<string>) => Effect.promise(() => tool.run(...args))

/** Runs a program of a competitor's in the tool's folder; answers what it prints as JSON in its last line. */
const program = Effect.fnUntraced(function* (folder: Tool, code: string, ...args: ReadonlyArray<string>) {
  const tool = yield* toolOf(python(`import json\nfrom agon_client import *\n${code}`))
  mkdirSync(tool.at("config/agon"), { recursive: true })
  const kept = folder.at("config/agon/session.json")
  if (existsSync(kept)) writeFileSync(tool.at("config/agon/session.json"), readFileSync(kept), { mode: PRIVATE.file })
  const { err, out, status } = yield* run(tool, ...args)
  assert.strictEqual(status, 0, out + err)
  return JSON.parse(out.trim().split("\n").at(-1)!)
})

const signIn = Effect.fnUntraced(function* (tool: Tool, login: string, approve = true) {
  const { as, origin } = yield* Service
  const started = tool.start("login", "--url", `${origin}/`)
  const said = yield* Effect.promise(() => started.says(/^Open (\S+) in a browser and type the code (\S+)$/m))
  const [, verification_uri, user_code] = /^Open (\S+) in a browser and type the code (\S+)$/.exec(said)!
  assert.strictEqual(verification_uri, `${origin}/device`)
  const person = yield* as(login)
  yield* person.device.decideDeviceSignIn({ payload: { user_code: user_code!, approve } })
  return { person, ended: yield* Effect.promise(() => started.ended) }
})

/** A service in name only, for answers that the real one gives rarely. */
const stub = (listener: RequestListener) => Effect.map(listening(createServer(listener)), (origin) => ({ origin }))

describe.skipIf(missing !== undefined)(`the client for Python${missing === undefined ? "" : ` (${missing})`}`, () => {
  layer(arena, { excludeTestServices: true })("beside a service", (it) => {
    it.effect("signs in by a code, keeps the session where nobody else reads it, and ends it", () =>
      Effect.gen(function* () {
        const [own, { origin }] = [yield* toolOf(COMMAND), yield* Service]
        const refused = yield* signIn(own, "ada", false)
        assert.strictEqual(refused.ended.status, 1, refused.ended.err)
        assert.deepStrictEqual(readdirSync(own.at("config/agon")), [])
        const { ended, person } = yield* signIn(own, "ada")
        assert.strictEqual(ended.status, 0, ended.err)
        assert.match(ended.out, /^Signed in as ada at http/m)
        const file = own.at("config/agon/session.json")
        assert.deepStrictEqual([modeOf(file), modeOf(own.at("config/agon"))], [PRIVATE.file, PRIVATE.folder])
        assert.deepStrictEqual(readdirSync(own.at("config/agon")), ["session.json"])
        const { session } = JSON.parse(readFileSync(file, "utf8"))
        assert.notInclude(ended.out + ended.err, session)
        const devices = Effect.map(person.account.sessions({ query: firstPage() }), ({ sessions }) =>
          sessions.filter(({ user_agent }) => user_agent?.startsWith("agon for Python on "))
        )
        assert.lengthOf(yield* devices, 1)
        assert.strictEqual((yield* run(own, "login", "--url", origin)).status, 0, "a session that stands is taken")
        assert.lengthOf(yield* devices, 1)

        assert.strictEqual((yield* run(own, "logout")).status, 0)
        assert.lengthOf(yield* devices, 0)
        assert.isFalse(existsSync(file))
        const gone = yield* Effect.flip(Effect.flatMap(makeClient(origin, { session }), (client) => client.account.me()))
        assert.strictEqual(gone._tag, "unauthenticated")
        const nobody = yield* run(own, "status")
        assert.deepStrictEqual(
          [nobody.status, nobody.out, nobody.err],
          [2, "", "agon_client: You are not signed in: python3 -m agon_client login.\n"]
        )
      }).pipe(Effect.scoped)
    )

    it.effect("signs in, and out, where the service of the session before is gone, or another program is at its address", () =>
      Effect.gen(function* () {
        const [own, { origin }] = [yield* toolOf(COMMAND), yield* Service]
        const file = own.at("config/agon/session.json")
        const keep = (url: string) => {
          mkdirSync(own.at("config/agon"), { recursive: true })
          writeFileSync(file, JSON.stringify({ url, session: "x", username: "old" }))
        }
        const { origin: other } = yield* stub((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"))
        const gone = "http://127.0.0.1:1"
        for (const [url, why] of [
          [gone, /^http:\/\/127\.0\.0\.1:1 does not answer: .*\n/],
          [other, /^http\S+ does not answer as a service does: its answer is not JSON\.\n/]
        ] as const) {
          keep(url)
          const left = yield* run(own, "logout")
          assert.strictEqual(left.status, 0, left.err)
          assert.match(left.out, why)
          const forgotten = `The session of old is forgotten here. At ${url} it ends by itself, 30 days after the sign-in.\n`
          assert.strictEqual(left.out.replace(why, ""), forgotten)
          assert.isFalse(existsSync(file))

          keep(url)
          const { ended } = yield* signIn(own, "ada")
          assert.strictEqual(ended.status, 0, ended.err)
          assert.deepInclude(JSON.parse(readFileSync(file, "utf8")), { url: origin, username: "ada" })
        }
        const elsewhere = yield* run(own, "login", "--url", gone)
        assert.deepStrictEqual(
          [elsewhere.status, elsewhere.err],
          [2, `agon_client: You are signed in at ${origin}: sign out there first.\n`]
        )
        const out = yield* run(own, "logout")
        assert.deepStrictEqual([out.status, out.out], [0, `The session at ${origin} has ended.\n`])
        keep(gone)
        const failed = yield* run(own, "login", "--url", "http://127.0.0.1:2")
        assert.deepStrictEqual([failed.status, /^agon_client: http:\/\/127\.0\.0\.1:2 does not/.test(failed.err)], [2, true], failed.err)
        assert.isTrue(existsSync(file), "the session that is kept is not forgotten for a sign-in that failed")
      }).pipe(Effect.scoped)
    )

    it.effect("stays signed in where the service itself refuses to end the session now", () =>
      Effect.gen(function* () {
        const own = yield* toolOf(COMMAND)
        const { origin: away } = yield* stub((_, response) => {
          const problem = { type: "/errors#unavailable", title: "Away", status: 503, code: "unavailable", detail: "The service starts." }
          response.writeHead(503, { "content-type": "application/problem+json", "retry-after": "3600" }).end(JSON.stringify(problem))
        })
        mkdirSync(own.at("config/agon"), { recursive: true })
        writeFileSync(own.at("config/agon/session.json"), JSON.stringify({ url: away, session: "x", username: "old" }))
        const { err, status } = yield* run(own, "logout")
        assert.deepStrictEqual([status, err], [2, "agon_client: unavailable: The service starts.\n"])
        assert.isTrue(existsSync(own.at("config/agon/session.json")))
      }).pipe(Effect.scoped)
    )

    it.effect("says so where there is nothing to list", () =>
      Effect.gen(function* () {
        const own = yield* toolOf(COMMAND)
        yield* signIn(own, "linus")
        const none = yield* run(own, "status")
        assert.deepStrictEqual([none.status, none.out], [0, "No version is in admission.\n"])
        const { origin } = yield* stub((_, response) => response.end('{"entries": [], "next_cursor": null}'))
        const empty = yield* run(own, "ladder", "--url", origin, "--game", "snakes")
        assert.deepStrictEqual([empty.status, empty.out], [0, "No entry is on this ladder.\n"])
      }).pipe(Effect.scoped)
    )

    it.effect("submits, is stopped, goes on where it was, and says how it ended, or why a version is refused", () =>
      Effect.gen(function* () {
        const own = yield* toolOf(COMMAND)
        const { person } = yield* signIn(own, "grace")
        const { manifest, weights } = filesOf("nibbler")
        writeFileSync(own.at("mine.onnx"), weights)
        writeFileSync(own.at("mine.json"), manifest)
        const submit = (file: string, model: string, season = "spring") =>
          ["submit", own.at(file), "--game", "snakes", "--season", season, "--model", model] as const
        const first = own.start(...submit("mine.onnx", " garter "), "--note", "the first")
        yield* Effect.promise(() => first.says(/garter version 1 in spring/))
        first.child.kill("SIGINT")
        const stopped = yield* Effect.promise(() => first.ended)
        assert.deepStrictEqual([stopped.status, stopped.err], [130, "agon_client: stopped; the same command goes on from here.\n"])
        const again = yield* run(own, ...submit("mine.onnx", "garter"))
        assert.strictEqual(again.status, 0, again.err)
        assert.match(again.out, /^entered: garter version 1 in spring, class \w+$/m)

        writeFileSync(own.at("broken.onnx"), "broken")
        writeFileSync(own.at("broken.json"), manifest)
        const broken = yield* run(own, ...submit("broken.onnx", "garter"))
        assert.deepStrictEqual(
          [broken.status, /^rejected \(weights_unreadable\): \S/m.test(broken.out)],
          [1, true],
          broken.out + broken.err
        )
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
          const large = yield* run(own, ...submit(`${name}.onnx`, "garter"))
          assert.deepStrictEqual([large.status, large.out, large.err], [2, "", `agon_client: ${said}\n`])
          const { candidates } = yield* person.version.candidates({ query: firstPage() })
          assert.deepStrictEqual(candidates, [], "no version waits for an upload that cannot come")
        }
        const copied = yield* run(own, ...submit("mine.onnx", "other"))
        assert.deepStrictEqual([copied.status, /^refused \(weights_already_entered\): /.test(copied.out)], [1, true], copied.out)
        const unknown = yield* run(own, ...submit("mine.onnx", "third", "none"))
        assert.deepStrictEqual([unknown.status, unknown.out, /^agon_client: unknown_season: /.test(unknown.err)], [2, "", true])
        const bare = yield* run(own, "submit", own.at("none.onnx"), "--game", "snakes", "--model", "x")
        assert.deepStrictEqual([bare.status, /none\.onnx cannot be read: No such file/.test(bare.err)], [2, true], bare.err)
        const { models } = yield* person.model.ownModels({ query: { game: "snakes", ...firstPage() } })
        assert.sameMembers(
          models.map(({ name }) => name),
          ["garter", "other"],
          "no model is made for what is refused beforehand"
        )
        const printed = run(own, "ladder", "--url", (yield* Service).origin, "--game", "snakes", "--season", "spring")
        const board = person.leaderboard.leaderboard({
          params: { game: "snakes" },
          query: { season: "spring", ladder: "open", ...firstPage() }
        })
        yield* eventually(
          "the ladder with intervals of 95 %, as the pages show them", // between two looks a match may have moved it
          Effect.map(Effect.all([printed, board]), ([{ out }, { entries }]) => {
            const [, rating, half] = /^ +\d+ +(\d+\.\d) ± +(\d+\.\d) {2}garter \(grace\)$/m.exec(out) ?? []
            const garter = entries.find(({ model }) => model === "garter")
            return rating === garter?.rating.toFixed(1) && Math.abs(Number(half) - 1.96 * garter!.deviation) < 0.06
          })
        )
      }).pipe(Effect.scoped)
    )

    it.effect("reads lists page by page, and raises the API's code and sentence", () =>
      Effect.gen(function* () {
        const [own, { as, origin }] = [yield* toolOf(COMMAND), yield* Service]
        yield* signIn(own, "linus")
        const linus = yield* as("linus")
        for (const name of ["one", "two", "drëi"]) yield* linus.model.createModel({ params: { game: "snakes" }, payload: { name } })
        const read = yield* program(
          own,
          `client = Client.signed_in()
names = [model["name"] for model in client.rows("models", "models", game="snakes", limit=2)]
found = client.model("snakes", "two")
composed = client.model("snakes", "dre\\u0308i")
pages = len(list(client.pages("models", game="snakes", limit=1)))
errors = []
for call in (lambda: client.create_model("snakes", "two"), lambda: client.get("games", "no such/game"), lambda: Client(client.url).me()):
    try:
        call()
    except ApiError as error:
        errors.append([error.status, error.code, error.detail])
    except NotSignedIn as error:
        errors.append([401, str(error)])
print(json.dumps({"names": names, "found": found["name"], "composed": composed["name"], "pages": pages, "errors": errors, "me": client.me()["username"]}))`
        )
        assert.sameMembers(read.names, ["one", "two", "drëi"])
        assert.deepInclude(read, { found: "two", composed: "drëi", pages: 3, me: "linus" })
        const [taken, unknown, nobody] = read.errors
        assert.deepStrictEqual(
          [taken.slice(0, 2), unknown.slice(0, 2)],
          [
            [409, "model_name_taken"],
            [404, "unknown_game"]
          ]
        )
        const asked = (yield* Effect.promise(async () => (await fetch(`${origin}/v1/games/no%20such%2Fgame`)).json())) as {
          readonly detail: string
        }
        assert.strictEqual(unknown[2], asked.detail)
        assert.deepStrictEqual(nobody, [401, "Sign in: there is no session, or it has ended."])
      }).pipe(Effect.scoped)
    )

    it.effect("comes again as soon as an answer tells, and no longer than it has patience", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service
        const own = yield* toolOf(COMMAND)
        const asked: Array<number> = []
        const { origin: busy } = yield* stub((request, response) => {
          asked.push(Date.now())
          const answers = { "/v1/games/later": [503, { "retry-after": "3600" }], "/v1/games/soon": [429, { "retry-after": "1" }] } as const
          const put = asked.length === 1 ? answers["/v1/games/soon"] : answers[request.url as keyof typeof answers]
          if (request.url === "/v1/games/soon" && asked.length > 1) return void response.end('{"ok": true}')
          const code = put[0] === 429 ? "rate_limited" : "unavailable"
          response.writeHead(put[0], put[1]).end(JSON.stringify({ code, detail: "Come again." }))
        })
        const told = yield* program(
          own,
          `client = Client(sys.argv[1])
first = client.get("games", "soon")
try:
    client.get("games", "later")
except ApiError as error:
    print(json.dumps([first, error.status, error.code, error.detail, error.retry_after_s]))`,
          busy
        )
        assert.deepStrictEqual(told, [{ ok: true }, 503, "unavailable", "Come again.", 3600])
        assert.lengthOf(asked, 3, "what tells to come in an hour is not waited for")
        assert.isAtLeast(asked[1]! - asked[0]!, 990)
        const reads = yield* program(
          own,
          `client = Client(sys.argv[1])
print(json.dumps(sum(client.get("games", "snakes")["slug"] == "snakes" for _ in range(75))))`,
          origin
        )
        assert.strictEqual(reads, 75, "more than the burst of an address, and none is refused")
      }).pipe(Effect.scoped)
    )

    it.effect("asks ten times a second at most where an answer says to come at once, and not again where it says never", () =>
      Effect.gen(function* () {
        const own = yield* toolOf(COMMAND)
        const asked: Array<string | undefined> = []
        const { origin } = yield* stub((request, response) => {
          asked.push(request.url)
          const wait = request.url === "/v1/games/now" ? "0" : "9".repeat(400)
          response.writeHead(429, { "retry-after": wait }).end(JSON.stringify({ code: "rate_limited", detail: "Come again." }))
        })
        const told = yield* program(
          own,
          `told = []
for game in ("now", "never"):
    try:
        Client(sys.argv[1], patience_s=0.55).get("games", game)
    except ApiError as error:
        told.append(error.code)
print(json.dumps(told))`,
          origin
        )
        assert.deepStrictEqual(told, ["rate_limited", "rate_limited"])
        assert.strictEqual(asked.filter((url) => url === "/v1/games/never").length, 1)
        assert.isAtMost(asked.filter((url) => url === "/v1/games/now").length, 6)
      }).pipe(Effect.scoped)
    )

    it.effect("lists no further, and without a word, where whoever reads its lines has left, as head does", () =>
      Effect.gen(function* () {
        const entries = Array.from({ length: 20_000 }, (_, n) => ({ rank: n, rating: 0, deviation: 1, model: "garter", owner: null }))
        const { origin } = yield* stub((_, response) => response.end(JSON.stringify({ entries, next_cursor: null })))
        const own = yield* toolOf(COMMAND)
        const { child, ended, says } = own.start("ladder", "--url", origin, "--game", "snakes")
        yield* Effect.promise(() => says(/garter \(baseline\)/))
        child.stdout!.destroy()
        const { err, status } = yield* Effect.promise(() => ended)
        assert.deepStrictEqual([status, err], [0, ""])
      }).pipe(Effect.scoped)
    )

    it.effect("says of JSON that no service gives what it lacks", () =>
      Effect.gen(function* () {
        for (const [answer, login, ladder] of [
          ["{}", "it has no verification_uri", undefined],
          ["[]", "it is no object", undefined],
          ["null", "it is no object", undefined],
          ['{"entries": [{"owner": null}], "next_cursor": null}', "it has no verification_uri", "it has no deviation"]
        ] as const) {
          const { origin } = yield* stub((_, response) => response.end(answer))
          const own = yield* toolOf(COMMAND)
          const says = (lack: string) => `agon_client: ${origin} gave an answer that this client does not know: ${lack}.\n`
          const signedIn = yield* run(own, "login", "--url", origin)
          assert.deepStrictEqual([signedIn.status, signedIn.err], [2, says(login)], answer)
          const listed = yield* run(own, "ladder", "--url", origin, "--game", "snakes")
          const noList = "agon_client: /v1/games/snakes/leaderboard is not a list of pages.\n"
          assert.deepStrictEqual([listed.status, listed.err], [2, ladder === undefined ? noList : says(ladder)], answer)
        }
      }).pipe(Effect.scoped)
    )

    it.effect("takes its session nowhere else, and says of what is no service that it is none", () =>
      Effect.gen(function* () {
        const own = yield* toolOf(COMMAND)
        const told: Array<string | undefined> = []
        const { origin: elsewhere } = yield* stub((request, response) => {
          told.push(request.headers.cookie)
          response.end("{}")
        })
        const { origin } = yield* stub((request, response) => {
          if (request.url === "/v1/games/led") response.writeHead(302, { location: `${elsewhere}/v1/games/led` }).end()
          else if (request.url?.startsWith("/v1/round")) response.end('{"rounds": [], "next_cursor": "7"}')
          else response.end("<p>welcome</p>")
        })
        const errors = yield* program(
          own,
          `client = Client(sys.argv[1], "secret")
told = []
for call in (
    lambda: client.get("games", "led"),
    lambda: client.get("games"),
    lambda: list(client.pages("round")),
    lambda: Client("http://127.0.0.1:1").get("games"),
    lambda: Client("agon.example"),
):
    try:
        told.append(call())
    except AgonError as error:
        told.append([type(error).__name__, str(error)])
print(json.dumps(told))`,
          origin
        )
        assert.deepStrictEqual(told, [])
        assert.deepStrictEqual(errors.slice(0, 3), [
          ["BadAnswer", `${origin} does not answer as a service does: status 302.`],
          ["BadAnswer", `${origin} does not answer as a service does: its answer is not JSON.`],
          ["BadAnswer", "/v1/round leads from a page to the same page."]
        ])
        assert.match(errors[3].join(" "), /^Unreachable http:\/\/127\.0\.0\.1:1 does not answer: /)
        assert.deepStrictEqual(errors[4], ["AgonError", "The address of a service is like https://agon.example, not agon.example."])
      }).pipe(Effect.scoped)
    )
  })
})
