import type { Client } from "@agon/api/Client.ts"
import type { AuditWork } from "@agon/api/runner/protocol.ts"
import { matchLeaseMax_ms } from "@agon/domain/season/Lease.ts"
import { hashText, mix } from "@agon/domain/season/Random.ts"
import { SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { ReplayAudits } from "@agon/server/runner/work/ReplayAudits.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { untilSuccess } from "../support/eventually.ts"
import { played } from "../support/playedMatch.ts"
import { hashOf, isAudit, isMatch, keyed, playMatches, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const inService = (
  title: string,
  shares: { readonly replay_check: number; readonly audit: number },
  test: () => Effect.Effect<void, unknown, Service.Service | PgClient.PgClient | ReplayAudits | Scope.Scope>
) =>
  layer(Service.layer(shares).pipe(Layer.provide(Layer.succeed(SettledAfter, 0))), {
    excludeTestServices: true
  })("matches looked at again", (it) => it.effect(title, test))

const holds = (what: string, condition: boolean) => (condition ? Effect.void : Effect.fail(new Error(`never: ${what}`)))

interface MatchRow {
  readonly id: string
  readonly status: string
  readonly fault_reason: string | null
  readonly fault_detail: string | null
}
const matchOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<MatchRow>("SELECT id, status, fault_reason, fault_detail FROM match WHERE id = $1::uuid", [id])
  return row!
})
const flaggedOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<{ flagged: boolean }>("SELECT flagged_at IS NOT NULL AS flagged FROM runner WHERE id = $1::uuid", [id])
  return row!.flagged
})
const looked = Effect.fnUntraced(function* (id: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<{ done: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM match_check c JOIN match m ON m.season_id = c.season_id
       WHERE m.id = $1::uuid AND (c.ended_at, c.match_id) >= (m.ended_at, m.id)) AS done`,
    [id]
  )
  return yield* holds("the match was looked at", row!.done)
})

inService("a match whose replay does not bear the report out is voided, its runner gets no more", { replay_check: 1, audit: 0 }, () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("check")
    const { admin, client, open } = fleet
    const here = yield* seasonOf("check", fleet)
    const honest = yield* open(["match"])
    const liar = yield* open(["match"])
    const before = yield* playMatches(client, honest, 3)
    const { leases } = yield* client.runner.lease({ payload: { runner: liar, max: 1, wait_s: 10 } })
    const [lied] = leases.filter(isMatch)
    yield* report(client, lied!, { told: (told) => ({ ...told, turns: 1 }) })
    yield* untilSuccess(Effect.flatMap(matchOf(lied!.match_id), ({ status }) => holds("the match is voided", status === "failed")))
    const after = yield* playMatches(client, honest, 2)
    yield* untilSuccess(looked(after[1]!.match_id))

    const row = yield* matchOf(lied!.match_id)
    assert.deepInclude(row, { status: "failed", fault_reason: "replay_mismatch" })
    assert.match(row.fault_detail!, /^The turns of the match: 1 by the report/)
    for (const { match_id } of [...before, ...after]) assert.strictEqual((yield* matchOf(match_id)).status, "rated")
    assert.deepStrictEqual([yield* flaggedOf(liar), yield* flaggedOf(honest)], [true, false])
    const answer = yield* client.runner.lease({ payload: { runner: liar, max: 4, wait_s: 0 } })
    assert.deepStrictEqual([answer.drain, answer.leases], [true, []])

    const [season] = (yield* admin.season.seasons({ params: { game: here.game } })).filter(({ slug }) => slug === here.slug)
    assert.strictEqual(season!.matches_played, 5)
    const { total } = yield* admin.match.matches({ query: { game: here.game, season: here.slug } as never })
    assert.strictEqual(total, 5)
    const { maps } = yield* admin.board.boards({ params: here, query: {} as never })
    assert.strictEqual(maps[0]!.matches, 5)
    const again = yield* client.runner.result({
      params: { lease: lied!.lease },
      payload: { kind: "match", fault_reason: "engine_fault", detail: "" }
    })
    assert.deepStrictEqual(again, { accepted: true }) // the first answer
  })
)

inService("none of the replays is looked at where the share is none", { replay_check: 0, audit: 0 }, () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("unchecked")
    yield* seasonOf("unchecked", fleet)
    const liar = yield* fleet.open(["match"])
    const { leases } = yield* fleet.client.runner.lease({ payload: { runner: liar, max: 1, wait_s: 10 } })
    const [lied] = leases.filter(isMatch)
    yield* report(fleet.client, lied!, { told: (told) => ({ ...told, turns: 1 }) })
    yield* Effect.sleep("1500 millis")
    assert.strictEqual((yield* matchOf(lied!.match_id)).status, "rated")
  })
)

const verdictOf = Effect.fnUntraced(function* (match: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<{ state: string; verdict: string | null }>(
    "SELECT state, verdict FROM match_audit WHERE match_id = $1::uuid",
    [match]
  )
  return row!
})
const leaseAudit = Effect.fnUntraced(function* (client: Client, runner: string) {
  const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 20 } })
  const [work] = leases.filter(isAudit)
  return work!
})
const say = (client: Client, { lease }: AuditWork, state_sha256: string) =>
  client.runner.result({ params: { lease }, payload: { kind: "audit", state_sha256 } })

inService(
  "a match is played again by another runner, with all that it needs, and the same state is the end of it",
  { replay_check: 0, audit: 1 },
  () =>
    Effect.gen(function* () {
      const { client, open, ...rest } = yield* keyed("audits")
      yield* seasonOf("audits", { client, open, ...rest })
      const player = yield* open(["match", "audit"])
      const [match] = yield* playMatches(client, player, 1)
      yield* untilSuccess(looked(match!.match_id))
      const own = yield* client.runner.lease({ payload: { runner: player, max: 4, wait_s: 5 } })
      assert.deepStrictEqual(own.leases.filter(isAudit), []) // not by the one who played it
      const beside = yield* client.runner.lease({ payload: { runner: yield* open(["audit"]), max: 1, wait_s: 0 } })
      assert.deepStrictEqual(beside.leases, []) // nor by another session of its key
      const other = yield* keyed("elsewhere")
      const auditor = yield* other.open(["audit"])
      const work = yield* leaseAudit(other.client, auditor)
      const { board, game, match_id, rules, seats, seed } = match!
      assert.deepInclude(work, { board, game, match_id, rules, seed })
      assert.deepStrictEqual(
        work.seats.map(({ memory_cap_bytes, version_id, weights }) => ({ memory_cap_bytes, version_id, hash: weights.hash })),
        seats.map(({ memory_cap_bytes, version_id, weights }) => ({ memory_cap_bytes, version_id, hash: weights.hash }))
      )
      const replay = new Uint8Array(yield* Effect.promise(() => fetch(work.replay.url).then((response) => response.arrayBuffer())))
      assert.deepStrictEqual([hashOf(replay), replay.length], [work.replay.hash, work.replay.bytes])
      const { leases } = yield* other.client.runner.heartbeat({ payload: { runner: auditor, leases: [work.lease] } })
      assert.isTrue("expires_at" in leases[0]!)
      const truth = played(work).replay.state_sha256
      const refused = yield* Effect.flip(say(client, work, truth))
      assert.propertyVal(refused, "code", "not_found") // of another key
      assert.deepStrictEqual(yield* other.client.runner.release({ params: { lease: work.lease }, payload: {} }), { released: true })
      assert.deepStrictEqual(yield* say(other.client, work, truth), { accepted: false, reason: "released" })
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe("UPDATE match_audit SET until = until - interval '100 seconds'") // for a minute it is for others
      const again = yield* untilSuccess(
        Effect.flatMap(leaseAudit(other.client, auditor), (found) =>
          found === undefined ? Effect.fail("none yet") : Effect.succeed(found)
        )
      )
      assert.strictEqual(again.lease, work.lease.replace(/1$/, "2"))
      assert.deepStrictEqual(yield* say(other.client, work, truth), { accepted: false, reason: "lost" })
      const results = [{ lease: again.lease, kind: "audit", state_sha256: truth } as const]
      const answer = yield* other.client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 0, holds: [], results } })
      assert.deepStrictEqual(answer.results, [{ lease: again.lease, accepted: true, reason: null }])
      assert.deepStrictEqual(yield* say(other.client, again, "0".repeat(64)), { accepted: true }) // the first answer
      assert.deepStrictEqual(yield* verdictOf(match!.match_id), { state: "done", verdict: "agreed" })
      assert.strictEqual((yield* matchOf(match!.match_id)).status, "rated")
    })
)

inService(
  "a runner cannot tell by a match's id whether it is looked at again, and lie about the others",
  { replay_check: 0, audit: 0.5 },
  () =>
    Effect.gen(function* () {
      const { client, open, ...rest } = yield* keyed("half")
      yield* seasonOf("half", { client, open, ...rest })
      const matches = yield* playMatches(client, yield* open(["match"]), 32)
      yield* untilSuccess(looked(matches.at(-1)!.match_id))
      const sql = yield* PgClient.PgClient
      const aside = new Set((yield* sql.unsafe<{ id: string }>("SELECT match_id AS id FROM match_audit")).map(({ id }) => id))
      assert.isTrue(aside.size > 4 && aside.size < 28, `${aside.size} of 32`)
      // By a hash that everybody can compute: the service chose by it once.
      const told = matches.filter(({ match_id }) => aside.has(match_id) === mix(hashText(`audit ${match_id}`)) < 2 ** 31)
      assert.isBelow(told.length, 28)
    })
)

inService(
  "an audit that a runner only keeps by heartbeats ends at its longest life, and another plays it",
  { replay_check: 0, audit: 1 },
  () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("plays")
      yield* seasonOf("kept", fleet)
      const [match] = yield* playMatches(fleet.client, yield* fleet.open(["match"]), 1)
      const [hung, other] = [yield* keyed("hung", fleet.admin), yield* keyed("other", fleet.admin)]
      const auditor = yield* hung.open(["audit"])
      const work = yield* leaseAudit(hung.client, auditor)
      const sql = yield* PgClient.PgClient
      const max_ms = matchLeaseMax_ms({ infer_us_max: 20_000, match: work.rules }, work.seats.length)
      const begun = (before_ms: number) =>
        sql`UPDATE match_audit SET leased_at = now() - ${before_ms}::float8 * interval '1 millisecond' WHERE match_id = ${match!.match_id}`
      const beat = Effect.map(
        hung.client.runner.heartbeat({ payload: { runner: auditor, leases: [work.lease] } }),
        ({ leases }) => leases[0]!
      )
      yield* begun(max_ms - 15_000)
      const last = yield* beat
      const left_ms = Date.parse("expires_at" in last ? last.expires_at : "") - Date.now()
      assert.isAbove(left_ms, 0)
      assert.isAtMost(left_ms, 15_000)
      yield* begun(max_ms)
      assert.deepStrictEqual(yield* beat, { lease: work.lease, lost: true })
      yield* sql`UPDATE match_audit SET until = now() WHERE match_id = ${match!.match_id}`
      const again = yield* leaseAudit(other.client, yield* other.open(["audit"]))
      assert.strictEqual(again.lease, work.lease.replace(/1$/, "2"))
      assert.deepStrictEqual(yield* beat, { lease: work.lease, lost: true })
      assert.deepStrictEqual(yield* say(other.client, again, played(again).replay.state_sha256), { accepted: true })
    })
)

inService(
  "a runner that answers after its lease ran out, before anybody else came, is heard all the same",
  { replay_check: 0, audit: 1 },
  () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("plays")
      yield* seasonOf("late", fleet)
      const [match] = yield* playMatches(fleet.client, yield* fleet.open(["match"]), 1)
      const [one, two] = [yield* keyed("one", fleet.admin), yield* keyed("two", fleet.admin)]
      const work = yield* leaseAudit(one.client, yield* one.open(["audit"]))
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE match_audit SET until = now() - interval '1 second' WHERE match_id = ${match!.match_id}`
      yield* untilSuccess(Effect.flatMap(verdictOf(match!.match_id), (audit) => holds("its lease has run out", audit?.state === "waiting")))
      const wrong = "0".repeat(64)
      assert.deepStrictEqual(yield* say(one.client, work, wrong), { accepted: true })
      assert.deepStrictEqual(yield* say(one.client, work, wrong), { accepted: true })
      const [audit] = yield* sql`SELECT state, doubter_sha256 FROM match_audit WHERE match_id = ${match!.match_id}`
      assert.deepStrictEqual(audit, { state: "waiting", doubter_sha256: wrong })
      const second = yield* leaseAudit(two.client, yield* two.open(["audit"]))
      assert.deepStrictEqual(yield* say(two.client, second, wrong), { accepted: true })
      assert.deepStrictEqual(yield* verdictOf(match!.match_id), { state: "done", verdict: "report_wrong" })
    })
)

