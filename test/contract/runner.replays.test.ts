/** Replays of matches: none counts without one, and none but the holder's last word comes to lie in its place. */

import type { Client } from "@agon/api/Client.ts"
import type { MatchWork } from "@agon/api/runner/protocol.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { ReplayCheck, SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { replayUploadKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, type Scope } from "effect"
import { played, toldOf } from "../support/playedMatch.ts"
import { about, hashOf, isMatch, keyed, playMatches, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const inService = (title: string, test: () => Effect.Effect<void, unknown, Service.Service | ReplayCheck | ObjectStore | Scope.Scope>) =>
  layer(Service.layer({ replay_check: 1 }).pipe(Layer.provide(Layer.succeed(SettledAfter, 0))), {
    excludeTestServices: true,
    timeout: "120 seconds"
  })("the replay of a match", (it) => it.effect(title, test))

const leaseOne = Effect.fnUntraced(function* (client: Client, runner: string, more: object = {}) {
  const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 10, ...more } })
  return leases.filter(isMatch)[0]!
})
const put = ({ replay_upload: { headers, method, url } }: MatchWork, body: Uint8Array<ArrayBuffer>) =>
  Effect.promise(async () => assert.strictEqual((await fetch(url, { method, headers, body })).status, 200))
const bytesOf = (replay: unknown) => new TextEncoder().encode(canonicalJson(replay))
const resultOf = (work: MatchWork, bytes: Uint8Array) => {
  const about = { kind: "match", runtime_version: "test", played_ms: 1 } as const
  return { ...about, ...toldOf(work, played(work)), replay: { hash: hashOf(bytes), bytes: bytes.length } }
}
const inlineOf = (work: MatchWork, text: string) => {
  const { replay, ...result } = resultOf(work, new TextEncoder().encode(text))
  return { ...result, replay: { ...replay, inline: text } }
}
const keysOf = ({ match_id }: MatchWork) =>
  ObjectStore.use(({ list }) => list({ prefix: "replays/", limit: 100 })).pipe(
    Effect.map((found) => found.map(({ key }) => key).filter((key) => key.startsWith(`replays/${match_id}`)))
  )
const say = (client: Client, { lease }: MatchWork, payload: ReturnType<typeof resultOf | typeof inlineOf>) =>
  client.runner.result({ params: { lease }, payload })
const json = (url: string) => Effect.promise(() => fetch(url).then((response) => response.json() as Promise<any>))

inService("is wanted with every result: without one nothing changes", () =>
  Effect.gen(function* () {
    const { client, open, secret, ...rest } = yield* keyed("proof")
    yield* seasonOf("proof", { client, open, secret, ...rest })
    const { origin } = yield* Service.Service
    const runner = yield* open(["match"])
    const work = yield* leaseOne(client, runner)
    const { replay: _, ...bare } = resultOf(work, bytesOf({}))
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }
    for (const result of [bare, { ...bare, replay: null }]) {
      const said: ReadonlyArray<readonly [path: string, body: object]> = [
        [`/leases/${work.lease}/result`, result],
        ["/leases", { runner, max: 1, wait_s: 0, results: [{ lease: work.lease, ...result }] }]
      ]
      for (const [path, body] of said) {
        const asked = fetch(`${origin}/v1/runner${path}`, { method: "POST", headers, body: JSON.stringify(body) })
        const problem = yield* Effect.promise(() => asked.then((response) => response.json() as Promise<object>))
        assert.deepInclude(problem as Record<string, unknown>, { status: 400, code: "invalid_request" })
      }
    }
    assert.strictEqual((yield* json(`${origin}/v1/matches?game=snakes&season=proof`)).total, 0)
    yield* report(client, work) // the lease is as it was
    assert.strictEqual((yield* json(`${origin}/v1/matches?game=snakes&season=proof`)).total, 1)
  })
)

