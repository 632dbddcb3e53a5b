/**
 * Two seasons played side by side, command by command, on PostgreSQL and beside it in memory: the tables
 * must hold of each what the memory holds, whatever the other season does. A little of everything that a
 * season's store writes happens in both.
 */

import { ranksOf } from "@agon/domain/match/Outcome.ts"
import type { Command, Of, ReplyTo, Work } from "@agon/domain/season/Command.ts"
import type { Event } from "@agon/domain/season/Event.ts"
import { isDirty } from "@agon/domain/season/isDirty.ts"
import { laddersRated } from "@agon/domain/season/Rules.ts"
import { begin } from "@agon/domain/season/rating/Fold.ts"
import { TAIL_MATCHES_MAX } from "@agon/domain/season/rating/Installing.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore, type Snapshot, type State, snapshot } from "@agon/domain/season/State.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import type { Fence, SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { board, id, lease, report, submit } from "../support/SeasonScript.ts"
import { FIRST, offsetOf, prefixOf, SECOND } from "./ground.ts"

type Store = SeasonStore["Service"]

interface Incarnation {
  readonly store: Store
  state: State
  fence: Fence
}

export interface Stores {
  readonly tables: Store
  readonly memory: Store
}

/** One of the two seasons, in the tables and in memory. */
export interface Side {
  readonly season: string
  readonly prefix: string
  readonly n: (of: number) => number
  readonly stores: Stores
  readonly incarnations: Array<Incarnation>
  now: number
  readonly events: Array<Event>
  readonly done: Array<string> // leases of work that has ended
}

export const sideOf = (stores: Stores, season: string): Side => ({
  ...{ season, prefix: prefixOf(season), stores, incarnations: [], now: 2_000, events: [], done: [] },
  n: (of) => of + offsetOf(season)
})

/** Rows have no order. */
const sorted = (rows: Snapshot) =>
  Object.fromEntries(
    Object.entries(rows).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((row) => JSON.stringify(row, keysOf(row))).sort() : value
    ])
  )
/** Of a row and of what is in it. */
const keysOf = (row: object): Array<string> => {
  const keys = new Set<string>()
  JSON.stringify(row, (key, value) => {
    keys.add(key)
    return value
  })
  return [...keys].sort()
}

const claim = (side: Side) =>
  Effect.gen(function* () {
    const { memory, tables } = side.stores
    for (const [i, store] of [tables, memory].entries()) {
      const { fence, name, snapshot } = yield* store.claim(side.season)
      assert.strictEqual(name.id, side.season)
      side.incarnations[i] = { store, fence, state: restore(snapshot) }
    }
    const [one, other] = side.incarnations.map(({ state }) => sorted(snapshot(state)))
    assert.deepStrictEqual(one, other, "a claim of the tables reads what one of the memory does")
  })

/** The commands are one batch and one commit; both answer the same. */
const obeyAs = <C extends Command>(side: Side, commandsOf: (incarnation: Incarnation) => Effect.Effect<ReadonlyArray<C>, unknown>) =>
  Effect.gen(function* () {
    side.now += 10
    const replies: Array<ReadonlyArray<ReplyTo<C>>> = []
    for (const [i, incarnation] of side.incarnations.entries()) {
      const commands = yield* commandsOf(incarnation)
      replies.push(commands.map((command) => step(incarnation.state, command, side.now) as ReplyTo<C>))
      if (i === 0) side.events.push(...incarnation.state.events)
      if (isDirty(incarnation.state)) incarnation.fence = yield* incarnation.store.commit(incarnation.fence, incarnation.state)
      committed(incarnation.state)
    }
    assert.deepStrictEqual(replies[0], replies[1], "a season in the tables answers as one in memory")
    return replies[0]!
  })

const obey = <C extends Command>(side: Side, commands: ReadonlyArray<C>) => obeyAs(side, () => Effect.succeed(commands))

const leaseSome = (side: Side, change: Parameters<typeof lease>[0]) => Effect.map(obey(side, [lease(change)]), ([works]) => works!)

/** Each is accepted; the winner changes from one to the next. */
const finish = (side: Side, works: ReadonlyArray<Work>, struck?: number) =>
  Effect.gen(function* () {
    if (works.length === 0) return
    const reports = works.map((work, i) => report(work, id("key", 1), i % 2))
    const replies = yield* obey(side, struck === undefined ? reports : reports.map((command) => striking(command, struck)))
    for (const reply of replies) assert.deepStrictEqual(reply, { accepted: true })
    side.done.push(...works.map((work) => work.lease))
  })

/** The same result with this seat at the strike limit. */
const striking = (command: ReturnType<typeof report>, struck: number): ReturnType<typeof report> => {
  if (command._tag !== "ReportMatch") return command
  const scores = command.outcome.seats.map(({ score }) => score)
  const forfeits = scores.map((_, seat) => seat === struck)
  const ranks = ranksOf(scores, forfeits)
  const seats = scores.map((score, seat) => ({ score, rank: ranks[seat]!, strikes: forfeits[seat] ? 3 : 0 }))
  return { ...command, outcome: { ...command.outcome, seats } }
}

