/** Figures of play in `/metrics`, after a runner has played a match of a season, failed at one and given one back. */

import { errorCatalogue } from "@agon/api/Errors.ts"
import * as FleetMetrics from "@agon/server/runner/fleet/FleetMetrics.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Admin from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import { ofPlatform, playing, resultOf, runnerOf } from "../support/Fleet.ts"
import { valueOf } from "../support/scrape.ts"

const CODES = new Set(errorCatalogue().map(({ code }) => code))
const scrape = PrometheusMetrics.format()

layer(Layer.provideMerge(FleetMetrics.layerEvery("50 millis"), Admin.layer), Admin.options)("metrics of play", (it) => {
  it.effect("count each match by how it ended and each attempt by why it failed, and show the season's queue and its fleet", () =>
    Effect.gen(function* () {
      const slug = "measured"
      const { id } = yield* playing(slug)
      const before = yield* scrape
      const rise = (text: string, name: string, labels: Readonly<Record<string, string>>) =>
        (valueOf(text, name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0)
      const { lease, release, say } = yield* runnerOf(ofPlatform)
      const [work] = yield* lease()
      const held = yield* scrape
      const season = { game: "snakes", slug }
      assert.strictEqual(valueOf(held, "agon_season_matches", { ...season, state: "leased" }), 1)
      assert.strictEqual(valueOf(held, "agon_season_entries", season), 2)
      yield* say(`/leases/${work!.lease}/result`, resultOf(work!))
      const [given] = yield* lease()
      yield* say(`/leases/${given!.lease}/result`, { lease: given!.lease, kind: "match", fault_reason: "engine_fault", detail: "no" })
      const [back] = yield* lease()
      yield* release(back!)
      const after = yield* scrape
      assert.strictEqual(rise(after, "agon_matches_ended_total", { ending: "rated" }), 1, id)
      assert.strictEqual(rise(after, "agon_match_attempts_failed_total", { reason: "engine_fault" }), 1)
      assert.strictEqual(rise(after, "agon_match_attempts_failed_total", { reason: "runner_lost" }), 0)
      assert.strictEqual(valueOf(after, "agon_season_matches", { ...season, state: "leased" }), 0)
      assert.isAbove(rise(after, "agon_season_commit_ms_count", {}), 2)
      assert.isAtLeast(rise(after, "agon_match_played_seconds_count", {}), 1)
      const shown = Effect.map(scrape, (text) => valueOf(text, "agon_runners", { state: "active" }) === 1)
      yield* eventually("the fleet is shown", shown)
    })
  )

  it.effect("count refusals by their code, and never by what a caller sends", () =>
    Effect.gen(function* () {
      const before = yield* scrape
      yield* Admin.ask("/v1/games/snakes/seasons/nowhere/rounds")
      yield* Admin.ask("/v1/games/nosuchgame/matches?season=x")
      const after = yield* scrape
      const codes = (text: string) =>
        [...text.matchAll(/^agon_http_problems_total\{code="([^"]*)"\} (\S+)$/gm)].map(([, code, n]) => `${code} ${n}`)
      assert.notDeepEqual(codes(after), codes(before))
      const names = codes(after).map((line) => line.split(" ")[0]!)
      assert.deepStrictEqual(
        names.filter((name) => !CODES.has(name)),
        []
      )
    })
  )
})
