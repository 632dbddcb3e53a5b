/** Runners that a test plays itself, over HTTP, and seasons with work for them: beside `Administration.ts`. */

import { replayUploadKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { Effect } from "effect"
import { ask, baseline, post, season, tell } from "./Administration.ts"
import * as Fixture from "./Fixture.ts"
import { hashOf } from "./Referee.ts"

/** The body with which a runner opens its session. */
export const runnerSession = {
  name: "rack",
  runtime_version: "test",
  engines: [{ game: "snakes", engine_digest: Fixture.engineDigest }],
  accepts: ["match", "admission"],
  slots: 4
}

/**
 * Bytes stored as the replay of every match that such a runner reports; it proves
 * nothing, and is not looked at here.
 */
const stored = new TextEncoder().encode("{}")
const upload = (lease: string) => Effect.flatMap(ObjectStore, ({ put }) => put(replayUploadKey(lease), stored))
const uploads = (json: any, path: string) => {
  const lease = /^\/leases\/(.+)\/result$/.exec(path)?.[1]
  const results: ReadonlyArray<any> = lease === undefined ? (json.results ?? []) : [{ ...json, lease }]
  return Effect.forEach(results, ({ lease, replay }) => (replay === undefined ? Effect.void : upload(lease)), { discard: true })
}

/** A key of a fleet with a runner of it, and what that runner says; it uploads what it reports. */
export const runnerOf = Effect.fnUntraced(function* (keys: string, change: object = {}) {
  const { id: key_id, key } = (yield* post(keys, { name: "rack" })).json
  const say = (path: string, json: unknown) =>
    Effect.map(
      Effect.andThen(uploads(json, path), ask(`/v1/runner${path}`, { method: "POST", json, headers: { authorization: `Bearer ${key}` } })),
      ({ json }) => json
    )
  const { runner } = yield* say("/sessions", { ...runnerSession, ...change })
  const lease = (more: object = {}) =>
    Effect.map(say("/leases", { runner, max: 1, wait_s: 0, ...more }), ({ leases }) => leases as ReadonlyArray<Work>)
  const release = ({ lease }: Work) => say(`/leases/${lease}/release`, {})
  return { key, key_id, runner, lease, release, say }
})
export const ofPlatform = "/v1/runner-keys"

export interface Work {
  readonly lease: string
  readonly kind: string
  readonly match_id: string
  readonly seats: ReadonlyArray<{ readonly seat: number }>
}
export const resultOf = ({ lease, seats }: Work) => ({
  lease,
  kind: "match",
  runtime_version: "test",
  reason: "last_standing",
  turns: 3,
  played_ms: 1,
  seats: seats.map(({ seat }) => ({ seat, score: 2 - seat, rank: seat + 1, strikes: 0 })),
  state_sha256: "0".repeat(64),
  replay: { hash: hashOf(stored), bytes: stored.length }
})

let versions = 0
/** Of versions that no other test of this process has. */
export const anotherBaseline = (season_id: string, name: string, admit = true) => baseline(season_id, ++versions, name, admit)

/** A season in which two baselines play each other for ever. */
export const playing = Effect.fnUntraced(function* (slug: string, change: object = {}) {
  const made = yield* season(slug, { ...change })
  for (const name of ["one", "two"]) {
    yield* tell(made.id, { _tag: "SwitchBaseline", version: yield* anotherBaseline(made.id, name), enabled: true })
  }
  yield* tell(made.id, { _tag: "AddBoard", board: "plain", players: 2, rows: 7, cols: 7, file: {} })
  yield* tell(made.id, { _tag: "SwitchBoard", board: "plain", enabled: true })
  return made
})
