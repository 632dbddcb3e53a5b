/**
 * One season on stage: its actor, its auditor, its people, and the ways to ask, to let time pass and to make
 * trouble. A promise may be broken where an exception would only make the actor reload: it is kept in
 * `broken` until somebody looks.
 */

import type { Command, Receipt, Reply } from "@agon/domain/season/Command.ts"
import { freshHead } from "@agon/domain/season/Head.ts"
import { isDirty } from "@agon/domain/season/isDirty.ts"
import type { Mailbox } from "@agon/server/actor/Mailbox.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { Clock, Effect, Exit, Fiber } from "effect"
import * as HostClock from "../../support/HostClock.ts"
import * as Auditor from "../Auditor.ts"
import { must } from "../audit/Promise.ts"
import { open } from "../audit/Window.ts"
import { EMPTY } from "../View.ts"
import * as Administrators from "./Administrators.ts"
import * as Chance from "./Chance.ts"
import * as Examiners from "./Examiners.ts"
import * as Faults from "./Faults.ts"
import * as People from "./People.ts"
import type * as Profile from "./Profile.ts"
import { count, type Run } from "./Run.ts"
import * as Runners from "./Runners.ts"
import * as Tally from "./Tally.ts"
import * as Twin from "./Twin.ts"
import { silent, type Visit } from "./Visit.ts"
import * as WorldClock from "./WorldClock.ts"

export interface Stage {
  readonly run: Run
  readonly profile: Profile.Profile
  readonly auditor: Auditor.Auditor
  readonly people: People.People
  readonly administrators: Administrators.Administrators
  readonly examiners: Examiners.Examiners
  readonly runners: Runners.Runners
  readonly tally: Tally.Tally
  readonly host: HostClock.HostClock
  readonly mailbox: Mailbox
  readonly store: SeasonStore["Service"]
  readonly faults: Faults.Faults
  /** Its own draws, for what was added to the world later: the course of seeds that were known before stays. */
  readonly lot: Chance.Chance
  /** The same for what is delivered twice, and for a store that goes away. */
  readonly twice: Chance.Chance
  readonly away: Chance.Chance
  broken: unknown
  actor: Fiber.Fiber<unknown, unknown>
}

const JOURNAL = 40
/** Share of the steps in which a season is told how far its field lies apart. */
const LEARNED = 0.03
/**
 * Share of the steps in which a message to the season is delivered twice, as the cluster does where a
 * connection is lost, and after how long.
 */
const TWICE = 0.06
const AGAIN_MS = [0, 1, 60, 400] as const
/** Longer than a season takes to be back. */
const TWICE_WAIT_MS = 1_000
/**
 * Share of the steps in which the store goes away for minutes, how long that is at most, and
 * how much of it a step takes.
 */
const AWAY = 0.002
const AWAY_MS_MAX = 600_000
const AWAY_STEP_MS = 60_000
/** Share of the steps of a crowded run in which a fold is slow, if anything is voided. */
const CROWDED = 0.1

export const make = Effect.fnUntraced(function* (run: Run, profile: Profile.Profile) {
  const { chance, ground } = run
  const store = yield* SeasonStore
  const look: Effect.Effect<void> = Effect.suspend(() => see(stage))
  const lot = Chance.make(run.seed * 15_485_863 + run.seasons)
  const stage: Stage = {
    run,
    profile,
    auditor: Auditor.make(EMPTY(profile.settings, freshHead())),
    people: People.make(chance, profile, run.numbers),
    administrators: Administrators.make(chance, profile, run),
    examiners: Examiners.make(chance, lot),
    lot,
    twice: Chance.make(run.seed * 32_452_843 + run.seasons),
    away: Chance.make(run.seed * 49_979_687 + run.seasons),
    runners: Runners.make(chance, profile.settings.rules.match.strike_limit, profile.sick),
    tally: Tally.make(run.seen),
    host: yield* HostClock.make,
    mailbox: yield* run.actor.Mailbox.make(profile.season),
    store,
    faults: Faults.make(profile.season, store, run.seen, {
      outside: ground.outside,
      written: look,
      world: () => stage.host.world(),
      claimed: (epoch) => stage.auditor.claimed(epoch, stage.host.nowUnsafe()),
      committed: (epoch) => audited(stage, () => stage.auditor.fenced(epoch)),
      published: () => audited(stage, () => stage.auditor.published())
    }),
    broken: undefined,
    actor: yield* Effect.forkScoped(Effect.void)
  }
  yield* ground.create(profile.season, profile.settings)
  yield* cast(stage)
  return stage
})

