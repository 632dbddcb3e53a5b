/**
 * A season plays itself on real processes, and somebody enters it: scripts/start, its
 * runner, its Postgres, over HTTP.
 */

import { verify } from "@agon/engine/replay/verify.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { compared } from "../support/PromQL.ts"
import { slow } from "../support/slow.ts"
import * as Competition from "./Competition.ts"
import { audit } from "./Ledger.ts"
import * as Service from "./Service.ts"
import { Visitor } from "./Visitor.ts"

const BOARDS = ["open-7", "wrapped-9"] // two seats and three
const WEAK = ["straight-on", "careless"]
const STRONG = ["sniffer", "wary"]
const RATED = slow ? 600 : 50
const REPLAYS = slow ? 60 : 12

describe("a service on an empty directory", { timeout: slow ? 1_800_000 : HANGS_AFTER_MS }, () => {
  let service: Service.Service
  let admin: Visitor
  let metrics: string
  const visitor = () => new Visitor(service.origin)

  beforeAll(async () => {
    metrics = `127.0.0.1:${await freePort()}`
    service = await Service.start({ directory: Service.newDirectory(), port: await freePort(), environment: { AGON_METRICS: metrics } })
    admin = await Visitor.signedIn(service.origin, "admin")
    await Competition.open(admin, { boards: BOARDS, baselines: [...WEAK, ...STRONG] })
  }, 300_000)
  afterAll(Service.cleanUp)

  it("takes a competitor from sign-in to the leaderboard", async () => {
    const ada = await Visitor.signedIn(service.origin, "ada")
    assert.strictEqual((await ada.get("/v1/me")).username, "ada")
    const model = await ada.post(`/v1/games/${Competition.GAME}/models`, { name: "anaconda" })
    const files = Competition.filesOf("nibbler")
    const submission = {
      game: Competition.GAME,
      season: Competition.SEASON,
      model: model.id,
      ...Competition.hashesOf(files),
      note: "first"
    }
    const { status, upload, version_id } = await ada.post("/v1/submissions", submission)
    assert.strictEqual(status, "testing")
    const again = await ada.ask("POST", "/v1/submissions", submission)
    assert.deepStrictEqual([again.status, again.json.version_id], [200, version_id], "the same files again are the same version")
    await Competition.send(ada, upload, files)

    const phases = new Set<string>()
    await eventuallyAsync("the candidate's entry", async () => {
      const version = await ada.get(`/v1/me/versions/${version_id}`)
      if (version.phase !== null) phases.add(version.phase)
      if (version.status === "rejected") throw new Hopeless(`it was rejected: ${version.reject_detail}`)
      return version.status === "entered"
    })
    const version = await visitor().get(`/v1/versions/${version_id}`)
    assert.strictEqual(version.class, "micro")
    assert.deepStrictEqual([version.trial.played, version.trial.failed], [2, 0])
    await eventuallyAsync("a rated match of the new entry", async () => {
      const { entries } = await visitor().get(`/v1/games/${Competition.GAME}/leaderboard?season=${Competition.SEASON}`)
      const row = entries.find((entry: { readonly version_id: string }) => entry.version_id === version_id)
      return row?.owner === "ada" && row.matches > 0
    })
    const own = await ada.get("/v1/me/matches?limit=60")
    assert.isTrue(own.matches.length > 0 && own.matches.every((match: any) => match.seats.some((seat: any) => seat.mine)))
  })

  it(`plays ${RATED} rated matches, whose order of the models is the zoo's at both ends`, async () => {
    await Competition.rated(visitor(), RATED)
    const { entries } = await visitor().get(`/v1/games/${Competition.GAME}/leaderboard?season=${Competition.SEASON}`)
    const ratings = new Map<string, number>(entries.map(({ model, rating }: { model: string; rating: number }) => [model, rating]))
    const mean = (models: ReadonlyArray<string>) => models.reduce((sum, model) => sum + ratings.get(model)!, 0) / models.length
    assert.isAbove(mean(STRONG), mean(WEAK))
    assert.strictEqual(entries.at(-1).model, WEAK[0], "who walks straight on is last")
    assert.deepStrictEqual(
      entries.map(({ rating }: { readonly rating: number }) => rating),
      [...ratings.values()].toSorted((a, b) => b - a),
      "best first"
    )
  })

  it("tells in its log, one JSON object a line, that it answers, hosts the season and has a runner, and nothing of single matches", () => {
    const lines = service.lines().map((line) => JSON.parse(line))
    const messages = lines.map(({ message }) => message)
    assert.includeMembers(messages, ["the service answers", "season claimed", "a runner joined", "runner ready"])
    assert.lengthOf(
      messages.filter((message) => message === "season claimed"),
      1
    )
    assert.deepStrictEqual(
      lines.filter(({ level }) => level === "debug"),
      []
    )
  })

  it("tells at /metrics what the alerts and the dashboard ask for, by the same names and labels", async () => {
    const scrape = await (await fetch(`http://${metrics}/metrics`)).text()
    // It has no Redis, and is no node of several.
    const { found, wrong } = compared(scrape, ["agon_rate_limit_redis_up", "agon_clock_ahead_seconds"])
    assert.deepStrictEqual(wrong, [])
    assert.isAtLeast(found.size, 20, [...found].join())
  })

  it("keeps replays that the rules agree with, move by move", async () => {
    const { matches } = await visitor().get(`/v1/matches?season=${Competition.SEASON}&limit=${REPLAYS}`)
    assert.isAtLeast(matches.length, REPLAYS)
    for (const { id } of matches) {
      const match = await visitor().get(`/v1/matches/${id}`)
      const replay = await (await fetch(match.replay_url)).json()
      const verdict = verify(replay)
      assert.isTrue(verdict.ok, `replay of ${id}: ${JSON.stringify(verdict)}`)
      if (!verdict.ok) continue
      const seats = match.seats.map(({ rank, score }: { rank: number; score: number }) => ({ rank, score }))
      assert.deepStrictEqual(
        [match.turns, match.reason, seats],
        [verdict.turns, verdict.reason, verdict.ranks.map((rank, i) => ({ rank, score: verdict.scores[i] }))]
      )
    }
  })

  it("counts what it rated the same everywhere, and rates as the formula says", async () => {
    await Competition.rest(admin, BOARDS)
    const ledger = await audit(service)
    assert.isAtLeast(ledger.results.size, RATED)
    assert.strictEqual((await Competition.seasonRecord(visitor())).matches_played, ledger.results.size)
    assert.strictEqual(await Competition.ratedSoFar(visitor()), ledger.results.size)
    const { entries } = await visitor().get(`/v1/games/${Competition.GAME}/leaderboard?season=${Competition.SEASON}`)
    for (const { deviation, matches, rating, version_id } of entries) {
      const row = ledger.ratings.find((one) => one.ladder === "open" && one.version_id === version_id)!
      assert.approximately(rating, 1500 + row.mu, 0.0051)
      assert.approximately(deviation, row.sigma, 0.0051)
      assert.strictEqual(matches, row.matches)
    }
  })
})