const play = (side: Side, times: number, max = 4) =>
  Effect.gen(function* () {
    for (let i = 0; i < times; i++) yield* finish(side, yield* leaseSome(side, { max }), i === 2 ? 1 : undefined)
  })

const audit = (side: Side, n: number) =>
  ({ id: id("audit", side.n(n)), actor: null, action: "season.edit", subject: "x", detail: { n } }) as const
const own = (side: Side, n: number, change: Partial<Of<"SubmitVersion">> = {}) => {
  const k = side.n(n)
  return submit(k, { weights_hash: `sha256:w${n}`, manifest_hash: `sha256:m${n}`, model: id("model", k), owner: id("owner", k), ...change })
}
const next = (side: Side, model: number, number: number, as: number) =>
  own(side, model, { version: id("version", side.n(as)), number, weights_hash: `sha256:w${as}` })

const tick = (side: Side, ms: number) => {
  side.now += ms
  return obey(side, [{ _tag: "Tick" }])
}

const enter = (side: Side) =>
  Effect.gen(function* () {
    const [rejected, failed, ...rest] = yield* leaseSome(side, { max: 20, matches: false })
    const lease = (work: Work | undefined) => ({ key: id("key", 1), lease: work!.lease })
    yield* obey(side, [
      { _tag: "Heartbeat", key: id("key", 1), leases: [rest[0]!.lease] },
      { _tag: "ReportAdmission", ...lease(failed), verdict: { verdict: "failed", runtime_version: "x", detail: "it broke" } as any },
      {
        _tag: "ReportAdmission",
        ...lease(rejected),
        verdict: { verdict: "rejected", runtime_version: "x", reject_reason: "too_slow", reject_detail: "y" }
      }
    ])
    yield* claim(side)
    yield* finish(side, rest)
    yield* finish(side, yield* leaseSome(side, { max: 20, matches: false }))
    yield* obey(side, [{ _tag: "SwitchBaseline", version: id("version", side.n(24)), enabled: true, audit: audit(side, 9) }])
    const trials = yield* leaseSome(side, { max: 20, admissions: false })
    yield* finish(side, trials.slice(0, 2), 0)
    yield* finish(side, trials.slice(2))
    yield* play(side, 3, 20)
  })

const lose = (side: Side) =>
  Effect.gen(function* () {
    const other = { runner: id("runner", 2), key: id("key", 2) }
    const [one] = yield* leaseSome(side, { max: 1 })
    const [two] = yield* leaseSome(side, { ...other, max: 1 })
    yield* obey(side, [
      { _tag: "Release", key: id("key", 1), lease: one!.lease },
      { _tag: "RevokeKey", key: other.key, audit: audit(side, 8) }
    ])
    const [three] = yield* leaseSome(side, { max: 1 })
    yield* obey(side, [{ _tag: "Heartbeat", key: id("key", 1), leases: [three!.lease] }])
    yield* tick(side, 31_000)
    const [four] = yield* leaseSome(side, { max: 1 })
    yield* obey(side, [
      {
        _tag: "ReportFault",
        key: id("key", 1),
        lease: four!.lease,
        fault_reason: "engine_fault",
        detail: "it broke"
      }
    ])
    side.done.push(two!.lease, four!.lease)
  })

const supersede = (side: Side, model: number, number: number, as: number) =>
  Effect.gen(function* () {
    const held = yield* leaseSome(side, { max: 3 })
    yield* obey(side, [next(side, model, number, as)])
    yield* finish(side, yield* leaseSome(side, { matches: false }))
    yield* finish(side, yield* leaseSome(side, { max: 2, admissions: false }))
    yield* finish(side, yield* leaseSome(side, { max: 2, admissions: false }))
    yield* claim(side)
    yield* finish(side, held)
  })

const round = (side: Side) =>
  Effect.gen(function* () {
    yield* obey(side, [{ _tag: "PlanRound", kind: "round", games: 3, starts_at: side.now + 100, audit: audit(side, 2) }])
    yield* obey(side, [{ _tag: "PlanRound", kind: "finals", games: 1, starts_at: side.now + 10_000_000 }])
    yield* obey(side, [{ _tag: "PatchRound", n: 2, games: 2, withdrawn: true }])
    const held = yield* leaseSome(side, { max: 1 })
    yield* tick(side, 100)
    yield* finish(side, held)
  })

const voided = (side: Side, which: (rated: ReadonlyArray<string>) => string | undefined, n: number) =>
  Effect.gen(function* () {
    const rated = side.events.flatMap((event) => (event._tag === "MatchRated" ? [event.match] : []))
    const match = which(rated)!
    const [reply] = yield* obeyAs(side, ({ store }) =>
      Effect.map(store.log.ended(side.season, [match]), ([found]) => [
        { _tag: "VoidMatch" as const, match, detail: "It was not so.", found: found!, audit: audit(side, n) }
      ])
    )
    assert.deepStrictEqual(reply, { voided: true })
  })