inService("a runner that lost one audit on the way keeps the one that it is given instead", { replay_check: 0, audit: 1 }, () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("plays")
    yield* seasonOf("lost", fleet)
    yield* playMatches(fleet.client, yield* fleet.open(["match"]), 2)
    const { client, open } = yield* keyed("other", fleet.admin)
    const auditor = yield* open(["audit"])
    const lost = yield* leaseAudit(client, auditor)
    const { leases } = yield* client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 20, holds: [] } })
    const [given] = leases.filter(isAudit)
    assert.notStrictEqual(given!.match_id, lost.match_id)
    const { runners } = yield* fleet.admin.fleet.runners({ query: { limit: 100, cursor: 0 } })
    assert.strictEqual(runners.find(({ id }) => id === auditor)!.leases, 1)
    const held = yield* client.runner.heartbeat({ payload: { runner: auditor, leases: [given!.lease, lost.lease] } })
    assert.deepStrictEqual(
      held.leases.map((each) => "lost" in each),
      [false, true]
    )
    assert.deepStrictEqual(yield* say(client, given!, played(given!).replay.state_sha256), { accepted: true })
    assert.deepStrictEqual(yield* verdictOf(given!.match_id), { state: "done", verdict: "agreed" })
  })
)

inService("what a revoked key was playing again goes back at once, to another runner", { replay_check: 0, audit: 1 }, () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("plays")
    yield* seasonOf("revoked", fleet)
    yield* playMatches(fleet.client, yield* fleet.open(["match"]), 1)
    const gone = yield* keyed("gone", fleet.admin)
    const work = yield* leaseAudit(gone.client, yield* gone.open(["audit"]))
    yield* fleet.admin.fleet.revokeKey({ params: { key: gone.key } })
    const other = yield* keyed("other", fleet.admin)
    const { leases } = yield* other.client.runner.lease({ payload: { runner: yield* other.open(["audit"]), max: 1, wait_s: 10 } })
    assert.deepStrictEqual(
      leases.map(({ lease }) => lease),
      [work.lease.replace(/1$/, "2")]
    )
  })
)

