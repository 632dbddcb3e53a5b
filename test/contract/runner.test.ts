import type { Client } from "@agon/api/Client.ts"
import { type MatchWork, SLOTS_MAX } from "@agon/api/runner/protocol.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { engineOf } from "@agon/engine/registry.ts"
import type { Parking } from "@agon/server/parking/Parking.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { parked } from "../support/eventually.ts"
import * as Referee from "../support/Referee.ts"
import { about, bringIn, game, hashOf, isMatch, keyed, snakesZoo } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"
import { allowed } from "../support/slack.ts"

const digest = engineOf(game)!.digest

/**
 * A season of its own for a test, with one board of two seats and so many baselines in
 * play, and a runner of its key.
 */
const seasonOf = Effect.fnUntraced(function* (slug: string, baselines: number) {
  const fleet = yield* keyed(slug)
  const here = yield* Referee.seasonOf(slug, fleet, baselines)
  return { ...fleet, fleet, here, id: yield* fleet.open(["match", "admission"]) }
})

const stored = new TextEncoder().encode(canonicalJson({ format: "replay/1" }))
const replay = { hash: hashOf(stored), bytes: stored.length }
const put = ({ replay_upload: { headers, method, url } }: MatchWork, body: Uint8Array<ArrayBuffer> = stored) =>
  Effect.promise(async () => assert.strictEqual((await fetch(url, { method, headers, body })).status, 200))

const finished = ({ seats }: MatchWork, winner = 0) =>
  ({
    kind: "match",
    runtime_version: "test",
    reason: "last_standing",
    turns: 3,
    played_ms: 1,
    seats: seats.map(({ seat }) => ({ seat, score: seat === winner ? 2 : 1, rank: seat === winner ? 1 : 2, strikes: 0 })),
    state_sha256: "0".repeat(64),
    replay
  }) as const
/** With its replay uploaded. */
const leaseOne = Effect.fnUntraced(function* (client: Client, runner: string) {
  const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
  const [work] = leases.filter(isMatch)
  yield* put(work!)
  return work!
})
const code = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.map(Effect.flip(call), (error) => (error as { readonly code?: string }).code)

/** Each test has a service of its own: the runners of the platform's fleet serve every season there is. */
const inService = (title: string, test: () => Effect.Effect<void, unknown, Service.Service | Parking | Scope.Scope>) =>
  layer(Service.layer(), { excludeTestServices: true })("the runner protocol", (it) => it.effect(title, test))

inService("a match is leased with all that it needs, reported in the next lease request, and counted once", () =>
  Effect.gen(function* () {
    const { admin, client, here, id } = yield* seasonOf("counts", 2)
    const work = yield* leaseOne(client, id)
    assert.deepInclude(work, { game, engine_digest: digest, is_trial: false, rules: { max_turns: 500, strike_limit: 3 } })
    const [{ weights }] = [work.seats[0]!]
    const bytes = new Uint8Array(yield* Effect.promise(() => fetch(weights.url).then((response) => response.arrayBuffer())))
    assert.deepStrictEqual([bytes.length, hashOf(bytes)], [weights.bytes, weights.hash])
    const results = [{ lease: work.lease, ...finished(work) }]
    const next = yield* client.runner.lease({ payload: { runner: id, max: 1, wait_s: 0, results } })
    assert.deepStrictEqual(next.results, [{ lease: work.lease, accepted: true, reason: null }])
    const again = yield* client.runner.result({ params: { lease: work.lease }, payload: finished(work, 1) })
    assert.deepStrictEqual(again, { accepted: true }) // the first answer, and nothing counted twice
    const [season] = (yield* admin.season.seasons({ params: { game } })).filter(({ slug }) => slug === here.slug)
    assert.strictEqual(season!.matches_played, 1)
    const { matches, total } = yield* admin.match.matches({ query: { game, season: here.slug } as never })
    assert.deepStrictEqual([total, matches[0]!.seats.map(({ rank }) => rank)], [1, [1, 2]])
  })
)

inService("a request may carry as many results as a runner has slots, also for one season", () =>
  Effect.gen(function* () {
    const { client, id } = yield* seasonOf("many", 2)
    const work = yield* leaseOne(client, id)
    const results = Array.from({ length: SLOTS_MAX }, () => ({ lease: work.lease, ...finished(work) }))
    const { results: receipts } = yield* client.runner.lease({ payload: { runner: id, max: 1, wait_s: 0, results } })
    assert.deepStrictEqual(
      receipts,
      results.map(({ lease }) => ({ lease, accepted: true, reason: null }))
    )
  })
)

