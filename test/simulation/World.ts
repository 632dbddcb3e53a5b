/**
 * Seasons played from one seed, one after another until the steps are used up: competitors, runners, administrators and
 * bad luck around the real actor on a clock of their own. Whatever a step does, the auditor looks at the rows after every commit
 * and at every reply when it comes; the first broken promise ends the run.
 *
 *   prepare (boards, first versions, honest runners) ──▶ steps of trouble ──▶ rest (a round played out) ──▶ close ──▶ afterwards
 */

import type { Command } from "@agon/domain/season/Command.ts"
import type { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { Clock, Effect } from "effect"
import { id } from "../support/SeasonScript.ts"
import { must } from "./audit/Promise.ts"
import type { View } from "./View.ts"
import { baseline } from "./world/Administrators.ts"
import * as Chance from "./world/Chance.ts"
import { voiding } from "./world/Examiners.ts"
import * as Neighbour from "./world/Neighbour.ts"
import * as Profile from "./world/Profile.ts"
import { count, type Run, type Seen, type Setting } from "./world/Run.ts"
import * as Stage from "./world/Stage.ts"
import { silent, type Visit } from "./world/Visit.ts"

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

/** Each match that kills runners takes a minute and a half, and nobody is suspended for the first. */
const REST_VISITS_MAX = 2_000
/** Where the first two find nothing, each runner comes twice half a minute apart: one may be kept back for so long. */
const IDLE_VISITS = 6

export const simulate = (setting: Setting): Effect.Effect<Seen, never, SeasonStore> =>
  Effect.gen(function* () {
    const run: Run = {
      ...setting,
      chance: Chance.make(setting.seed),
      numbers: { versions: 0, audits: 0 },
      seen: {},
      journal: [],
      isNeighbour: false,
      seasons: 0,
      step: 0
    }
    const seasons = Effect.gen(function* () {
      while (run.step < run.steps) yield* Effect.scoped(playSeason(run))
    })
    yield* Effect.catchDefect(seasons, (cause) =>
      Effect.die(
        new Failed(
          cause,
          run.step,
          run.journal.map((line) => line())
        )
      )
    )
    return run.seen
  })

const playSeason = Effect.fnUntraced(function* (run: Run) {
  const { chance } = run
  const profile = Profile.draw(chance, (run.seed % 1000) * 1000 + ++run.seasons, yield* Clock.currentTimeMillis)
  run.beside?.begin()
  const neighbour = run.beside === undefined ? undefined : yield* Neighbour.make(run, profile)
  const season = yield* Stage.make(run, profile)
  yield* prepare(run, profile, season)
  if (neighbour !== undefined) yield* prepare(neighbour.run, neighbour.profile, neighbour.stage)
  const end = Math.min(run.steps, run.step + profile.incarnation_steps)
  for (; run.step < end && season.auditor.rows().head.phase === "open"; run.step++) {
    yield* Stage.trouble(season)
    if (neighbour === undefined) continue
    season.faults.plan.clear() // its bad luck strikes in its own steps
    yield* Neighbour.step(neighbour)
  }
  yield* Stage.steady(season)
  if (hangs(run)) yield* hang(season)
  if (chance.in(0.6)) yield* rest(profile, season)
  yield* close(run, season)
  yield* Stage.leave(season)
  if (neighbour !== undefined) yield* Stage.leave(neighbour.stage)
})

/** Boards, baselines and everyone's first version, brought onto the ladders by runners without fault. */
const prepare = Effect.fnUntraced(function* (run: Run, { baselines, boards, settings }: Profile.Profile, season: Stage.Stage) {
  const { numbers } = run
  for (const { id: board, players } of boards) {
    yield* Stage.calmly(
      season,
      [silent({ _tag: "AddBoard", board, players, rows: 11, cols: 11, file: {} }, { _tag: "SwitchBoard", board, enabled: true })],
      60
    )
  }
  for (const model of baselines) yield* Stage.calmly(season, [silent(baseline(numbers, model, 600))], 60)
  const opening = (yield* Clock.currentTimeMillis) < settings.submissions_open_at
  if (opening) yield* admitBaselines(season)
  for (let i = 0; i < 3 && opening; i++) yield* Stage.calmly(season, [silent(season.administrators.beforehand(season.auditor.rows()))], 60)
  yield* Stage.settle(season, Math.max(0, settings.submissions_open_at - (yield* Clock.currentTimeMillis)))
  yield* Stage.calmly(season, [silent(...season.people.first())], 60)
  for (let i = 0; i < 20; i++) yield* Stage.calmly(season, [season.runners.honest(i)], 60)
})

/** Half of them are in play when the settings are edited. */
const admitBaselines = Effect.fnUntraced(function* (season: Stage.Stage) {
  for (let i = 0; i < 4; i++) yield* Stage.calmly(season, [season.runners.honest(i)], 60)
  const admitted = [...season.auditor.rows().versions.values()].filter(({ status }) => status === "disabled")
  const on = admitted.filter((_, i) => i % 2 === 0).map(({ id: version }) => ({ _tag: "SwitchBaseline", version, enabled: true }) as const)
  if (on.length > 0) yield* Stage.calmly(season, [silent(...on)], 60)
})

/** In every fourth seed, of odd and of even number, the runners hang at the end of the last season. */
const hangs = ({ seed, step, steps }: Run): boolean => (seed % 8 === 3 || seed % 8 === 4) && step >= steps

const HANG_VISITS = 90
const KILLED_AT = 5

/** Runners that hang hold a match of a new round by heartbeats alone, for longer than one of two seats may be held. */
const hang = Effect.fnUntraced(function* (season: Stage.Stage) {
  const { auditor, run, runners } = season
  const starts_at = (yield* Stage.now(season)) + 1_000
  yield* Stage.calmly(season, [silent({ _tag: "PlanRound", kind: "round", games: 3, starts_at })], 2_000)
  yield* Stage.calmly(season, [runners.honest(0), runners.honest(1)], 60)
  const held = [...auditor.rows().live.values()].filter(({ until }) => until !== null)
  for (let i = 0; i < HANG_VISITS && auditor.rows().head.phase === "open"; i++) {
    const beats = [runners.clinging(0), runners.clinging(1)]
    yield* i === KILLED_AT ? Stage.killed(season, beats, 25_000) : Stage.calmly(season, beats, 25_000)
  }
  const lost = held.filter(({ id, losses }) => (auditor.rows().live.get(id)?.losses ?? losses) > losses)
  count(run.seen, "lease lived its longest life", lost.length)
})

/** In finals nothing is filled, whether it is on or off. */
const FINALS = { fill: { enabled: true, max_per_hour: null } } as const
const RESTING = { fill: { enabled: false, max_per_hour: null }, fleet: { matches: "both", admissions: "both" } } as const

/** A round is played to its end by honest runners while nobody disturbs: everybody gets what they are owed. */
const rest = Effect.fnUntraced(function* ({ boards, finals, sick }: Profile.Profile, season: Stage.Stage) {
  const { round } = season.auditor.rows().head
  for (let i = 0; season.auditor.rows().head.phase === "open" && season.auditor.rows().head.round === round; i++) {
    must(i < 5, "a round that is planned starts", season.auditor.rows().rounds)
    const pending = season.auditor.rows().rounds.filter(({ started_at, withdrawn }) => started_at === null && !withdrawn)
    const kind = finals && i === 0 ? "finals" : "round"
    const starts_at = (yield* Stage.now(season)) + 1_000
    const last = season.auditor.rows().rounds.find(({ n }) => n === round)?.kind === "finals" // after which nothing can be planned
    const commands: ReadonlyArray<Command> = [
      { _tag: "EditSettings", settings: kind === "finals" ? { ...RESTING, ...FINALS } : RESTING, scheduledOnly: false },
      { _tag: "SwitchBoard", board: boards[0]!.id, enabled: true },
      ...pending.map(({ n }): Command => ({ _tag: "PatchRound", n, withdrawn: true })),
      { _tag: "PlanRound", kind, games: 3, starts_at }
    ]
    yield* Stage.calmly(season, [silent(...commands)], 2_000)
    if (last) break
  }
  const ill = (version: string) => sick(version) !== undefined
  const waits = () => [...season.auditor.rows().live.values()].some(({ until }) => until === null)
  const served = () =>
    season.auditor.rows().head.round > 0 && [...season.auditor.rows().versions.keys()].some(ill) && season.auditor.isServed(ill) && !waits()
  const goesOn = () => !served() && season.auditor.rows().head.phase === "open" && !isInVain(season.auditor.rows())
  for (let i = 0, idle = 0; idle < IDLE_VISITS && goesOn(); i++) {
    must(i < REST_VISITS_MAX, "a round ends", season.auditor.rows().head)
    const before = progress(season.auditor.rows())
    const runner = idle < 2 ? season.run.chance.between(0, 1) : idle % 2
    yield* Stage.calmly(season, [season.runners.honest(runner)], idle < 2 ? 60 : 31_000)
    idle = progress(season.auditor.rows()) === before ? idle + 1 : 0
  }
  if (isInVain(season.auditor.rows())) count(season.run.seen, "half of the entries could not be played")
  else if (season.auditor.rows().head.phase === "open" && season.auditor.rows().head.round > 0) season.auditor.rested(ill)
})

const IN_VAIN = 100

/** Every match fails, and half of the entries are blamed by name: none of them is suspended, and the round waits for an administrator. */
const isInVain = ({ head: { active, failing, played } }: View): boolean =>
  failing?.played === played && (failing.n ?? 0) >= IN_VAIN && (failing.named ?? []).length * 2 >= active

const progress = ({ endedCount, head, live, reviews }: View): string =>
  [head.matches, endedCount, ...[...live.values(), ...reviews.values()].map(({ lease_n, until }) => `${lease_n} ${until}`)].join()

/** The season is closed while runners hold matches and heartbeat on, or at once; afterwards they repeat themselves. */
const close = Effect.fnUntraced(function* (run: Run, season: Stage.Stage) {
  const { auditor, runners } = season
  yield* Stage.calmly(season, [runners.honest(0)], 60)
  const atOnce = run.chance.in(0.4)
  const checks = season.lot.in(0.5) ? ({ checks: true } as const) : {}
  for (let i = 0; auditor.rows().head.phase === "open"; i++) {
    must(i < 5, "a season that is told to close does", auditor.rows().head) // it may be reloading, a second at most
    const before = atOnce ? [runners.empty()] : [runners.visit(0)]
    yield* Stage.calmly(season, [...before, silent({ _tag: "CloseSeason", ...checks }), ...(atOnce ? tooLate(season) : [])], 1_000)
  }
  const clings = run.chance.in(0.5) // nobody reports: only the end of the minute ends what is held
  const examined = season.lot.in(0.7)
  for (let i = 0; i < 8 || (i < 11 && auditor.rows().head.checked !== null); i++, run.step++) {
    const leap = i === 3 && run.chance.in(0.5) && season.host.ahead_ms === 0 // its minute is over, and it learns that by being asked
    if (leap) season.host.ahead_ms += 60_000
    const checked = examined && season.lot.in(0.5) ? [silent(season.examiners.checked(auditor.rows()))] : []
    const visits = [runners.clinging(), ...(clings ? [] : [runners.visit(0)]), ...checked]
    yield* Stage.calmly(season, leap ? [...tooLate(season), silent({ _tag: "Tick" })] : visits, 9_000)
  }
  const { head } = auditor.rows()
  must(head.phase === "closed", "closed within its time", head)
  if (checks.checks && head.checked === null) count(run.seen, "closed unchecked")
  yield* Stage.calmly(season, [silent({ _tag: "CloseSeason" })], 60)
})

/** A change that would move a ladder behind the podium's back; none where no match of the round counts. */
const tooLate = ({ auditor, run }: Stage.Stage): ReadonlyArray<Visit> => {
  const { round } = auditor.rows().head
  const counted = [...auditor.log.values()].filter((match) => match.rated_n !== null && match.round === round)
  return counted.slice(-1).map((match) => {
    const audit = { id: id("audit", ++run.numbers.audits), actor: null, action: "match.void", subject: match.id, detail: null } as const
    return silent({ ...voiding(match.id), audit })
  })
}