for (const { lies, verdict } of [
  { lies: "player", verdict: "report_wrong" },
  { lies: "auditor", verdict: "doubter_wrong" }
]) {
  inService(`where two runners differ a third decides: the ${lies} was wrong`, { replay_check: 0, audit: 1 }, () =>
    Effect.gen(function* () {
      const fleet = yield* keyed(verdict)
      yield* seasonOf("third", fleet)
      const player = yield* fleet.open(["match"])
      const wrong = "0".repeat(64)
      const { leases } = yield* fleet.client.runner.lease({ payload: { runner: player, max: 1, wait_s: 10 } })
      const [match] = leases.filter(isMatch)
      yield* report(fleet.client, match!, lies === "player" ? { told: (told) => ({ ...told, state_sha256: wrong }) } : {})
      const [one, two] = [yield* keyed("one", fleet.admin), yield* keyed("two", fleet.admin)]
      const auditor = yield* one.open(["audit"])
      const third = yield* two.open(["audit"])
      const first = yield* leaseAudit(one.client, auditor)
      const truth = played(first).replay.state_sha256
      assert.deepStrictEqual(yield* say(one.client, first, lies === "auditor" ? wrong : truth), { accepted: true })
      assert.strictEqual((yield* matchOf(match!.match_id)).status, "rated")
      const again = yield* one.client.runner.lease({ payload: { runner: yield* one.open(["audit"]), max: 1, wait_s: 0 } })
      assert.deepStrictEqual(again.leases, []) // not by another session of the key that doubts
      const second = yield* leaseAudit(two.client, third)
      assert.deepStrictEqual(yield* say(two.client, second, truth), { accepted: true })
      assert.deepStrictEqual(yield* verdictOf(match!.match_id), { state: "done", verdict })
      assert.strictEqual((yield* matchOf(match!.match_id)).status, lies === "player" ? "failed" : "rated")
      const flags = [yield* flaggedOf(player), yield* flaggedOf(auditor), yield* flaggedOf(third)]
      assert.deepStrictEqual(flags, [lies === "player", lies === "auditor", false])
    })
  )
}

