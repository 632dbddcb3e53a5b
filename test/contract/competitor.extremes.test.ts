/**
 * Figures and moments at the edge of what can be said: refused where they come in, so that no
 * season's commit ever fails of them.
 */

import { replayUploadKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { hashOf } from "../support/Referee.ts"

const engines = [{ game: "snakes", engine_digest: Fixture.engineDigest }]
const about = { name: "f", runtime_version: "test", engines, accepts: ["match"], slots: 2 }
const beyond = 2 ** 31
const stored = new TextEncoder().encode("{}")

layer(A.layer, A.options)("extremes", (it) => {
  it.effect("a result with a figure that no column holds is malformed, and the match can still be reported", () =>
    Effect.gen(function* () {
      const { key } = (yield* A.post("/v1/runner-keys", { name: "extreme" })).json
      const [row] = yield* A.rows<{ readonly id: string }>`SELECT id FROM runner_key`
      const headers = { authorization: `Bearer ${key}` }
      const opened = yield* A.ask("/v1/runner/sessions", { method: "POST", json: about, headers })
      const { id } = yield* A.season("extremes")
      const lease = yield* A.leaseMatch(id, { key: row!.id, runner: opened.json.runner })
      const seats = [0, 1].map((seat) => ({ seat, score: 1 - seat, rank: seat + 1, strikes: 0 }))
      const result = {
        kind: "match",
        runtime_version: "test",
        reason: "turns",
        turns: 3,
        played_ms: 1,
        state_sha256: "0".repeat(64),
        replay: { hash: hashOf(stored), bytes: stored.length }
      }
      const report = (change: object) =>
        A.ask(`/v1/runner/leases/${lease}/result`, { method: "POST", json: { ...result, seats, ...change }, headers })
      for (const change of [
        { turns: beyond },
        { played_ms: beyond },
        { seats: [{ ...seats[0], score: beyond }, seats[1]] },
        { seats: [seats[0], { ...seats[1], score: -beyond - 1 }] },
        { seats: [{ ...seats[0], strikes: beyond }, seats[1]] },
        { replay: { hash: `sha256:${"0".repeat(64)}`, bytes: beyond } }
      ]) {
        assert.deepStrictEqual(A.refusal(yield* report(change)), [400, "invalid_request"], JSON.stringify(change))
      }
      const largest = {
        turns: 3,
        played_ms: beyond - 1,
        seats: [
          { ...seats[0], score: beyond - 1 },
          { ...seats[1], score: -beyond }
        ]
      }
      yield* Effect.flatMap(ObjectStore, ({ put }) => put(replayUploadKey(lease), stored))
      assert.deepStrictEqual((yield* report(largest)).json, { accepted: true })
    })
  )

  it.effect("classes of memory without measure are refused", () =>
    Effect.gen(function* () {
      const classes = Fixture.classes.map((one) => ({ ...one, memory_cell_bytes: beyond }))
      const refused = yield* A.post("/v1/games/snakes/seasons", {
        ...OPEN_SEASON,
        name: "Measureless",
        weight_classes: classes
      })
      assert.deepStrictEqual(A.refusal(refused), [422, "rules_invalid"])
    })
  )

  it.effect("the first and the last moment that can be written are moments like others, or refused", () =>
    Effect.gen(function* () {
      yield* A.season("moments")
      for (const moment of ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999-23:59"]) {
        const since = encodeURIComponent(moment)
        const read = yield* A.ask(`/v1/matches?season=moments&since=${since}`)
        const planned = yield* A.post(A.urlOf("moments", "/rounds"), { kind: "round", games: 1, starts_at: moment })
        const made = yield* A.post("/v1/games/snakes/seasons", {
          ...OPEN_SEASON,
          name: `Moment ${moment}`,
          submissions_open_at: moment,
          weight_classes: Fixture.classes
        })
        const statuses = [read, planned, made].map(({ status }) => status)
        for (const status of statuses) assert.isBelow(status, 500, `${moment}: ${statuses}`)
      }
    })
  )
})
