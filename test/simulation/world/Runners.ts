/** Machines that lease work: most are honest, all are mortal, some hear badly and repeat themselves. */
import type { Command, Work } from "@agon/domain/season/Command.ts"
import { id } from "../../support/SeasonScript.ts"
import type { Chance } from "./Chance.ts"
import * as Reports from "./Reports.ts"
import { kills, type Sick } from "./Sickness.ts"
import { silent, type Visit } from "./Visit.ts"

export interface Runner {
  readonly id: string
  key: string
  readonly fleet: "own" | "platform"
  readonly digest: string | null
  readonly admissions: boolean
  readonly matches: boolean
  open: Array<Work>
  readonly killed: Array<string> // leases under which a match has killed it, and that it still names
}

const DIGEST = "sha256:engine"
const RUNNERS = 5
/** Grants that are remembered, for results that come late or again. */
const REMEMBERED = 60

export interface Runners {
  readonly visit: (but?: number) => Visit
  /** One that reports all it has, without fault, and asks for more. */
  readonly honest: (n: number) => Visit
  /** One that never reports and lets none of its leases run out. */
  readonly clinging: (n?: number) => Visit
  /** All of them give back what they hold. */
  readonly empty: () => Visit
  readonly keys: () => ReadonlyArray<string>
  /** A revoked key is replaced, as its owner would. */
  readonly rekey: (key: string) => void
}

interface Fleet {
  readonly chance: Chance
  readonly report: Reports.Report
  readonly sick: Sick
  readonly runners: ReadonlyArray<Runner>
  readonly granted: Array<{ readonly work: Work; readonly key: string }>
}

export const make = (chance: Chance, limit: number, sick: Sick): Runners => {
  let keys = RUNNERS
  const runners: ReadonlyArray<Runner> = Array.from({ length: RUNNERS }, (_, i) => ({
    id: id("runner", i + 1),
    key: id("key", i + 1),
    fleet: i % 2 === 0 ? "platform" : "own",
    digest: i === RUNNERS - 1 ? null : DIGEST,
    admissions: i !== 2,
    matches: true,
    open: [],
    killed: []
  }))
  const fleet: Fleet = { chance, report: Reports.make(chance, limit, sick), sick, runners, granted: [] }
  return {
    visit: (but = -1) => visit(fleet, but),
    honest: (n) => {
      const runner = runners[n % 2]!
      die(fleet, runner, 1)
      const results = runner.open.map((work) => fleet.report(work, runner.key, true))
      const holds: Command = { _tag: "HoldOnly", runner: runner.id, holds: [...runner.killed] }
      return { commands: [...results, holds, lease(runner, 16)], heard: heard(fleet, runner) }
    },
    clinging: (n = 0) => {
      const { key, open } = runners[n]!
      return silent({ _tag: "Heartbeat", key, leases: open.map((work) => work.lease) })
    },
    empty: () => {
      for (const runner of runners) runner.open = []
      return silent(...runners.map(({ id: runner }): Command => ({ _tag: "HoldOnly", runner, holds: [] })))
    },
    keys: () => runners.map(({ key }) => key),
    rekey: (key) => {
      for (const runner of runners) if (runner.key === key) runner.key = id("key", ++keys)
    }
  }
}

const lease = ({ admissions, digest, fleet, id, key, matches }: Runner, max: number): Command =>
  ({ _tag: "LeaseWork", runner: id, key, fleet, engine_digest: digest, matches, admissions, max }) as const

/** Takes answers in as a runner does: it has what it was given, and lets go of what was answered. */
const heard =
  ({ granted }: Fleet, runner: Runner): Visit["heard"] =>
  (commands, replies) => {
    commands.forEach((command, i) => {
      const reply = replies[i]
      if (command._tag === "LeaseWork") {
        for (const work of (reply ?? []) as ReadonlyArray<Work>) {
          runner.open.push(work)
          granted.push({ work, key: command.key })
        }
        granted.splice(0, granted.length - REMEMBERED)
      } else if ("lease" in command) {
        const malformed = reply != null && "reason" in reply && reply.reason === "malformed"
        if (!malformed) runner.open = runner.open.filter((work) => work.lease !== command.lease)
      }
    })
  }

/** A result too late, again, under another key, or for a lease that nobody has. */
const odd = ({ chance, granted, report, runners }: Fleet): Command => {
  const { key, work } = chance.pick(granted)
  const x = chance.next()
  if (x < 0.15) return report(work, chance.pick(runners).key)
  if (x < 0.3) return report({ ...work, lease: work.lease.replace(/\d+$/, (n) => String(Number(n) + 1)) }, key)
  if (x < 0.33) return report({ ...work, lease: "nonsense.1" }, key)
  return report(work, key)
}

/** Work that kills it is never reported: its lease runs out. */
const die = ({ chance, sick }: Fleet, runner: Runner, share: number): void => {
  const fatal = runner.open.filter((work) => kills(sick, work) && (share === 1 || chance.in(share)))
  runner.killed.push(...fatal.map(({ lease }) => lease))
  runner.killed.splice(0, runner.killed.length - REMEMBERED)
  runner.open = runner.open.filter((work) => !fatal.includes(work))
}

const visit = (fleet: Fleet, but: number): Visit => {
  const { chance, granted, report, runners, sick } = fleet
  const runner = chance.pick(runners.filter((_, i) => i !== but))
  die(fleet, runner, 0.6)
  const { id: name, key, open } = runner
  const x = chance.next()
  if (x < 0.01) return silent({ _tag: "Tick" })
  if (x < 0.03) {
    runner.open = [] // it dies, and starts again with nothing; it may say so or wait until its leases run out
    const commands: ReadonlyArray<Command> = chance.in(0.7) ? [{ _tag: "HoldOnly", runner: name, holds: [] }, lease(runner, 2)] : []
    return { commands, heard: heard(fleet, runner), as: "runner died" }
  }
  if (x < 0.12 && granted.length > 0) return silent(odd(fleet))
  if (x < 0.22 && granted.length > 0) {
    const leases = chance.in(0.2) ? [chance.pick(granted).work.lease] : open.map((work) => work.lease)
    return silent({ _tag: "Heartbeat", key, leases })
  }
  if (x < 0.25 && open.length > 0)
    return { commands: [{ _tag: "Release", key, lease: chance.pick(open).lease }], heard: heard(fleet, runner) }
  const results = open.filter((work) => chance.in(0.65) && !kills(sick, work)).map((work) => report(work, key))
  if (results.length > 0 && chance.in(0.05))
    results.push(report(open.find(({ lease }) => "lease" in results[0]! && lease === results[0].lease)!, key))
  const kept = open.filter(({ lease }) => !results.some((result) => "lease" in result && result.lease === lease))
  const leasesOf = (works: typeof open) => works.map((work) => work.lease)
  const holds: ReadonlyArray<Command> = chance.in(0.1)
    ? [{ _tag: "HoldOnly", runner: name, holds: leasesOf(kept), among: leasesOf(open) }]
    : []
  const slots = Math.max(0, 3 - kept.length)
  return {
    commands: [...results, ...holds, ...(slots === 0 ? [] : [lease(runner, chance.between(1, slots))])],
    heard: heard(fleet, runner)
  }
}
