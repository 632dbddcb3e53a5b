/**
 * Seasons played from one seed, one after another until the steps are used up: competitors, runners, administrators and
 * bad luck around the real actor on TestClock. Whatever a step does, the auditor looks at the rows after every commit
 * and at every reply when it comes; the first broken promise ends the run.
 *
 *   prepare (boards, first versions, honest runners) ──▶ steps of trouble ──▶ rest (a round played out) ──▶ close ──▶ afterwards
 */
import { Clock, Effect, Exit, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Command, Receipt, Reply } from "@agon/domain/season/Command.ts"
import type { Settings } from "@agon/domain/season/Rules.ts"
import { freshHead, type State } from "@agon/domain/season/State.ts"
import { SeasonEvents } from "@agon/server/season/SeasonEvents.ts"
import { SeasonStore } from "@agon/server/season/SeasonStore.ts"
import { must } from "./audit/Promise.ts"
import * as Auditor from "./Auditor.ts"
import { EMPTY, type View } from "./View.ts"
import * as Chance from "./world/Chance.ts"
import * as Faults from "./world/Faults.ts"
import * as People from "./world/People.ts"
import * as Profile from "./world/Profile.ts"
import * as Runners from "./world/Runners.ts"
import * as Twin from "./world/Twin.ts"
import type { Visit } from "./world/Visit.ts"

/** The code under simulation, which may be a mutant. */
export interface Actor extends Twin.Machine {
  readonly Mailbox: typeof import("@agon/server/season/Mailbox.ts")
  readonly SeasonActor: typeof import("@agon/server/season/SeasonActor.ts")
}
/** Where its rows are. */
export interface Ground {
  readonly create: (season: string, settings: Settings) => Effect.Effect<void>
  /** The rows; of the matches that have ended those that were not seen yet. */
  readonly read: (season: string, seen: ReadonlySet<string>) => Effect.Effect<View>
  /** Time goes on in slices of at most this: less than the commit's timeout where a database takes real time. */
  readonly slice_ms: number
}
export interface Setting {
  readonly actor: Actor
  readonly ground: Ground
  readonly seed: number
  readonly steps: number
}
/** What happened, for tests that ask whether anything did. */
export type Seen = Record<string, number>

/** A run that failed, and after how many steps. */
export class Failed extends Error {
  readonly step: number
  readonly journal: ReadonlyArray<string>
  constructor(cause: unknown, step: number, journal: ReadonlyArray<string>) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.step = step
    this.journal = journal
  }
}

const JOURNAL = 40
const REST_VISITS_MAX = 600

interface Run extends Setting {
  readonly chance: Chance.Chance
  readonly numbers: People.Numbers
  readonly seen: Seen
  readonly journal: Array<string>
  seasons: number
  step: number
}

export const simulate = (setting: Setting): Effect.Effect<Seen, never, SeasonStore> =>
  Effect.gen(function* () {
    const run: Run = { ...setting, chance: Chance.make(setting.seed), numbers: { versions: 0 }, seen: {}, journal: [], seasons: 0, step: 0 }
    yield* TestClock.setTime(1_000_000)
    const seasons = Effect.gen(function* () {
      while (run.step < run.steps) yield* Effect.scoped(playSeason(run))
    })
    yield* Effect.catchDefect(seasons, (cause) => Effect.die(new Failed(cause, run.step, run.journal)))
    return run.seen
  })

const count = (seen: Seen, what: string, by = 1): void => void (seen[what] = (seen[what] ?? 0) + by)

const playSeason = Effect.fnUntraced(function* (run: Run) {
  const { chance } = run
  const profile = Profile.draw(chance, (run.seed % 1000) * 1000 + ++run.seasons, yield* Clock.currentTimeMillis)
  const season = yield* stage(run, profile)
  yield* prepare(run, profile, season)
  const end = Math.min(run.steps, run.step + profile.life)
  for (; run.step < end && season.rows().head.phase === "open"; run.step++) yield* season.trouble
  if (chance.in(0.6)) yield* rest(profile, season)
  yield* close(run, season)
  yield* season.leave
})

