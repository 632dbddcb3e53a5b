/**
 * Chooses where a runner's next work comes from: first a match that waits to be played again, then the
 * seasons that it may serve, in turn, each up to its share.
 */

import { Effect } from "effect"
import { type OpenSeason, OpenSeasons } from "../actor/OpenSeasons.ts"
import { Parking } from "../actor/Parking.ts"
import { KnownRuntimes } from "./KnownRuntimes.ts"
import type { LeasePayload } from "./LeasePayloads.ts"
import { AUDITS, ReplayAudits } from "./ReplayAudits.ts"
import type { Caller } from "./Runners.ts"
import { plays, type Said, SeasonCalls } from "./SeasonCalls.ts"

/** Runners of one kind are interchangeable: a season would give each of them the same work. */
export const kindOf = ({ key, runner: { accepts, engines, runtime_version } }: Caller): string =>
  `${key.season_id ?? "platform"} ${runtime_version} ${accepts.join()} ${engines.map(({ engine_digest }) => engine_digest).join()}`

/** The season whose turn it was, and how many leases it gave. */
interface Asked {
  readonly season: string
  readonly given: number
}

/** Whether a runner may ask a season: its key serves the season, it has the engine, and its runtime is known. */
const mayAskWith =
  (known: ReadonlySet<string>) =>
  ({ key, runner }: Caller, season: OpenSeason) =>
    (key.season_id ?? season.id) === season.id && plays(runner, season) && known.has(runner.runtime_version)

export const makeTurns = Effect.gen(function* () {
  const calls = yield* SeasonCalls
  const audits = yield* ReplayAudits
  const seasons = yield* OpenSeasons
  const parking = yield* Parking
  const fairness = new Fairness()
  const known = yield* KnownRuntimes
  const mayAsk = mayAskWith(known)

  /** Work done by a season's own runners does not count towards its share of the platform's. */
  const inTurn = (caller: Caller): ReadonlyArray<OpenSeason> => fairness.order(seasons.list().filter((season) => mayAsk(caller, season)))

  /** Looked up on each call: a season may have been added while the runner waited. */
  const serves = (caller: Caller) => (id: string) => {
    const season = seasons.get(id)
    return season !== undefined && mayAsk(caller, season)
  }

  const tell = Effect.fnUntraced(function* (caller: Caller, season: string, said: Said) {
    const since = parking.signal()
    const answered = yield* calls.tell(caller, season, said)
    const given = answered.works.length
    if (caller.key.season_id === null) {
      if (given > 0) fairness.served(season, given)
      else if (said.max > 0) fairness.idle(season)
    }
    if (said.max > 0) parking.told(season, kindOf(caller), since, given > 0)
    return answered
  })

  /** How much of the room one season may fill before the others were asked. */
  const shareOf = (caller: Caller, room: number): number => fairness.share(inTurn(caller), room)

  /** Takes work from one season; one that is away has none now. */
  const take = Effect.fnUntraced(function* (caller: Caller, season: string, max: number) {
    const asked = tell(caller, season, { results: [], max })
    const { works } = yield* Effect.catchTag(asked, "unavailable", () => Effect.succeed({ works: [] }))
    return works
  })

  /** Fills the room from the seasons in turn, from each its share, then from those that have more. `first` was asked already. */
  const fill = Effect.fnUntraced(function* (caller: Caller, room: number, share: number, first?: Asked) {
    const leases: Array<LeasePayload> = []
    const more = first !== undefined && first.given >= share ? [first.season] : []
    for (const { id } of inTurn(caller)) {
      if (leases.length >= room) return leases
      if (id === first?.season) continue
      const max = Math.min(share, room - leases.length)
      const works = yield* take(caller, id, max)
      leases.push(...works)
      if (works.length === max) more.push(id)
    }
    for (const id of more) if (leases.length < room) leases.push(...(yield* take(caller, id, room - leases.length)))
    return leases
  })

  /** One audit a request: they are few, and matches continue beside them. */
  const audit = Effect.fnUntraced(function* (caller: Caller, room: number) {
    const { key, runner } = caller
    const works = known.has(runner.runtime_version) ? yield* audits.lease(caller, Math.min(1, room)) : []
    for (const { lease } of works)
      calls.holdings.add({ lease, runner: runner.id, key: key.id, season: AUDITS, seats: null, strike_limit: 0 })
    return works.map(({ payload }) => payload)
  })

  return { audit, inTurn, serves, shareOf, tell, fill }
})

/**
 * Start-time fair queueing of the platform's runners among the seasons. Each season has a virtual time that grows with
 * every lease; the season with the lowest one is asked first. A season without work saves up no credit: it resumes at the
 * virtual time of those served meanwhile. Where a runner takes several pieces of work at once, no season gives it more
 * than its share before the others were asked.
 */
export class Fairness {
  readonly #served = new Map<string, number>()
  readonly #idle = new Set<string>()
  #now = 0

  /** The seasons in the order in which to ask them. */
  order<A extends { readonly id: string }>(seasons: ReadonlyArray<A>): ReadonlyArray<A> {
    return seasons.toSorted((a, b) => this.#timeOf(a.id) - this.#timeOf(b.id))
  }

  /** How much of `room` each of these seasons may fill in the first pass; a season that was idle when last asked leaves its share to the others. */
  share(seasons: ReadonlyArray<{ readonly id: string }>, room: number): number {
    return Math.ceil(room / Math.max(1, seasons.filter(({ id }) => !this.#idle.has(id)).length))
  }

  served(season: string, leases: number): void {
    this.#idle.delete(season)
    const start = this.#timeOf(season)
    this.#now = Math.max(this.#now, start)
    this.#served.set(season, start + leases)
  }

  /** The season was asked and had no work. */
  idle(season: string): void {
    this.#idle.add(season)
    this.#served.set(season, Math.max(this.#timeOf(season), this.#now))
  }

  #timeOf(season: string): number {
    return this.#served.get(season) ?? this.#now
  }
}