/** All of the log is the tail: the commit writes the changes by it. */
const folded = (side: Side) =>
  Effect.gen(function* () {
    const [reply] = yield* obeyAs(side, ({ state, store: { log } }) =>
      Effect.gen(function* () {
        const waiting = [...state.voiding.values()]
        const fold = begin(yield* log.place(side.season, Math.min(...waiting.map(({ round }) => round))), [])
        const seated = [...new Set(waiting.flatMap(({ versions }) => versions))]
        const ladders = [...new Set(waiting.flatMap(({ ladder }) => laddersRated(ladder)))]
        const earlier = (yield* Effect.forEach(ladders, (ladder) =>
          log.earlier(side.season, ladder, seated, fold.after, state.put_back)
        )).flat()
        const tail = yield* log.page(side.season, fold, TAIL_MATCHES_MAX, true)
        const versions = [...tail.matches.flatMap(({ seats }) => seats.map(({ version }) => version)), ...seated]
        const rows = { tail, left: yield* log.left(side.season, [...new Set(versions)]) }
        return [{ _tag: "InstallFold" as const, fold, voiding: new Set(state.voiding.keys()), earlier, tail_max: TAIL_MATCHES_MAX, rows }]
      })
    )
    assert.deepStrictEqual(reply, { installed: true, stale: false })
  })

const close = (side: Side) =>
  Effect.gen(function* () {
    yield* obey(side, [own(side, 12)])
    yield* finish(side, yield* leaseSome(side, { matches: false }))
    const held = yield* leaseSome(side, { max: 3, admissions: false })
    assert.isTrue(held.some((work) => work.kind === "match" && work.is_trial))
    yield* obey(side, [{ _tag: "CloseSeason", audit: audit(side, 4) }])
    yield* claim(side) // with a rejected candidate in a match that is still being played
    yield* finish(side, held)
    for (const { state, store } of side.incarnations) {
      assert.strictEqual(state.phase, "closed")
      assert.strictEqual((yield* Effect.flip(store.claim(side.season)))._tag, "SeasonClosed")
    }
  })

/** A question about one season is not answered from another's rows. */
const answers = (side: Side) =>
  Effect.gen(function* () {
    const { memory, tables } = side.stores
    for (const name of side.done.splice(0)) {
      for (const season of [FIRST, SECOND]) {
        const [one, two] = [yield* tables.answerOf(season, name, id("key", 1)), yield* memory.answerOf(season, name, id("key", 1))]
        assert.deepStrictEqual(one, two)
      }
    }
  })

/** In the order in which they happen, to the first season and then to the second. */
const ACTS: ReadonlyArray<(side: Side) => Effect.Effect<unknown, unknown>> = [
  claim,
  (side) => obey(side, [...board("plain"), ...board("four", 4), ...board("spare")]),
  (side) => obey(side, [{ _tag: "SwitchBoard", board: "spare", enabled: false, audit: audit(side, 1) }]),
  (side) =>
    obey(
      side,
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => own(side, n))
    ),
  (side) => obey(side, [own(side, 24, { owner: null, model: id("model", 9_000 + (side.n(1) % 30)) })]),
  (side) => obey(side, [own(side, 10, { files: null }), own(side, 11, { files: null })]),
  (side) =>
    obey(side, [
      { _tag: "RejectFiles", version: id("version", side.n(10)), reject_reason: "hash_mismatch", reject_detail: "They differ." }
    ]),
  (side) => obey(side, [{ _tag: "ReceiveFiles", version: id("version", side.n(11)), weights_bytes: 5, manifest_bytes: 5 }]),
  claim,
  enter,
  claim,
  (side) => play(side, 4),
  answers,
  (side) => obey(side, [{ _tag: "SwitchBaseline", version: id("version", side.n(24)), enabled: false }]),
  claim,
  lose,
  (side) => obey(side, [own(side, 15, { files: null })]),
  (side) => tick(side, side.incarnations[0]!.state.settings.rules.upload_window_s * 1_000),
  (side) => supersede(side, 4, 2, 13),
  (side) =>
    obey(side, [
      { _tag: "EditSettings", settings: { fill: { enabled: true, max_per_hour: 9 } }, scheduledOnly: false, audit: audit(side, 3) }
    ]),
  (side) => play(side, 2),
  (side) => voided(side, (rated) => rated.at(-3), 5),
  claim,
  folded,
  round,
  (side) => play(side, 2),
  (side) => supersede(side, 6, 2, 14),
  claim,
  (side) => play(side, 2),
  (side) => tick(side, 70_000),
  (side) => voided(side, (rated) => rated.at(-4), 6),
  (side) => voided(side, (rated) => rated[2], 7),
  claim,
  folded,
  (side) => play(side, 1),
  claim,
  answers,
  close
]

/** Plays both; `look` at each after every act of both. */
export const run = (sides: readonly [Side, Side], look: (side: Side) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    for (const act of ACTS) {
      for (const side of sides) yield* act(side)
      for (const side of sides) yield* look(side)
    }
  })