/** One season on stage: its actor, its people, and the ways to move time and to ask. */
interface Stage {
  readonly rows: () => View
  readonly runners: Runners.Runners
  readonly people: People.People
  readonly settle: (ms: number) => Effect.Effect<void>
  /** Says something while nothing goes wrong. */
  readonly say: (visits: ReadonlyArray<Visit>, ms: number) => Effect.Effect<void, never, Scope.Scope>
  readonly trouble: Effect.Effect<void, never, Scope.Scope>
  readonly rested: () => void
  readonly leave: Effect.Effect<void>
}

const silent = (...commands: ReadonlyArray<Command>): Visit => ({ commands, heard: () => undefined })

const stage = Effect.fnUntraced(function* (run: Run, profile: Profile.Profile) {
  const { actor, chance, ground, seen } = run
  const store = yield* SeasonStore
  const auditor = Auditor.make(EMPTY(profile.settings, freshHead()))
  const people = People.make(chance, profile, run.numbers)
  const runners = Runners.make(chance, profile.settings.rules.match.strike_limit)
  const mailbox = yield* actor.Mailbox.make(profile.season)
  const mended = { broken: undefined as unknown }
  /** A promise may be broken where an exception would only make the actor reload: it is kept until the step looks. */
  const audited = (check: () => void): void => {
    try {
      check()
    } catch (cause) {
      mended.broken ??= cause
    }
  }
  const look = Effect.suspend(() => ground.read(profile.season, auditor.ended)).pipe(
    Effect.tap((view) =>
      Effect.sync(() => {
        for (const match of view.ended) count(seen, match.fault_reason ?? match.withdrawn_reason ?? match.ending)
        audited(() => auditor.committed(view))
      })
    ),
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.sync(() => void (mended.broken ??= new Error(`the rows could not be read: ${cause}`))))
  )
  const faults = Faults.make(store, look)
  const host = actor.SeasonActor.supervised(mailbox).pipe(
    Effect.provideService(SeasonStore, faults.store),
    Effect.provide(SeasonEvents.layerSilent),
    Effect.forkScoped
  )

  /** Everything that can happen now happens; a database is waited for while time stands still. */
  const still = Effect.gen(function* () {
    for (let calm = 0; calm < 2; calm++) {
      yield* TestClock.adjust(0)
      if (faults.busy === 0) continue
      calm = -1
      yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
    }
    if (mended.broken !== undefined) yield* Effect.die(mended.broken)
  })
  const settle = Effect.fnUntraced(function* (ms: number) {
    yield* still
    for (let left = ms; left > 0; left -= ground.slice_ms) {
      yield* TestClock.adjust(Math.min(left, ground.slice_ms))
      yield* still
    }
  })

  /** As the desk does: results whose work is no longer open are answered from the rows. */
  const desk = Effect.fnUntraced(function* (commands: ReadonlyArray<Command>) {
    const replies = yield* actor.Mailbox.askAll(mailbox, commands).pipe(Effect.catchTag("SeasonClosed", () => Effect.undefined))
    const final: Array<Reply | undefined> = []
    for (const [i, command] of commands.entries()) {
      const reply = replies?.[i]
      const open = reply != null && !("reason" in reply && reply.reason === "unknown")
      const result = command._tag === "ReportMatch" || command._tag === "ReportFault" || command._tag === "ReportAdmission"
      final.push(result && !open ? yield* faults.store.answerOf(profile.season, command.lease, command.key) : reply)
      if (result) count(seen, `result ${receiptOf(final[i] as Receipt)}`)
    }
    return final
  })
  const call = (visit: Visit) => {
    const lost = chance.in(profile.trouble / 2)
    return Effect.zipWith(desk(visit.commands), Clock.currentTimeMillis, (replies, at) => {
      audited(() => {
        visit.commands.forEach((command, i) => {
          if (replies[i] !== undefined && !lost) auditor.told(command, replies[i], at)
        })
        if (!lost) visit.heard(visit.commands, replies)
      })
      count(seen, lost ? "reply lost" : "answered")
    })
  }
  /** Asks together, so that visits share a batch; `ms` later every one of them must have been answered. */
  const say = Effect.fnUntraced(function* (visits: ReadonlyArray<Visit>, ms: number, meanwhile: Effect.Effect<unknown> = Effect.void) {
    const at = yield* Clock.currentTimeMillis
    for (const { commands } of visits) {
      for (const command of commands) auditor.asked(command)
      run.journal.push(`${run.step} @${at} ${JSON.stringify(commands)}`)
    }
    run.journal.splice(0, run.journal.length - JOURNAL)
    const callers = yield* Effect.forEach(visits, (visit) => Effect.forkChild(call(visit)))
    yield* still
    yield* meanwhile
    yield* settle(ms)
    for (const [i, caller] of callers.entries()) {
      const exit = caller.pollUnsafe()
      must(exit !== undefined, "nobody waits for ever", visits[i]!.commands)
      if (Exit.isFailure(exit!)) count(seen, "unavailable")
    }
    const now = yield* Clock.currentTimeMillis
    if (mailbox.state === "running" && faults.late === 0 && faults.busy === 0) auditor.punctual(now)
    auditor.stepped()
  })

  yield* Effect.orDie(ground.create(profile.season, profile.settings))
  let fiber = yield* host
  /** Where an actor has died its last state plays on beside one restored from the rows; then it is hosted again. */
  const hosted = Effect.gen(function* () {
    if (fiber.pollUnsafe() === undefined) return
    const last: State | undefined = faults.clean
    faults.clean = undefined
    if (last !== undefined && !last.writes.any && last.phase !== "closed") {
      const { snapshot } = yield* Effect.orDie(store.claim(profile.season))
      Twin.playOn(actor, last, snapshot, Chance.make(run.seed * 7_919 + run.step)) // of its own: whether there is a twin depends on timing
      count(seen, "twins")
    }
    if (auditor.rows().head.phase === "closed") return
    fiber = yield* host
    yield* settle(0)
  })

  const calmly = (visits: ReadonlyArray<Visit>, ms: number) =>
    Effect.suspend(() => {
      faults.next = "none"
      return Effect.andThen(say(visits, ms), hosted)
    })

  const trouble = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const bad = chance.next()
    let meanwhile: Effect.Effect<unknown> = Effect.void
    if (bad < profile.trouble) faults.next = chance.pick(["refused", "written but reported failed", "slow"] as const)
    if (bad < profile.trouble / 3) meanwhile = Effect.suspend(() => Fiber.interrupt(fiber)) // killed, perhaps in the middle of a commit
    if (bad > 1 - profile.trouble / 3) yield* Effect.ignore(store.claim(profile.season)) // the epoch is stolen
    if (bad < profile.trouble || bad > 1 - profile.trouble / 3) count(seen, "faults")
    const visits = Array.from({ length: chance.between(1, 3) }, () =>
      chance.in(0.12) ? people.competitor(auditor.rows()) : runners.visit()
    )
    if (chance.in(0.04)) {
      const command = people.administrator(auditor.rows(), at, runners.keys())
      if (command._tag === "RevokeKey") runners.rekey(command.key)
      visits.push(silent(command))
    }
    const pause = chance.in(0.004)
      ? chance.between(600_000, 8_000_000)
      : chance.in(0.08)
        ? chance.between(3_000, 45_000)
        : chance.between(0, 3_000)
    yield* say(visits, 60 + pause, meanwhile)
    yield* hosted
  })

  const leave = Effect.gen(function* () {
    const { head } = auditor.rows()
    count(seen, "rated", head.rated)
    count(seen, "matches", head.matches)
    count(seen, "seasons")
    for (const { status } of auditor.rows().versions.values()) count(seen, `version ${status}`)
    for (const { reject_reason } of auditor.rows().versions.values()) if (reject_reason !== null) count(seen, `version ${reject_reason}`)
    yield* Fiber.interrupt(fiber)
  })

  yield* settle(0)
  return { rows: auditor.rows, runners, people, settle, say: calmly, trouble, rested: auditor.rested, leave } satisfies Stage
})