/** An actor takes the stage. */
const cast = Effect.fnUntraced(function* (stage: Stage) {
  stage.actor = yield* stage.run.actor.SeasonActor.supervised(stage.mailbox).pipe(
    Effect.provideService(SeasonStore, stage.faults.store),
    Effect.provide(stage.faults.listener),
    Effect.provideService(Clock.Clock, stage.host.clock),
    Effect.forkScoped
  )
  yield* settle(stage, 0)
})

const audited = (stage: Stage, check: () => void): void => {
  try {
    check()
  } catch (cause) {
    stage.broken ??= cause
  }
}

/** The auditor looks at the rows. */
const see = (stage: Stage): Effect.Effect<void> =>
  stage.run.ground.read(stage.profile.season, stage.auditor.known()).pipe(
    Effect.tap((view) =>
      Effect.sync(() => {
        const { installed, rescaled } = open(stage.auditor.rows(), view, stage.auditor.log, [], null)
        if (installed.length > 0) count(stage.run.seen, installed.length > 1 ? "several voids installed" : "void installed")
        if (rescaled !== null) count(stage.run.seen, installed.length > 0 ? "starts and void installed" : "starts installed")
        for (const match of view.ended) count(stage.run.seen, `match ${match.fault_reason ?? match.withdrawn_reason ?? match.ending}`)
        audited(stage, () => stage.auditor.committed(view))
      })
    ),
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.sync(() => void (stage.broken ??= new Error(`the rows could not be read: ${cause}`))))
  )

/** Everything that can happen now has happened; a database is waited for while time stands still. */
const quiet = ({ run }: Stage): Effect.Effect<void> => {
  const { outside } = run.ground
  return outside === undefined ? WorldClock.still : Effect.repeat(Effect.andThen(WorldClock.still, outside.next), { while: (made) => made })
}

const still = Effect.fnUntraced(function* (stage: Stage) {
  yield* quiet(stage)
  const broken = stage.broken ?? stage.run.beside?.broken
  if (broken !== undefined) yield* Effect.die(broken)
})

export const settle = Effect.fnUntraced(function* (stage: Stage, ms: number) {
  yield* still(stage)
  if (ms <= 0) return
  yield* WorldClock.pass(ms, quiet(stage))
  yield* still(stage)
})

/** As SeasonCalls of the service does: results whose work is no longer open are answered from the rows. */
const deliver = Effect.fnUntraced(function* ({ faults, mailbox, profile, run }: Stage, commands: ReadonlyArray<Command>) {
  const replies = yield* run.actor.Mailbox.askAll(mailbox, commands).pipe(Effect.catchTag("SeasonClosed", () => Effect.undefined))
  const final: Array<Reply | undefined> = []
  for (const [i, command] of commands.entries()) {
    const reply = replies?.[i]
    const open = reply != null && !("reason" in reply && reply.reason === "unknown")
    const result = command._tag === "ReportMatch" || command._tag === "ReportFault" || command._tag === "ReportAdmission"
    final.push(result && !open ? yield* faults.store.answerOf(profile.season, command.lease, command.key) : reply)
    if (result) count(run.seen, `result ${receiptOf(final[i] as Receipt)}`)
  }
  return final
})
const receiptOf = (receipt: Receipt): string => (receipt.accepted ? "accepted" : receipt.reason)

/** The season's time: its host's clock, or where that went back what it was before. */
export const now = ({ host }: Stage): Effect.Effect<number> => Effect.map(host.now, () => host.latest_ms)

/** Longer than an actor waits for a claim that hangs. */
const CLAIMED_MS = 31_000

/**
 * The host's clock is put right, as far as the season's time lets it, and an actor that
 * hangs in its claim gives that up.
 */
export const steady = Effect.fnUntraced(function* (stage: Stage) {
  const { faults, host, mailbox } = stage
  faults.plan.clear()
  faults.away_until = 0
  host.ahead_ms = Math.max(0, host.latest_ms - (yield* Clock.currentTimeMillis))
  if (mailbox.state === "starting") yield* settle(stage, CLAIMED_MS)
})

/** The first answer, or that there is none, is lost with the connection. */
const deliverAgain = (stage: Stage, commands: ReadonlyArray<Command>, again_ms: number) =>
  Effect.exit(deliver(stage, commands)).pipe(
    Effect.andThen(Effect.sleep(again_ms)),
    Effect.andThen(
      Effect.suspend(() => {
        count(stage.run.seen, "delivered twice")
        for (const command of commands) stage.auditor.again(command)
        return deliver(stage, commands)
      })
    )
  )

