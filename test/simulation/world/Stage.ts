/**
 * One season on stage: its actor, its auditor, its people, and the ways to ask, to let time pass and to make trouble.
 * A promise may be broken where an exception would only make the actor reload: it is kept in `broken` until somebody looks.
 */
import { Clock, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Command, Receipt, Reply } from "@agon/domain/season/Command.ts"
import { freshHead } from "@agon/domain/season/State.ts"
import type { Mailbox } from "@agon/server/season/Mailbox.ts"
import { SeasonEvents } from "@agon/server/season/SeasonEvents.ts"
import { SeasonStore } from "@agon/server/season/SeasonStore.ts"
import { must } from "../audit/Promise.ts"
import * as Auditor from "../Auditor.ts"
import { EMPTY } from "../View.ts"
import * as Chance from "./Chance.ts"
import * as Faults from "./Faults.ts"
import * as People from "./People.ts"
import type * as Profile from "./Profile.ts"
import { count, type Run } from "./Run.ts"
import * as Runners from "./Runners.ts"
import * as Twin from "./Twin.ts"
import type { Visit } from "./Visit.ts"

export interface Stage {
  readonly run: Run
  readonly profile: Profile.Profile
  readonly auditor: Auditor.Auditor
  readonly people: People.People
  readonly runners: Runners.Runners
  readonly mailbox: Mailbox
  readonly store: SeasonStore["Service"]
  readonly faults: Faults.Faults
  broken: unknown
  actor: Fiber.Fiber<unknown, unknown>
}

const JOURNAL = 40

export const make = Effect.fnUntraced(function* (run: Run, profile: Profile.Profile) {
  const { chance, ground } = run
  const store = yield* SeasonStore
  const look: Effect.Effect<void> = Effect.suspend(() => see(stage))
  const stage: Stage = {
    run,
    profile,
    auditor: Auditor.make(EMPTY(profile.settings, freshHead())),
    people: People.make(chance, profile, run.numbers),
    runners: Runners.make(chance, profile.settings.rules.match.strike_limit),
    mailbox: yield* run.actor.Mailbox.make(profile.season),
    store,
    faults: Faults.make(store, look),
    broken: undefined,
    actor: yield* Effect.forkScoped(Effect.void)
  }
  yield* ground.create(profile.season, profile.settings)
  yield* host(stage)
  return stage
})