const receiptOf = (receipt: Receipt): string => (receipt.accepted ? "accepted" : receipt.reason)

/** Boards, baselines and everyone's first version, brought onto the ladders by runners without fault. */
const prepare = Effect.fnUntraced(function* (run: Run, { baselines, boards, settings }: Profile.Profile, season: Stage) {
  const { numbers } = run
  for (const { id: board, players } of boards) {
    yield* season.say(
      [silent({ _tag: "AddBoard", board, players, rows: 11, cols: 11, file: {} }, { _tag: "SwitchBoard", board, enabled: true })],
      60
    )
  }
  for (const model of baselines) {
    const v = ++numbers.versions
    const version = versionId(v)
    const hashes = { weights_hash: `sha256:w${v}`, manifest_hash: `sha256:m${v}` }
    const files = { weights_bytes: 600, manifest_bytes: 50 }
    const who = { version, model, owner: null, number: 1, note: null, eligible: true, retired: false }
    yield* season.say([silent({ _tag: "SubmitVersion", ...who, ...hashes, files })], 60)
  }
  yield* season.settle(Math.max(0, settings.submissions_open_at - (yield* Clock.currentTimeMillis)))
  yield* season.say([silent(...season.people.first())], 60)
  for (let i = 0; i < 20; i++) yield* season.say([season.runners.honest(i)], 60)
})
const versionId = (n: number) => `01900003-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

const RESTING = { fill: { enabled: false, max_per_hour: null }, fleet: { matches: "both", admissions: "both" } } as const

/** A round is played to its end by honest runners while nobody disturbs: everybody gets what they are owed. */
const rest = Effect.fnUntraced(function* ({ boards, finals }: Profile.Profile, season: Stage) {
  const { round } = season.rows().head
  for (let i = 0; season.rows().head.phase === "open" && season.rows().head.round === round; i++) {
    must(i < 5, "a round that is planned starts", season.rows().rounds)
    const pending = season.rows().rounds.filter(({ started_at, withdrawn }) => started_at === null && !withdrawn)
    const kind = finals && i === 0 ? "finals" : "round"
    const starts_at = (yield* Clock.currentTimeMillis) + 1_000
    const last = season.rows().rounds.find(({ n }) => n === round)?.kind === "finals" // after which nothing can be planned
    const commands: ReadonlyArray<Command> = [
      { _tag: "EditSettings", settings: RESTING, scheduledOnly: false },
      { _tag: "SwitchBoard", board: boards[0]!.id, enabled: true },
      ...pending.map(({ n }): Command => ({ _tag: "PatchRound", n, withdrawn: true })),
      { _tag: "PlanRound", kind, games: 3, starts_at }
    ]
    yield* season.say([silent(...commands)], 2_000)
    if (last) break
  }
  for (let i = 0, idle = 0; idle < 4 && season.rows().head.phase === "open"; i++) {
    must(i < REST_VISITS_MAX, "a round ends", season.rows().head)
    const before = progress(season.rows())
    yield* season.say([season.runners.honest(i)], idle < 2 ? 60 : 31_000)
    idle = progress(season.rows()) === before ? idle + 1 : 0
  }
  if (season.rows().head.phase === "open" && season.rows().head.round > 0) season.rested()
})

const progress = ({ endedCount, head, live }: View): string =>
  [head.matches, endedCount, ...[...live.values()].map(({ lease_n, until }) => `${lease_n} ${until}`)].join()

/** The season is closed while runners hold matches and heartbeat on; afterwards they repeat themselves. */
const close = Effect.fnUntraced(function* (run: Run, season: Stage) {
  const { runners } = season
  yield* season.say([runners.honest(0)], 60)
  for (let i = 0; season.rows().head.phase === "open"; i++) {
    must(i < 5, "a season that is told to close does", season.rows().head) // it may be reloading, a second at most
    yield* season.say([runners.visit(0), silent({ _tag: "CloseSeason" })], 1_000)
  }
  for (let i = 0; i < 8; i++, run.step++) yield* season.say([runners.clinging(), runners.visit(0)], 9_000)
  must(season.rows().head.phase === "closed", "closed within a minute", season.rows().head)
  yield* season.say([silent({ _tag: "CloseSeason" })], 60)
})