inService("a long poll wakes when work appears, not when its time is up", () =>
  Effect.gen(function* () {
    const { client, fleet, here, open } = yield* seasonOf("wakes", 1)
    const runner = yield* open(["match"])
    const polling = yield* Effect.forkChild(client.runner.lease({ payload: { runner, max: 1, wait_s: 30 } }))
    yield* parked(1)
    assert.isUndefined(polling.pollUnsafe())
    yield* bringIn(fleet, here, snakesZoo[1]!)
    const appeared = performance.now()
    const { leases } = yield* Fiber.join(polling)
    assert.strictEqual(leases.length, 1)
    assert.isBelow(performance.now() - appeared, allowed(3_000))
  })
)

inService("a match that a runner could not play wakes a runner of another key, though one of its own waits for longer", () =>
  Effect.gen(function* () {
    const { admin, client, id, open } = yield* seasonOf("unplayable", 2)
    const peer = yield* keyed("peer", admin)
    const theirs = yield* leaseOne(peer.client, yield* peer.open(["match"]))
    yield* put(theirs)
    yield* peer.client.runner.result({ params: { lease: theirs.lease }, payload: finished(theirs) })
    const work = yield* leaseOne(client, id)
    while ((yield* client.runner.lease({ payload: { runner: id, max: 4, wait_s: 0 } })).leases.length > 0);
    const polls = (of: Client, runner: string) => Effect.forkChild(of.runner.lease({ payload: { runner, max: 1, wait_s: 30 } }))
    const same = yield* polls(client, yield* open(["match"]))
    yield* parked(1)
    const other = yield* polls(peer.client, yield* peer.open(["match"]))
    yield* parked(2)
    const fault = { kind: "match", fault_reason: "weights_unavailable", detail: "404" } as const
    assert.deepStrictEqual(yield* client.runner.result({ params: { lease: work.lease }, payload: fault }), { accepted: true })
    const appeared = performance.now()
    const { leases } = yield* Fiber.join(other)
    assert.deepInclude(leases[0], { match_id: work.match_id })
    assert.isBelow(performance.now() - appeared, allowed(3_000))
    yield* Fiber.interrupt(same)
  })
)

inService("a replay is taken over when it is what the result says, and the result refused when it is not", () =>
  Effect.gen(function* () {
    const { client, id } = yield* seasonOf("replays", 2)
    const { origin } = yield* Service.Service
    const work = yield* leaseOne(client, id)
    const wrong = { ...finished(work), replay: { hash: hashOf(new Uint8Array(3)), bytes: 3 } }
    const refused = (error: unknown) => assert.deepInclude(error as object, { code: "invalid_request" })
    const pathsOf = (error: unknown) =>
      (error as { readonly errors: ReadonlyArray<{ readonly path: string }> }).errors.map(({ path }) => path)
    const alone = yield* Effect.flip(client.runner.result({ params: { lease: work.lease }, payload: wrong }))
    refused(alone)
    assert.deepStrictEqual(pathsOf(alone), ["replay"], "the result is the whole body")
    const results = [{ lease: work.lease, ...wrong }]
    const among = yield* Effect.flip(client.runner.lease({ payload: { runner: id, max: 0, wait_s: 0, results } }))
    refused(among)
    assert.deepStrictEqual(pathsOf(among), ["results.0.replay"])
    yield* put(work)
    assert.deepStrictEqual(yield* client.runner.result({ params: { lease: work.lease }, payload: finished(work) }), { accepted: true })
    const detail = yield* Effect.promise(() =>
      fetch(`${origin}/v1/matches/${work.match_id}`).then((response) => response.json() as Promise<{ readonly replay_url: string }>)
    )
    const kept = yield* Effect.promise(() => fetch(detail.replay_url).then((response) => response.arrayBuffer()))
    assert.deepStrictEqual(new Uint8Array(kept), stored)
  })
)

inService("one malformed result is refused and nothing of the request is applied", () =>
  Effect.gen(function* () {
    const { admin, client, here, id, secret } = yield* seasonOf("malformed", 3)
    const { origin } = yield* Service.Service
    const work = yield* leaseOne(client, id)
    const good = { lease: work.lease, ...finished(work) }
    const contradictory = { ...good, seats: good.seats.map((seat) => ({ ...seat, rank: 1 })) }
    for (const results of [[contradictory], [good, { lease: work.lease, kind: "match" }], [good, "nonsense"]]) {
      const body = JSON.stringify({ runner: id, max: 0, wait_s: 0, results })
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }
      const answer = yield* Effect.promise(() => fetch(`${origin}/v1/runner/leases`, { method: "POST", headers, body }))
      const problem = yield* Effect.promise(
        () => answer.json() as Promise<{ readonly status: number; readonly code: string; readonly errors: ReadonlyArray<unknown> }>
      )
      assert.deepInclude(problem, { status: 400, code: "invalid_request" })
      assert.isNotEmpty(problem.errors)
    }
    const [season] = (yield* admin.season.seasons({ params: { game } })).filter(({ slug }) => slug === here.slug)
    assert.strictEqual(season!.matches_played, 0)
    assert.deepStrictEqual(yield* client.runner.result({ params: { lease: work.lease }, payload: finished(work) }), { accepted: true })
  })
)