inService("the time in which the service was away is none in which a third runner did not come", { replay_check: 0, audit: 1 }, () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("plays")
    yield* seasonOf("away", fleet)
    const player = yield* fleet.open(["match"])
    const [match] = yield* playMatches(fleet.client, player, 1)
    const [one, two] = [yield* keyed("one", fleet.admin), yield* keyed("two", fleet.admin)]
    const [auditor, third] = [yield* one.open(["audit"]), yield* two.open(["audit"])]
    const first = yield* leaseAudit(one.client, auditor)
    const truth = played(first).replay.state_sha256
    yield* say(one.client, first, "0".repeat(64))
    const sql = yield* PgClient.PgClient
    yield* sql`UPDATE match_audit SET created_at = created_at - interval '61 minutes' WHERE match_id = ${match!.match_id}`
    yield* Effect.flatMap(ReplayAudits, ({ look }) => look) // of a service that has just started
    assert.deepStrictEqual(yield* verdictOf(match!.match_id), { state: "waiting", verdict: null })
    assert.deepStrictEqual(yield* say(two.client, yield* leaseAudit(two.client, third), truth), { accepted: true })
    assert.deepStrictEqual(yield* verdictOf(match!.match_id), { state: "done", verdict: "doubter_wrong" })
    assert.strictEqual((yield* matchOf(match!.match_id)).status, "rated")
    assert.deepStrictEqual([yield* flaggedOf(player), yield* flaggedOf(auditor), yield* flaggedOf(third)], [false, true, false])
  })
)
