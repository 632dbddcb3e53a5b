import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { sha256Hex } from "@agon/engine/sha256.ts"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { agonHere } from "../testing/here.ts"
import { press, type Showing } from "./replay/show.ts"

const folder = mkdtempSync(join(tmpdir(), "agon-watch-"))
const at = (name: string) => join(folder, name)
const recorded = (game: string) => record(engineOf(game)!, boardsOf(game)[0]!, 4, 0).replay
const replays = { snakes: recorded("snakes"), othello: recorded("othello") }
const bytes = canonicalJson(replays.snakes)

const MATCH = "0198f2c0-7a3e-7b51-8000-1234567890ab"
const OTHER = "0198f2c0-7a3e-7b51-8000-1234567890ac"
const WITHOUT = "0198f2c0-7a3e-7b51-8000-1234567890ad"
/** Its replay is no longer kept. */
const REMOVED = "0198f2c0-7a3e-7b51-8000-1234567890b1"

/** The models of its seats are called so. */
const NAMED = "0198f2c0-7a3e-7b51-8000-1234567890b2"
const NAME = "Hydra\u001b]0;pwned\u0007\u001b[2J\u009b2J\u202e"
const seatOf = (seat: number) => ({
  ...{ seat, model: NAME, model_id: NAMED, version_id: NAMED, owner: "ada", score: 1, rank: 1, version: 1, class: "open", strikes: 0 },
  ...{ outcome: null, rating_change: null }
})

/** The places of matches that not everybody sees: one of a private season, and a trial. */
const PRIVATE = "0198f2c0-7a3e-7b51-8000-1234567890ae"
const TRIAL = "0198f2c0-7a3e-7b51-8000-1234567890af"
const NOBODYS = "0198f2c0-7a3e-7b51-8000-1234567890b0"
const HIDDEN: Readonly<Record<string, string>> = { [PRIVATE]: "private/matches", [TRIAL]: "me/matches", [NOBODYS]: "" }
const SESSION = "x".repeat(43)

const noSuchMatch = { type: "/errors#not_found", title: "Not found", status: 404, code: "not_found", detail: "There is no such match." }

/**
 * A service that answers one match with its replay, another with a replay of another name, and two without one; one of a private season
 * and a trial with their replays, to the session alone.
 */
const detailOf = (origin: string, id: string) => ({
  ...{ id, game: "snakes", season: "spring", ladder: "open", map: "open-7", is_trial: false, status: "rated" },
  ...{ turns: 9, reason: "last_standing", played_at: "2026-01-01T00:00:00Z", comments: 0, seats: [], engine_digest: "0".repeat(64) },
  ...{ runtime_version: "1", seed: 4, played_ms: 1, withdrawn_reason: null, successor: null, fault_reason: null },
  ...(id === NAMED ? { seats: replays.snakes.seats.map((_, n) => seatOf(n)) } : {}),
  ...(id === REMOVED ? { replay_removed_at: "2026-04-01T06:00:00.000Z" } : {}),
  ...(id === WITHOUT || id === REMOVED
    ? {}
    : { replay_url: `${origin}/objects/replays/${id}.${id === OTHER ? "a".repeat(64) : sha256Hex(bytes)}?expires=9&signature=x` }),
  ...(id === TRIAL ? { created_at: "2026-01-01T00:00:00Z" } : {})
})

const serve = (): Server =>
  createServer((request, response) => {
    const origin = `http://${request.headers.host}`
    const [, place = "", id = ""] = /^\/v1\/(.+)\/([^/]+)$/.exec(request.url ?? "") ?? []
    const isSigned = request.headers.cookie === `service_session=${SESSION}`
    const isSeen = place === (HIDDEN[id] ?? "matches") && (place === "matches" || isSigned)
    const isKnown = isSeen || !(request.url ?? "").startsWith("/v1/")
    response.writeHead(isKnown ? 200 : 404, { "content-type": isKnown ? "application/json" : "application/problem+json" })
    response.end(id === "" ? bytes : JSON.stringify(isSeen ? detailOf(origin, id) : noSuchMatch))
  })