const host = Effect.fnUntraced(function* (stage: Stage) {
  stage.actor = yield* stage.run.actor.SeasonActor.supervised(stage.mailbox).pipe(
    Effect.provideService(SeasonStore, stage.faults.store),
    Effect.provide(SeasonEvents.layerSilent),
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
  stage.run.ground.read(stage.profile.season, stage.auditor.ended).pipe(
    Effect.tap((view) =>
      Effect.sync(() => {
        for (const match of view.ended) count(stage.run.seen, match.fault_reason ?? match.withdrawn_reason ?? match.ending)
        audited(stage, () => stage.auditor.committed(view))
      })
    ),
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.sync(() => void (stage.broken ??= new Error(`the rows could not be read: ${cause}`))))
  )

/** Everything that can happen now happens; a database is waited for while time stands still. */
const still = Effect.fnUntraced(function* (stage: Stage) {
  for (let calm = 0; calm < 2; calm++) {
    yield* TestClock.adjust(0)
    if (stage.faults.busy === 0) continue
    calm = -1
    yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
  }
  if (stage.broken !== undefined) yield* Effect.die(stage.broken)
})

export const settle = Effect.fnUntraced(function* (stage: Stage, ms: number) {
  const { slice_ms } = stage.run.ground
  yield* still(stage)
  for (let left = ms; left > 0; left -= slice_ms) {
    yield* TestClock.adjust(Math.min(left, slice_ms))
    yield* still(stage)
  }
})

/** As the desk does: results whose work is no longer open are answered from the rows. */
const desk = Effect.fnUntraced(function* ({ faults, mailbox, profile, run }: Stage, commands: ReadonlyArray<Command>) {
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

const call = (stage: Stage, { commands, heard }: Visit) => {
  const { auditor, profile, run } = stage
  const lost = run.chance.in(profile.trouble / 2)
  return Effect.zipWith(desk(stage, commands), Clock.currentTimeMillis, (replies, at) => {
    count(run.seen, lost ? "reply lost" : "answered")
    if (lost) return
    audited(stage, () => {
      commands.forEach((command, i) => {
        if (replies[i] !== undefined) auditor.told(command, replies[i], at)
      })
      heard(commands, replies)
    })
  })
}

/** Asks together, so that visits share a batch; `ms` later every one of them must have been answered. */
const say = Effect.fnUntraced(function* (
  stage: Stage,
  visits: ReadonlyArray<Visit>,
  ms: number,
  meanwhile: Effect.Effect<unknown> = Effect.void
) {
  const { auditor, faults, mailbox, run } = stage
  const at = yield* Clock.currentTimeMillis
  for (const { commands } of visits) {
    for (const command of commands) auditor.asked(command)
    run.journal.push(`${run.step} @${at} ${JSON.stringify(commands)}`)
  }
  run.journal.splice(0, run.journal.length - JOURNAL)
  const callers = yield* Effect.forEach(visits, (visit) => Effect.forkChild(call(stage, visit)))
  yield* still(stage)
  yield* meanwhile
  yield* settle(stage, ms)
  for (const [i, caller] of callers.entries()) {
    const exit = caller.pollUnsafe()
    must(exit !== undefined, "nobody waits for ever", visits[i]!.commands)
    if (Exit.isFailure(exit!)) count(run.seen, "unavailable")
  }
  const now = yield* Clock.currentTimeMillis
  if (mailbox.state === "running" && faults.late === 0 && faults.busy === 0) auditor.punctual(now)
  auditor.stepped()
})

/** Where an actor has died its last state plays on beside one restored from the rows; then it is hosted again. */
const hosted = Effect.fnUntraced(function* (stage: Stage) {
  const { actor, auditor, faults, profile, run, store } = stage
  if (actor.pollUnsafe() === undefined) return
  const last = faults.clean
  faults.clean = undefined
  if (last !== undefined && !last.writes.any && last.phase !== "closed") {
    const { snapshot } = yield* Effect.orDie(store.claim(profile.season))
    Twin.playOn(run.actor, last, snapshot, Chance.make(run.seed * 7_919 + run.step)) // its own: whether there is a twin is a matter of timing
    count(run.seen, "twins")
  }
  if (auditor.rows().head.phase !== "closed") yield* host(stage)
})

/** Says something while nothing goes wrong. */
export const calmly = (stage: Stage, visits: ReadonlyArray<Visit>, ms: number) =>
  Effect.suspend(() => {
    stage.faults.next = "none"
    return Effect.andThen(say(stage, visits, ms), hosted(stage))
  })

/** One step in which anything may happen. */
export const trouble = Effect.fnUntraced(function* (stage: Stage) {
  const { auditor, faults, people, profile, run, runners, store } = stage
  const { chance, seen } = run
  const at = yield* Clock.currentTimeMillis
  const bad = chance.next()
  let meanwhile: Effect.Effect<unknown> = Effect.void
  if (bad < profile.trouble) faults.next = chance.pick(["refused", "written but reported failed", "slow"] as const)
  if (bad < profile.trouble / 3) meanwhile = Effect.suspend(() => Fiber.interrupt(stage.actor)) // killed, perhaps in the middle of a commit
  if (bad > 1 - profile.trouble / 3) yield* Effect.ignore(store.claim(profile.season)) // the epoch is stolen
  if (bad < profile.trouble || bad > 1 - profile.trouble / 3) count(seen, "faults")
  const visits = Array.from({ length: chance.between(1, 3) }, () => (chance.in(0.12) ? people.competitor(auditor.rows()) : runners.visit()))
  if (chance.in(0.04)) {
    const command = people.administrator(auditor.rows(), at, runners.keys())
    if (command._tag === "RevokeKey") runners.rekey(command.key)
    visits.push(silent(command))
  }
  yield* say(stage, visits, 60 + pause(chance), meanwhile)
  yield* hosted(stage)
})

/** Mostly moments; now and then longer than a lease, once in a while hours. */
const pause = (chance: Chance.Chance): number => {
  if (chance.in(0.004)) return chance.between(600_000, 8_000_000)
  return chance.in(0.08) ? chance.between(3_000, 45_000) : chance.between(0, 3_000)
}

export const silent = (...commands: ReadonlyArray<Command>): Visit => ({ commands, heard: () => undefined })

export const leave = Effect.fnUntraced(function* ({ actor, auditor, run }: Stage) {
  const { head, versions } = auditor.rows()
  count(run.seen, "rated", head.rated)
  count(run.seen, "matches", head.matches)
  count(run.seen, "seasons")
  for (const { reject_reason, status } of versions.values()) {
    count(run.seen, `version ${status}`)
    if (reject_reason !== null) count(run.seen, `version ${reject_reason}`)
  }
  yield* Fiber.interrupt(actor)
})