inService("stays uploaded when a result is wrong about it: that changes nothing, and the next one may be right", () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("mistaken")
    yield* seasonOf("mistaken", fleet)
    const runner = yield* fleet.open(["match"])
    const work = yield* leaseOne(fleet.client, runner)
    const bytes = bytesOf(played(work).replay)
    yield* put(work, bytes)
    const right = resultOf(work, bytes)
    const replays = [
      { ...right.replay, hash: hashOf(new Uint8Array(3)) },
      { ...right.replay, bytes: bytes.length + 1 }
    ]
    for (const replay of replays) {
      assert.propertyVal(yield* Effect.flip(say(fleet.client, work, { ...right, replay })), "code", "invalid_request")
      const results = [{ ...right, lease: work.lease, replay }]
      const refused = yield* Effect.flip(fleet.client.runner.lease({ payload: { runner, max: 0, wait_s: 0, results } }))
      assert.propertyVal(refused, "code", "invalid_request")
    }
    assert.deepStrictEqual(yield* say(fleet.client, work, right), { accepted: true })
  })
)

inService("is not looked at for another key, which learns nothing and removes nothing", () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("holder")
    yield* seasonOf("holder", fleet)
    const stranger = yield* keyed("stranger", fleet.admin)
    const mine = yield* fleet.open(["match"])
    const theirs = yield* stranger.open(["match"])
    const work = yield* leaseOne(fleet.client, mine)
    const bytes = bytesOf(played(work).replay)
    yield* put(work, bytes)
    for (const result of [resultOf(work, bytes), resultOf(work, new Uint8Array(3))]) {
      assert.propertyVal(yield* Effect.flip(say(stranger.client, work, result)), "code", "not_found")
      const results = [{ lease: work.lease, ...result }]
      const answer = yield* stranger.client.runner.lease({ payload: { runner: theirs, max: 0, wait_s: 0, results } })
      assert.deepStrictEqual(answer.results, [{ lease: work.lease, accepted: false, reason: "unknown" }])
      assert.isTrue(Option.isSome(yield* ObjectStore.use((objects) => objects.stat(replayUploadKey(work.lease)))))
    }
    assert.deepStrictEqual(yield* say(fleet.client, work, resultOf(work, bytes)), { accepted: true })
  })
)

inService("stays as it was accepted, whatever a late runner uploads and reports: the match stands, nobody is flagged", () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("early")
    yield* seasonOf("late", fleet)
    const other = yield* keyed("other", fleet.admin)
    const { origin } = yield* Service.Service
    const late = yield* fleet.open(["match"])
    const old = yield* leaseOne(fleet.client, late)
    yield* fleet.client.runner.lease({ payload: { runner: late, max: 0, wait_s: 0, holds: [] } }) // it is lost
    const honest = yield* other.open(["match"])
    const work = yield* leaseOne(other.client, honest)
    assert.strictEqual(work.lease, old.lease.replace(/1$/, "2"))
    const forged = bytesOf({ ...played(old).replay, seed: 1 })
    yield* put(old, forged)
    const during = yield* say(fleet.client, old, resultOf(old, forged))
    yield* report(other.client, work)
    yield* put(old, forged)
    const after = yield* say(fleet.client, old, resultOf(old, forged))
    const lost = { accepted: false, reason: "lost" } as const
    assert.deepStrictEqual([during, after], [lost, lost])

    const { replay_url } = yield* json(`${origin}/v1/matches/${work.match_id}`)
    const kept = new Uint8Array(yield* Effect.promise(() => fetch(replay_url).then((response) => response.arrayBuffer())))
    assert.strictEqual(hashOf(kept), hashOf(bytesOf(played(work).replay)))
    yield* ReplayCheck.use(({ look }) => look)
    assert.strictEqual((yield* json(`${origin}/v1/matches/${work.match_id}`)).status, "rated")
    assert.isFalse((yield* other.client.runner.heartbeat({ payload: { runner: honest, leases: [] } })).drain)
    assert.strictEqual((yield* playMatches(other.client, honest, 1)).length, 1)
  })
)

