/**
 * A season played in simulated time, to compare forecasts with what came: runners with several slots that
 * poll, reviews and matches that take a while, submissions at any hour, rounds, machines that go away and
 * come back. All of it is drawn from the seed, and the clock is a queue of events.
 */
import { type Heap, pop, push } from "../../pairing/Heap.ts"
import { normal } from "../../rating/normal.ts"
import type { Command, ReplyTo, Work } from "../Command.ts"
import { leaseName } from "../Lease.ts"
import { draw, hashText, type Source } from "../Random.ts"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import { committed } from "../Writes.ts"
import { type Eta, forecast, type Reach } from "../waiting/Forecast.ts"
import { begin, observe, type Pace } from "../waiting/Pace.ts"
import { ADMITTED, addBoard, empty, model, OPENED, outcome, owner, RUNNER, submission, version } from "./testSeason.ts"

export interface Foretold {
  readonly version: string
  readonly at: number
  readonly what: string
  readonly eta_s: Eta | null
  readonly started_s: number
}

export interface Profile {
  readonly entries: number
  readonly seats: ReadonlyArray<number>
  readonly machines: number
  readonly slots: number
  readonly match_ms: number
  readonly review_ms: number
  readonly submit_every_ms: number
  readonly leave_every_ms: number // Infinity: machines never go away
  readonly round_every_ms: number // Infinity: continuous play
  readonly games: number
  readonly fill: boolean
  readonly lasts_ms: number
}

interface Machine {
  readonly name: string
  free: number
  away: boolean
  seen: number
}

interface Event {
  readonly key: number
  readonly ord: number
  readonly act: () => void
}

interface Open {
  readonly at: number
  readonly what: string
  readonly eta_s: Eta | null
}

const LOOK_EVERY_MS = 4_000
const HEARTBEAT_MS = 10_000
const POLL_MS = 200
const SEEN_WITHIN_MS = 60_000

export const drawProfile = (seed: number): Profile => {
  const source: Source = { hash: hashText(`profile ${seed}`), draws: 0 }
  const pick = <A>(...items: ReadonlyArray<A>): A => items[Math.floor(draw(source) * items.length)]!
  const match_ms = pick(800, 3_000, 12_000, 45_000)
  const entries = pick(4, 9, 25, 60)
  return {
    entries,
    match_ms,
    seats: pick([2], [2], [2, 4], [3]),
    machines: pick(1, 2, 5),
    slots: pick(1, 2, 4),
    review_ms: pick(3_000, 10_000, 25_000),
    submit_every_ms: pick(60_000, 240_000, 900_000),
    leave_every_ms: pick(Infinity, Infinity, 1_800_000),
    round_every_ms: pick(Infinity, Infinity, 3_600_000),
    games: pick(5, 20),
    fill: pick(true, false),
    lasts_ms: Math.min(7_200_000, 1_500 * match_ms)
  }
}

export class PlayedSeason {
  readonly state: State
  readonly pace: Pace
  readonly foretold: Array<Foretold> = []
  readonly #profile: Profile
  readonly #source: Source
  readonly #events: Heap<Event> = []
  readonly #machines: ReadonlyArray<Machine>
  readonly #open = new Map<string, Array<Open>>()
  #now = OPENED
  #events_made = 0
  #submitted = 0

  constructor(profile: Profile, seed: number) {
    this.#profile = profile
    this.#source = { hash: hashText(`played ${seed}`), draws: 0 }
    this.state = empty({ trial: { matches: 3 } })
    this.state.settings = { ...this.state.settings, fill: { enabled: profile.fill, max_per_hour: null } }
    profile.seats.forEach((players, i) => addBoard(this.state, `b${i}`, players, OPENED))
    this.pace = begin(this.state)
    committed(this.state)
    this.#machines = Array.from({ length: profile.machines }, (_, i) => ({ name: `r${i}`, free: profile.slots, away: false, seen: OPENED }))
  }