describe("agon watch", () => {
  beforeAll(() => {
    for (const [game, replay] of Object.entries(replays)) writeFileSync(at(game), canonicalJson(replay))
    writeFileSync(at("changed"), canonicalJson({ ...replays.snakes, turns: 1 }))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  for (const [game, replay] of Object.entries(replays))
    it(`prints every turn of ${game} where the output is no terminal, as text or as JSON`, async () => {
      const { err, out, status } = await agonHere(["watch", at(game)])
      assert.strictEqual(status, 0, err)
      const turns = Array.from(out.matchAll(/^turn (\d+)/gm), ([, turn]) => Number(turn))
      assert.deepStrictEqual(turns, Array.from(Array(replay.turns + 1).keys()))
      assert.notInclude(out, "\x1b")
      const views = (await agonHere(["watch", at(game), "--json"])).out.trim().split("\n")
      assert.deepStrictEqual(
        views.map((view) => JSON.parse(view).turn),
        turns
      )
    })

  it("draws each turn once on a terminal, and ends after the last", async () => {
    const { drawn } = await agonHere(["watch", at("snakes"), "--delay-ms", "1"], { columns: 80 })
    const frames = drawn.split("\x1b[H\x1b[2J").slice(1)
    assert.deepStrictEqual(
      frames.map((frame) => Number(/^turn (\d+)/.exec(frame)?.[1])),
      Array.from(Array(replays.snakes.turns + 1).keys())
    )
  })

  it("pauses, steps back and forth, and ends by the keys", async () => {
    const keys = ["space", "right", "right", "right", "left", "x", "q"]
    const { drawn, status } = await agonHere(["watch", at("othello"), "--delay-ms", "100000"], { columns: 80, keys })
    assert.strictEqual(status, 0)
    assert.deepStrictEqual(
      Array.from(drawn.matchAll(/turn (\d+)/g), ([, turn]) => Number(turn)),
      [0, 1, 2, 3, 2]
    )
  })

  it("keeps speed and turn within their bounds", () => {
    const start: Showing = { turn: 0, isPaused: false, delay_ms: 120, isOver: false }
    const after = (...names: ReadonlyArray<string>) =>
      names.reduce((showing, name) => press(showing, { name, ctrl: false, meta: false, shift: false }, 2), start)
    assert.deepStrictEqual([after("left").turn, after("right", "right", "right").turn], [0, 2])
    assert.deepStrictEqual([after("+").delay_ms, after("-").delay_ms], [60, 240])
    assert.deepStrictEqual([after(...Array(20).fill("+")).delay_ms, after(...Array(20).fill("-")).delay_ms], [1, 8000])
    assert.deepStrictEqual([after("space").isPaused, after("space", "space").isPaused, after("escape").isOver], [true, false, true])
  })

  it("says in a sentence what it cannot show", async () => {
    const cases = [
      [[at("none")], /^agon: \S+none cannot be read\. It is no id of a match and no address of its page either\.\n$/],
      [[at("changed")], /^agon: \S+changed is no replay of a match by the rules: turns \S.*\.\n$/],
      [[at("snakes"), "--open"], /^agon: \S+snakes is neither the id of a match nor the address of its page\.\n$/],
      [[MATCH, "--url", "http://127.0.0.1:1"], /^agon: http:\/\/127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\.\n$/]
    ] as const
    for (const [args, said] of cases) {
      const { err, out, status } = await agonHere(["watch", ...args], { environment: { XDG_CONFIG_HOME: folder } })
      assert.deepStrictEqual([status, out], [2, ""])
      assert.match(err, said)
    }
    const { out } = await agonHere(["watch", MATCH, "--url", "https://agon.example", "--open"])
    assert.strictEqual(out, `https://agon.example/matches/${MATCH}\n`)
  })
})

describe("agon replay download", () => {
  const folder = mkdtempSync(join(tmpdir(), "agon-download-"))
  const at = (name: string) => join(folder, name)
  const server = serve()
  const page = (id: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/matches/${id}`
  const download = (id: string, file: string) =>
    agonHere(["replay", "download", page(id), "--out", at(file), "--json"], { environment: { XDG_CONFIG_HOME: at("config") } })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  it("keeps the bytes whose hash the service has named, and nothing of others", async () => {
    const { err, out, status } = await download(MATCH, "kept")
    assert.strictEqual(status, 0, err)
    assert.deepStrictEqual(JSON.parse(out), { match: MATCH, file: at("kept"), bytes: bytes.length, sha256: sha256Hex(bytes) })
    assert.strictEqual(readFileSync(at("kept"), "utf8"), bytes)
    const cases = [
      [OTHER, "other", /^agon: The replay is not the one that the service has named: its hash is [0-9a-f]{64}, not a{64}\.\n$/],
      [WITHOUT, "none", /^agon: Match \S+ has no replay; it is rated\.\n$/],
      [
        REMOVED,
        "gone",
        /^agon: The replay of match \S+ is no longer kept: the service removed it at 2026-04-01T06:00:00\.000Z, for its age\.\n$/
      ],
      [MATCH, "no/such/folder", /^agon: \S+no\/such\/folder cannot be written\.\n$/]
    ] as const
    for (const [id, file, said] of cases) {
      const refused = await download(id, file)
      assert.deepStrictEqual([refused.status, refused.out], [2, ""])
      assert.match(refused.err, said)
    }
    assert.deepStrictEqual(readdirSync(folder), ["kept"])
  })
  it("is shown on a terminal with the names of its models, which do not steer it", async () => {
    const { drawn, err, status } = await agonHere(["watch", page(NAMED), "--delay-ms", "1"], {
      columns: 80,
      environment: { XDG_CONFIG_HOME: at("config") }
    })
    assert.strictEqual(status, 0, err)
    assert.include(drawn, "Hydra?]0;pwned??[2J?2J?")
    assert.notMatch(drawn.replaceAll("\x1b[H\x1b[2J", ""), /[^\P{Cc}\n]|\u202e/u)
  })

  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signedIn = () => {
    mkdirSync(at("signed/agon"), { recursive: true })
    writeFileSync(at("signed/agon/session.json"), JSON.stringify({ url: origin(), session: SESSION, username: "ada" }))
    return { XDG_CONFIG_HOME: at("signed") }
  }

  it("finds a match of a private season and a trial of whoever is signed in, by the id and by the address of each page", async () => {
    const environment = signedIn()
    for (const [id, pages] of [
      [MATCH, "matches"],
      [PRIVATE, "private/matches"],
      [TRIAL, "me/matches"]
    ] as const)
      for (const named of [id, `${origin()}/${pages}/${id}?cursor=50#turn=7`]) {
        const { err, out, status } = await agonHere(["replay", "download", named, "--out", at("mine"), "--json"], { environment })
        assert.strictEqual(status, 0, err)
        assert.deepInclude(JSON.parse(out), { match: id, sha256: sha256Hex(bytes) })
        const page = await agonHere(["watch", named, "--open"], { environment })
        assert.deepStrictEqual([page.status, page.out], [0, `${origin()}/${pages}/${id}\n`], page.err)
      }
    for (const [id, variables] of [
      [TRIAL, { XDG_CONFIG_HOME: at("config") }],
      [NOBODYS, environment]
    ] as const) {
      const none = await agonHere(["replay", "download", `${origin()}/matches/${id}`], { environment: variables })
      assert.deepStrictEqual([none.status, none.err], [2, "agon: There is no such match.\n"])
    }
  })
})
