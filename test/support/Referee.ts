/**
 * A runner that is played by the test: it brings a season and baselines into being through the API, and plays matches
 * with simple players instead of models, so that its replays hold good by the rules.
 */

import { createHash } from "node:crypto"
import type { Client } from "@agon/api/Client.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import type { AuditWork, MatchWork, Result, Work } from "@agon/api/runner/protocol.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { engines } from "@agon/engine/registry.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { demoWeightClasses, zoo } from "@agon/zoo/zoo.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { OPEN_SEASON } from "./openSeason.ts"
import { played, toldOf } from "./playedMatch.ts"
import * as Service from "./Service.ts"

export const game = "snakes"
export const hashOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`
export const about = {
  name: "rack",
  runtime_version: "test",
  engines: engines.map((engine) => ({ game: engine.slug, engine_digest: engine.digest })),
  accepts: ["match", "admission"],
  slots: 4
} as const

/**
 * A key of the platform's fleet and what is said under it. Somebody signs in for it, unless
 * an administrator is at hand.
 */
export const keyed = Effect.fnUntraced(function* (name: string, atHand?: Client) {
  const { as, runner } = yield* Service.Service
  const admin = atHand ?? (yield* as("admin"))
  const { id: key, key: secret } = yield* retryRefused(admin.fleet.createKey({ payload: { name } }))
  const client = yield* runner(secret)
  const open = (accepts: ReadonlyArray<"match" | "admission" | "audit">) =>
    Effect.map(client.runner.openSession({ payload: { ...about, accepts } }), ({ runner }) => runner)
  return { admin, client, key, secret, open }
})
export type Keyed = Effect.Success<ReturnType<typeof keyed>>

/** A season with one board of two seats and so many baselines in play. */
export const seasonOf = Effect.fnUntraced(function* (slug: string, fleet: Keyed, baselines = 2) {
  const { admin } = fleet
  const here = { game, slug }
  const payload = { ...OPEN_SEASON, name: slug, slug, weight_classes: demoWeightClasses }
  yield* retryRefused(admin.seasonCreation.createSeason({ params: { game }, payload }))
  const board = JSON.parse(JSON.stringify(snakesBoards.find(({ players }) => players === 2)))
  yield* retryRefused(admin.boardAdmin.addBoard({ params: here, payload: board }))
  yield* admin.boardAdmin.switchBoard({ params: { ...here, map_id: board.map_id }, payload: { enabled: true } })
  yield* bringIn(fleet, here, ...snakesZoo.slice(0, baselines))
  return here
})

export const snakesZoo = zoo.filter((one) => one.game === game)

/**
 * Baselines, recorded, uploaded, admitted by a runner of this key and switched on. Their
 * reviews are waited for together.
 */
export const bringIn = Effect.fnUntraced(function* (
  { admin, client, open }: Keyed,
  here: Here,
  ...entries: ReadonlyArray<(typeof zoo)[number]>
) {
  for (const { build, name } of entries) {
    const { manifest, weights } = build()
    const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
    const { upload } = yield* admin.baseline.recordBaseline({ params: here, payload: { name, ...hashes } })
    yield* put(upload.weights, weights)
    yield* put(upload.manifest, manifest)
  }
  const runner = yield* open(["admission"])
  const admitted = { verdict: "admitted", param_count: 1, infer_us: 10, memory: { flat: 0, cell: 0 } } as const
  const verdict = { kind: "admission", runtime_version: "test", ...admitted } as const
  for (const _ of entries) {
    const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 20 } })
    assert.deepInclude(leases[0], { kind: "admission", game, attempt: 1 })
    assert.deepStrictEqual(yield* client.runner.result({ params: { lease: leases[0]!.lease }, payload: verdict }), { accepted: true })
  }
  for (const { name } of entries) {
    yield* admin.baseline.switchBaseline({ params: { ...here, baseline: name }, payload: { enabled: true } })
  }
})
export interface Here {
  readonly game: string
  readonly slug: string
}

const put = ({ headers, method, url }: MatchWork["replay_upload"], body: Uint8Array<ArrayBuffer>) =>
  Effect.promise(async () => assert.strictEqual((await fetch(url, { method, headers, body })).status, 200))

type Told = Extract<Result, { readonly kind: "match"; readonly turns: number }>

/** A lie of a runner: about the match, or by the replay that it stores. */
export interface Lie {
  readonly told?: (told: Told) => Told
  readonly replay?: (replay: Replay) => unknown
}

/** Plays the match and uploads its replay; answers the result to report. */
export const uploaded = Effect.fnUntraced(function* (work: MatchWork, { replay: forge, told: lie }: Lie = {}) {
  const truth = played(work)
  const forged = forge === undefined ? truth.replay : forge(truth.replay)
  const bytes = new TextEncoder().encode(typeof forged === "string" ? forged : canonicalJson(forged))
  yield* put(work.replay_upload, bytes)
  const replay = { hash: hashOf(bytes), bytes: bytes.length }
  const told: Told = { kind: "match", runtime_version: "test", played_ms: 1, ...toldOf(work, truth), replay }
  return lie === undefined ? told : lie(told)
})

/** Reports the match, replay and all. */
export const report = Effect.fnUntraced(function* (client: Client, work: MatchWork, lie: Lie = {}) {
  const payload = yield* uploaded(work, lie)
  assert.deepStrictEqual(yield* client.runner.result({ params: { lease: work.lease }, payload }), { accepted: true })
})

/** Whoever won has lost, by the report alone: its replay is a true one. */
export const swapped = <Told extends { readonly seats: ReadonlyArray<object> }>(told: Told) => ({
  ...told,
  seats: told.seats.map((seat, i) => ({ ...seat, score: 10_000 - i, rank: i + 1 }))
})

export const isMatch = (work: Work): work is MatchWork => work.kind === "match"
export const isAudit = (work: Work): work is AuditWork => work.kind === "audit"

/** Leases and reports so many matches; answers their work. */
export const playMatches = Effect.fnUntraced(function* (client: Client, runner: string, count: number) {
  const works: Array<MatchWork> = []
  while (works.length < count) {
    const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
    for (const work of leases.filter(isMatch)) {
      yield* report(client, work)
      works.push(work)
    }
  }
  return works
})

/** A runner that holds a match under a key of its own. */
export const liar = Effect.fnUntraced(function* (name: string, { admin }: Keyed) {
  const { client, open } = yield* keyed(name, admin)
  const runner = yield* retryRefused(open(["match"]))
  const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 20 } })
  return { client, runner, work: leases.filter(isMatch)[0]! }
})