  /** Plays to the end of the profile. */
  play(): ReadonlyArray<Foretold> {
    const { entries, leave_every_ms, lasts_ms, round_every_ms, submit_every_ms } = this.#profile
    for (let i = 0; i < entries; i++) this.#at(i * 500, () => this.#submit())
    this.#repeat(submit_every_ms, () => this.#submit())
    this.#repeat(LOOK_EVERY_MS, () => this.#look())
    this.#repeat(leave_every_ms, () => this.#leave())
    for (let n = 1; n * round_every_ms < lasts_ms; n++) {
      this.#at(n * round_every_ms - round_every_ms / 2, () =>
        this.#ask({ _tag: "PlanRound", kind: "round", games: this.#profile.games, starts_at: OPENED + n * round_every_ms })
      )
    }
    this.#machines.forEach((machine, i) => {
      this.#at(i, () => this.#poll(machine))
      this.#at(i, () => this.#beat(machine))
    })
    for (let event = pop(this.#events); event !== undefined && event.key < OPENED + lasts_ms; event = pop(this.#events)) {
      this.#now = event.key
      event.act()
    }
    return this.foretold
  }

  #random(): number {
    return draw(this.#source)
  }

  /** Around the mean, a few far above. */
  #lasting(mean_ms: number): number {
    return mean_ms * Math.exp(0.5 * normal(() => this.#random()) - 0.125)
  }

  #at(in_ms: number, act: () => void): void {
    push(this.#events, { key: this.#now + Math.ceil(in_ms), ord: this.#events_made++, act })
  }

  #repeat(every_ms: number, act: () => void): void {
    if (every_ms === Infinity) return
    const next = () =>
      this.#at(-every_ms * Math.log(1 - this.#random()), () => {
        act()
        next()
      })
    next()
  }

  #ask<C extends Command>(command: C): ReplyTo<C> {
    const reply = step(this.state, command, this.#now)
    observe(this.pace, this.state)
    const isWoken = this.state.events.some(({ _tag }) => _tag === "WorkAppeared")
    committed(this.state)
    if (isWoken) for (const machine of this.#machines) this.#at(POLL_MS * this.#random(), () => this.#poll(machine))
    return reply
  }

  /** New models, and newer versions of those that are there. */
  #submit(): void {
    const entered = [...this.state.versions_by_id.values()].filter(({ status }) => status === "entered")
    const n = ++this.#submitted
    const before = entered.length > this.#profile.entries / 2 ? entered[Math.floor(this.#random() * entered.length)] : undefined
    const who =
      before === undefined
        ? { model: model(n), owner: owner(n), number: 1 }
        : { model: before.model, owner: before.owner, number: before.number + 1 }
    const weights_bytes = this.#random() < 0.5 ? 500 : 3_000
    this.#ask(submission(n, { ...who, version: version(n), files: { weights_bytes, manifest_bytes: 100 } }))
  }

  #leave(): void {
    const machine = this.#machines[Math.floor(this.#random() * this.#machines.length)]!
    if (machine.away) return
    machine.away = true
    this.#at(this.#lasting(120_000), () => {
      Object.assign(machine, { away: false, free: this.#profile.slots })
      this.#ask({ _tag: "HoldOnly", runner: machine.name, holds: [] })
      this.#poll(machine)
    })
  }

  #poll(machine: Machine): void {
    if (machine.away || machine.free === 0) return
    machine.seen = this.#now
    const works = this.#ask({ _tag: "LeaseWork", ...RUNNER, runner: machine.name, key: machine.name, max: machine.free })
    for (const work of works) this.#begin(machine, work)
  }

  #begin(machine: Machine, work: Work): void {
    machine.free--
    if (work.kind === "match") {
      const candidate = this.state.live.get(work.match)!.candidate
      for (const id of candidate === null ? work.versions : [candidate]) this.#started(id)
    }
    const { match_ms, review_ms } = this.#profile
    this.#at(this.#lasting(work.kind === "match" ? match_ms : review_ms), () => this.#finish(machine, work))
  }

  #finish(machine: Machine, work: Work): void {
    if (machine.away) return // what it held is given back when it returns, unless it was lost before
    const about = { key: machine.name, lease: work.lease }
    machine.free = Math.min(this.#profile.slots, machine.free + 1)
    if (work.kind === "admission") this.#ask({ _tag: "ReportAdmission", ...about, verdict: ADMITTED })
    else {
      const { length } = work.versions
      this.#ask({ _tag: "ReportMatch", ...about, outcome: outcome(length, Math.floor(this.#random() * length)) })
    }
    this.#poll(machine)
  }

  #beat(machine: Machine): void {
    if (!machine.away) {
      machine.seen = this.#now
      const works = [...this.state.live, ...this.state.reviews].filter(([, { runner, until }]) => until !== null && runner === machine.name)
      const leases = works.map(([id, { lease_n }]) => leaseName(id, lease_n))
      this.#ask({ _tag: "Heartbeat", key: machine.name, leases })
    }
    this.#at(HEARTBEAT_MS, () => this.#beat(machine))
  }

  #reach(): Reach {
    const heard = this.#machines.filter(({ seen }) => this.#now - seen < SEEN_WITHIN_MS).length
    return { admitters: heard * this.#profile.slots, players: heard * this.#profile.slots }
  }

  #look(): void {
    this.#ask({ _tag: "Tick" })
    const known = [...this.state.versions_by_id.values()].filter(({ status }) => status === "testing" || status === "entered")
    const candidates = known.filter(({ status }) => status === "testing")
    const among = candidates.length > 0 && this.#random() < 0.5 ? candidates : known
    const seen = among[Math.floor(this.#random() * among.length)]
    if (seen === undefined) return
    const { next_match_eta_s, waiting } = forecast({ state: this.state, pace: this.pace, reach: this.#reach(), now: this.#now }, seen.id)
    const told = { at: this.#now, what: waiting?.reason ?? "next_match", eta_s: waiting === null ? next_match_eta_s : waiting.eta_s }
    this.#open.set(seen.id, [...(this.#open.get(seen.id) ?? []), told])
  }

  #started(id: string): void {
    for (const told of this.#open.get(id) ?? []) this.foretold.push({ version: id, ...told, started_s: (this.#now - told.at) / 1_000 })
    this.#open.delete(id)
  }
}