inService("work that was given beside a result that the season then refused goes back at once", () =>
  Effect.gen(function* () {
    const { client, id } = yield* seasonOf("beside", 3)
    const work = yield* leaseOne(client, id)
    const fault = { kind: "match", fault_reason: "engine_fault", detail: "", version_id: crypto.randomUUID() } as const
    const results = [{ lease: work.lease, ...fault }]
    assert.strictEqual(yield* code(client.runner.lease({ payload: { runner: id, max: 4, wait_s: 0, results } })), "invalid_request")
    const { leases } = yield* client.runner.lease({ payload: { runner: id, max: 4, wait_s: 0, holds: [work.lease] } })
    assert.isNotEmpty(leases)
    for (const { lease } of leases) assert.match(lease, /\.2$/, "given for the second time")
  })
)

inService(
  "what a runner does not name among its holds goes back, what it gives back is released, and another key knows nothing of it",
  () =>
    Effect.gen(function* () {
      const { admin, client, id } = yield* seasonOf("holds", 2)
      const { runner } = yield* Service.Service
      const work = yield* leaseOne(client, id)
      const { key } = yield* admin.fleet.createKey({ payload: { name: "stranger" } })
      const stranger = yield* runner(key)
      assert.strictEqual(yield* code(stranger.runner.result({ params: { lease: work.lease }, payload: finished(work) })), "not_found")
      assert.strictEqual(yield* code(stranger.runner.heartbeat({ payload: { runner: id, leases: [] } })), "not_found")
      const beat = yield* client.runner.heartbeat({ payload: { runner: id, leases: [work.lease, `${work.match_id}.9`] } })
      assert.deepStrictEqual(
        beat.leases.map((one) => "lost" in one),
        [false, true]
      )
      const { leases } = yield* client.runner.lease({ payload: { runner: id, max: 4, wait_s: 0, holds: [] } })
      assert.include(
        leases.map((one) => one.lease),
        `${work.match_id}.2`
      ) // it went back at once, and came again
      assert.deepStrictEqual(yield* client.runner.release({ params: { lease: `${work.match_id}.2` }, payload: {} }), { released: true })
      const late = yield* client.runner.result({ params: { lease: `${work.match_id}.2` }, payload: finished(work) })
      assert.deepStrictEqual(late, { accepted: false, reason: "released" })
    })
)

inService("a revoked key is refused, and its leases go back at once", () =>
  Effect.gen(function* () {
    const { admin, client, id, key } = yield* seasonOf("revoked", 2)
    const { runner } = yield* Service.Service
    const work = yield* leaseOne(client, id)
    assert.isNotNull((yield* admin.fleet.revokeKey({ params: { key } })).revoked_at)
    assert.strictEqual(yield* code(client.runner.lease({ payload: { runner: id, max: 1, wait_s: 0 } })), "unauthenticated")
    const { key: fresh } = yield* admin.fleet.createKey({ payload: { name: "after" } })
    const other = yield* runner(fresh)
    const { runner: otherId } = yield* other.runner.openSession({ payload: about })
    const { leases } = yield* other.runner.lease({ payload: { runner: otherId, max: 4, wait_s: 10 } })
    assert.include(
      leases.map((one) => one.lease),
      `${work.match_id}.2`
    )
  })
)

inService("a stopped runner is told to drain, gets nothing new, and may still report", () =>
  Effect.gen(function* () {
    const { admin, client, id } = yield* seasonOf("drained", 2)
    const work = yield* leaseOne(client, id)
    assert.strictEqual((yield* admin.fleet.stopRunner({ params: { runner: id } })).state, "draining")
    const results = [{ lease: work.lease, ...finished(work) }]
    const answer = yield* client.runner.lease({ payload: { runner: id, max: 4, wait_s: 0, results } })
    assert.deepStrictEqual([answer.drain, answer.leases, answer.results[0]!.accepted], [true, [], true])
  })
)

inService("a runner with another engine gets no work", () =>
  Effect.gen(function* () {
    const { client } = yield* seasonOf("engines", 2)
    const stale = { ...about, engines: [{ game, engine_digest: "an older one" }] }
    const { runner } = yield* client.runner.openSession({ payload: stale })
    assert.deepStrictEqual((yield* client.runner.lease({ payload: { runner, max: 4, wait_s: 0 } })).leases, [])
  })
)