inService("may come within its result, by either route, and then needs no upload", () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("inline")
    yield* seasonOf("inline", fleet)
    const { origin } = yield* Service.Service
    const { inline_replay_bytes, runner } = yield* fleet.client.runner.openSession({ payload: { ...about, accepts: ["match"] } })
    assert.strictEqual(inline_replay_bytes, 65_536)
    const first = yield* leaseOne(fleet.client, runner)
    const text = canonicalJson(played(first).replay)
    assert.isBelow(text.length, 65_536)
    assert.deepStrictEqual(yield* say(fleet.client, first, inlineOf(first, text)), { accepted: true })
    assert.deepStrictEqual(yield* say(fleet.client, first, inlineOf(first, "another, too late")), { accepted: true }, "as before")
    assert.deepStrictEqual(yield* keysOf(first), [], "it is a row beside its match, and no object")

    const second = yield* leaseOne(fleet.client, runner)
    const results = [{ lease: second.lease, ...inlineOf(second, canonicalJson(played(second).replay)) }]
    const answer = yield* fleet.client.runner.lease({ payload: { runner, max: 0, wait_s: 0, results } })
    assert.deepStrictEqual(answer.results, [{ lease: second.lease, accepted: true, reason: null }])

    for (const work of [first, second]) {
      const { replay_url } = yield* json(`${origin}/v1/matches/${work.match_id}`)
      assert.deepStrictEqual(yield* json(replay_url), JSON.parse(canonicalJson(played(work).replay)))
      const part = yield* Effect.promise(() => fetch(replay_url, { headers: { range: "bytes=2-5" } }))
      assert.deepStrictEqual([part.status, yield* Effect.promise(() => part.text())], [206, canonicalJson(played(work).replay).slice(2, 6)])
      const sent = (url: string, method: string) => Effect.promise(() => fetch(url, { method }).then(({ status }) => status))
      const other = replay_url.replace(work.match_id, first.match_id === work.match_id ? second.match_id : first.match_id)
      const answers = [sent(replay_url, "HEAD"), sent(replay_url, "PUT"), sent(other, "GET"), sent(replay_url.split("?")[0], "GET")]
      assert.deepStrictEqual(yield* Effect.all(answers), [200, 405, 403, 403])
    }
    yield* ReplayCheck.use(({ look }) => look)
    assert.strictEqual((yield* json(`${origin}/v1/matches/${first.match_id}`)).status, "rated")
    assert.lengthOf(yield* ObjectStore.use(({ list }) => list({ prefix: "incoming/replays/", limit: 10 })), 0)
  })
)

inService("is refused within its result as an upload is: nothing changes, and the next one may be right", () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("inline-wrong")
    yield* seasonOf("inline-wrong", fleet)
    const { origin } = yield* Service.Service
    const stranger = yield* keyed("inline-stranger", fleet.admin)
    const work = yield* leaseOne(fleet.client, yield* fleet.open(["match"]))
    const text = canonicalJson(played(work).replay)
    const right = inlineOf(work, text)
    assert.propertyVal(yield* Effect.flip(say(stranger.client, work, right)), "code", "not_found")
    const wrong = [
      [
        { ...right.replay, hash: hashOf(new Uint8Array(3)) },
        "The replay that was sent does not have the hash that was reported: report the SHA-256 of the bytes that are sent."
      ],
      [
        { ...right.replay, bytes: text.length + 1 },
        `The replay that was sent has ${text.length} bytes, and ${text.length + 1} were reported.`
      ],
      [{ ...right.replay, inline: "\ud800" }, "inline of replay holds half of a surrogate pair."],
      [inlineOf(work, "x".repeat(65_537)).replay, "inline of replay takes text of at most 65536 characters."]
    ] as const
    for (const [replay, detail] of wrong) {
      const headers = { authorization: `Bearer ${fleet.secret}`, "content-type": "application/json" }
      const body = JSON.stringify({ ...right, replay })
      const asked = fetch(`${origin}/v1/runner/leases/${work.lease}/result`, { method: "POST", headers, body })
      const problem = yield* Effect.promise(() => asked.then((response) => response.json() as Promise<any>))
      assert.deepInclude(problem, { status: 400, code: "invalid_request", detail })
    }
    assert.deepStrictEqual(yield* keysOf(work), [], "none of them is kept")
    assert.deepStrictEqual(yield* say(fleet.client, work, right), { accepted: true })
  })
)