const call = (stage: Stage, { again_ms, commands, heard }: Visit) => {
  const { auditor, profile, run, tally } = stage
  const lost = run.chance.in(profile.trouble / 2)
  const delivered = again_ms === undefined ? deliver(stage, commands) : deliverAgain(stage, commands, again_ms)
  return Effect.zipWith(delivered, now(stage), (replies, at) => {
    count(run.seen, lost ? "reply lost" : "answered")
    if (lost) return
    audited(stage, () => {
      commands.forEach((command, i) => {
        if (replies[i] === undefined) return
        tally.told(command, replies[i])
        auditor.told(command, replies[i], at)
      })
      heard(commands, replies, again_ms !== undefined)
    })
  })
}

const later = <A, E>({ after_ms }: Visit, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  after_ms === undefined ? call : Effect.delay(call, after_ms)

/** Asks together, so that visits share a batch; `ms` later every one of them must have been answered. */
const say = Effect.fnUntraced(function* (
  stage: Stage,
  visits: ReadonlyArray<Visit>,
  ms: number,
  meanwhile: Effect.Effect<unknown> = Effect.void
) {
  const { auditor, faults, host, mailbox, run, tally } = stage
  const at = yield* host.now
  for (const { as, commands } of visits) {
    if (as !== undefined) count(run.seen, as)
    for (const command of commands) {
      auditor.asked(command)
      tally.asked(command, at)
    }
    const { step } = run
    run.journal.push(() => `${step} @${at} ${run.isNeighbour ? "beside: " : ""}${JSON.stringify(commands)}`)
  }
  run.journal.splice(0, run.journal.length - JOURNAL)
  const callers = yield* Effect.forEach(visits, (visit) => Effect.forkChild(later(visit, call(stage, visit))))
  yield* still(stage)
  forget(stage)
  yield* meanwhile
  yield* settle(stage, ms)
  for (const [i, caller] of callers.entries()) {
    const exit = caller.pollUnsafe()
    must(exit !== undefined, "nobody waits for ever", visits[i]!.commands)
    if (Exit.isFailure(exit!)) count(run.seen, "unavailable")
  }
  if (mailbox.state === "running" && faults.late === 0 && faults.busy === 0) auditor.punctual(yield* host.now)
  auditor.stepped()
})

/** A call that hangs later in the step would outlast it. */
const forget = ({ faults: { plan } }: Stage): void => {
  for (const [point, what] of plan) if (what === "hung" && point !== "claim") plan.delete(point)
}

/** After an actor has died, its last state plays on beside one restored from the rows; then it is hosted again. */
const hosted = Effect.fnUntraced(function* (stage: Stage) {
  const { actor, auditor, faults, profile, run, store } = stage
  const exit = actor.pollUnsafe()
  if (exit === undefined) return
  must(mayEnd(exit), "a season that fails is tried again, until another has it", exit)
  const last = faults.clean
  faults.clean = undefined
  if (last !== undefined && !isDirty(last) && last.phase !== "closed") {
    const { snapshot } = yield* Effect.orDie(store.claim(profile.season))
    Twin.playOn(run.actor, last, snapshot, Chance.make(run.seed * 7_919 + run.step)) // its own: whether there is a twin is a matter of timing
    count(run.seen, "twins")
  }
  if (auditor.rows().head.phase !== "closed") yield* cast(stage)
})

/** Killed, fenced, or closed. */
const mayEnd = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isSuccess(exit) ||
  Exit.hasInterrupts(exit) ||
  exit.cause.reasons.every((reason) => reason._tag === "Fail" && (reason.error as { readonly _tag?: unknown })._tag === "Fenced")

/** Says something while nothing goes wrong. */
export const calmly = (stage: Stage, visits: ReadonlyArray<Visit>, ms: number) =>
  Effect.suspend(() => {
    stage.faults.plan.clear()
    return Effect.andThen(say(stage, visits, ms), hosted(stage))
  })

/** Says something while the season's actor is killed; afterwards another one has the season. */
export const killed = (stage: Stage, visits: ReadonlyArray<Visit>, ms: number) =>
  Effect.suspend(() => {
    stage.faults.plan.clear()
    return Effect.andThen(say(stage, visits, ms, Fiber.interrupt(stage.actor)), hosted(stage))
  })

/** One step in which anything may happen. */
export const trouble = Effect.fnUntraced(function* (stage: Stage) {
  const { administrators, auditor, examiners, people, run, runners } = stage
  const { chance } = run
  const { meanwhile, wait_ms } = yield* misfortune(stage)
  const examined = ["log", "fold", "rewrite"].some((point) => stage.faults.plan.has(point as Faults.Point)) ? 1 : stage.profile.examined // a log is read for those who examine
  const visits = Array.from({ length: chance.between(1, 3) }, () => (chance.in(0.12) ? people.competitor(auditor.rows()) : runners.visit()))
  if (chance.in(0.04)) {
    const command = administrators.command(auditor.rows(), yield* now(stage), runners.keys())
    if (command._tag === "RevokeKey") runners.rekey(command.key)
    if (command._tag === "CloseSeason") count(run.seen, "closed in the middle")
    // A request under a key comes after it was revoked: so does all that waits behind it in the mailbox.
    visits.splice(command._tag === "RevokeKey" ? 0 : chance.between(0, visits.length), 0, silent(command))
  }
  if (chance.in(examined)) visits.splice(chance.between(0, visits.length), 0, examiners.visit(auditor.log, auditor.rows()))
  if (stage.lot.in(LEARNED)) visits.splice(stage.lot.between(0, visits.length), 0, silent(examiners.learned(auditor.rows())))
  if (stage.faults.plan.get("fold") === "slow") visits.push(...Faults.CROWD_MS.map((after_ms) => ({ ...runners.visit(), after_ms })))
  const isTwice = stage.twice.in(TWICE)
  if (isTwice) {
    const which = stage.twice.between(0, visits.length - 1)
    visits[which] = { ...visits[which]!, again_ms: stage.twice.pick(AGAIN_MS) }
  }
  const away_ms = yield* absence(stage)
  yield* say(stage, visits, away_ms + wait_ms + (isTwice ? TWICE_WAIT_MS : 60) + pause(chance), meanwhile)
  yield* hosted(stage)
})

/** Now and then the store goes away. While it is, people ask on, now and then. */
const absence = Effect.fnUntraced(function* ({ away, faults, run }: Stage) {
  const world = yield* Clock.currentTimeMillis
  if (world >= faults.away_until) {
    if (!away.in(AWAY)) return 0
    count(run.seen, "store away")
    const { step } = run
    run.journal.push(() => `${step} the store goes away`)
    faults.away_until = world + away.between(1_000, AWAY_MS_MAX)
  }
  return away.between(0, AWAY_STEP_MS)
})

/** The fault of this step, if there is one: of the store, the listener, the actor, its epoch or its host's clock. */
const misfortune = Effect.fnUntraced(function* ({ actor, auditor, faults, host, profile, run }: Stage) {
  const { chance, seen } = run
  const bad = chance.next() / profile.trouble
  let [meanwhile, wait_ms]: [Effect.Effect<unknown>, number] = [Effect.void, 0]
  faults.plan.clear()
  if (bad >= 1.5) {
    if (!run.crowded || !chance.in(CROWDED)) return { meanwhile, wait_ms }
    faults.plan.set("fold", "slow")
    return { meanwhile, wait_ms: Faults.CROWD_WAIT_MS }
  }
  count(seen, "faults")
  if (bad < 1) {
    const drawn = chance.pick(Faults.MISFORTUNES)
    wait_ms = drawn.wait_ms
    faults.plan.set(drawn.point, drawn.what)
    const { step } = run
    run.journal.push(() => `${step} ${drawn.what} at ${drawn.point}`)
    if (drawn.point.startsWith("claim")) faults.plan.set("commit", "refused") // or nobody would claim
  } else if (bad < 1.2) {
    count(seen, "killed between two batches")
    meanwhile = Effect.suspend(() => Fiber.interrupt(actor))
  } else if (bad < 1.35) {
    count(seen, "epoch stolen between two batches")
    yield* faults.steal
  } else if (auditor.rows().head.phase === "open") {
    const jump_ms = chance.in(0.5) ? chance.between(1, 600_000) : -chance.between(1, 90_000)
    count(seen, jump_ms > 0 ? "clock forward" : "clock back")
    host.ahead_ms += jump_ms
  }
  return { meanwhile, wait_ms }
})

/** Mostly moments; now and then longer than a lease, once in a while hours. */
const pause = (chance: Chance.Chance): number => {
  if (chance.in(0.004)) return chance.between(600_000, 8_000_000)
  return chance.in(0.08) ? chance.between(3_000, 45_000) : chance.between(0, 3_000)
}

export const leave = Effect.fnUntraced(function* ({ actor, auditor, run }: Stage) {
  const { head, versions } = auditor.rows()
  count(run.seen, "rated", head.rated)
  count(run.seen, "matches", head.matches)
  count(run.seen, "seasons")
  for (const { phase, reject_reason, status } of versions.values()) {
    count(run.seen, `version ${status}`)
    if (phase === "suspended") count(run.seen, "version suspended")
    if (reject_reason !== null) count(run.seen, `version ${reject_reason}`)
  }
  yield* Fiber.interrupt(actor)
})
