/**
 * Start-time fair queueing of the platform's runners among the seasons. Each season has a virtual time that
 * grows with every lease; the season with the lowest one is asked first. A season without work saves up no
 * credit: it resumes at the virtual time of those served meanwhile. Where a runner takes several pieces of
 * work at once, no season gives it more than its share before the others were asked.
 *
 * Two kinds of season may be some leases ahead of the others and are still asked first; the number is their lead:
 *
 *   told   A season that the request brings results is asked for work in the same message. Any other costs a
 *          message more, for nothing where it has as many matches in play as it may. The lead is what all seasons
 *          gave in the last second beyond QUIET_LEASES, TOLD_LEAD_MAX at most; a quiet fleet has none.
 *   home   A season that lives on this node; asking another node costs both a message. The lead is HOME_LEAD.
 *          While runners stay with their node (STAYING_SHARE) the told lead is added: a runner that once plays
 *          matches of this node's seasons needs no other node. Where runners come to any node, their next result
 *          comes to another one in any case, and the sum would only outweigh the told season.
 *
 * Both leads grow at once and shrink by a tenth a second at most (KEPT_OF_LEAD). Nodes tell each other what they
 * have given (FairnessOfNodes.ts), so that a node whose own seasons are ahead gives the others their share.
 */
import { CappedMap } from "@agon/api/program/CappedMap.ts"

/**
 * How many seasons' times are remembered, since nobody tells when a season ends. One that is forgotten
 * resumes as a new one. The number must exceed that of open seasons: otherwise each request would forget the
 * last of them, and that one would never be the first.
 */
export const SEASONS_MAX = 32_768
/**
 * The home lead at least: leases by which a season of this node may be ahead of one elsewhere and is still asked
 * first. Some tenths of a busy node's second.
 */
export const HOME_LEAD = 16
/** Up to so many leases of all seasons in a second, the told lead is 0: a message more for each costs little. */
export const QUIET_LEASES = 64
/**
 * Runners count as staying with their node where this share of the requests with results comes from runners that
 * stay. Where runners go to two nodes in turn, half of the requests seem to.
 */
const STAYING_SHARE = 0.75
/** The told lead at most, in leases. */
export const TOLD_LEAD_MAX = 256
/**
 * How much of a lead is left after a second in which the fleet was less busy. If it ended at once, seasons that
 * are ahead would be passed over until the others have caught up, with all messages that the lead had saved.
 */
const KEPT_OF_LEAD = 0.9
/**
 * Leases by which a season may be ahead of the next one with work. Some of its leases go to runners that no
 * other season can use, here or on another node; without a bound it would get nothing for as many again once
 * those runners are gone. More than a busy node gives in the second in which the others do not know of it.
 */
export const GAP_MAX = 1_024

export class Fairness {
  readonly #served = new CappedMap<string, number>(SEASONS_MAX)
  readonly #idle = new CappedMap<string, true>(SEASONS_MAX)
  #now = 0
  #told_lead = 0
  #home_lead = HOME_LEAD
  #served_since = 0
  #came_since = 0
  #stayed_since = 0

  /**
   * The seasons in the order in which to ask them: whether each lives on this node, and whether it
   * is told something in any case.
   */
  order<A extends { readonly id: string }>(
    seasons: ReadonlyArray<A>,
    isHome: (id: string) => boolean = () => true,
    isTold: (id: string) => boolean = () => false
  ): ReadonlyArray<A> {
    // From now on it falls behind while others are served.
    for (const { id } of seasons) if (!this.#served.has(id)) this.#served.set(id, this.#now)
    const rankOf = ({ id }: A) => this.#timeOf(id) - (isHome(id) ? this.#home_lead : 0) - (isTold(id) ? this.#told_lead : 0)
    const ranked = seasons.map((season) => ({ season, rank: rankOf(season) }))
    return ranked.sort((a, b) => a.rank - b.rank).map(({ season }) => season)
  }

  /**
   * How much of `room` each of these seasons may fill in the first pass; a season that was idle when last
   * asked leaves its share to the others.
   */
  share(seasons: ReadonlyArray<{ readonly id: string }>, room: number): number {
    return Math.ceil(room / Math.max(1, seasons.filter(({ id }) => !this.#idle.has(id)).length))
  }

  served(season: string, leases: number): void {
    this.#idle.delete(season)
    const start = this.#timeOf(season)
    this.#now = Math.max(this.#now, start)
    this.#served.set(season, start + leases)
    this.#served_since += leases
  }

  /** The season was asked and had no work. */
  idle(season: string): void {
    this.#idle.set(season, true)
    this.#served.set(season, Math.max(this.#timeOf(season), this.#now))
  }

  /** A runner came with results; `stays`: no other node has given it work since it came before. */
  came(stays: boolean): void {
    this.#came_since++
    if (stays) this.#stayed_since++
  }

  /** To be called once a second. */
  second(): void {
    const busy = Math.min(TOLD_LEAD_MAX, Math.max(0, this.#served_since - QUIET_LEASES))
    this.#told_lead = Math.max(busy, Math.floor(this.#told_lead * KEPT_OF_LEAD))
    const stays = this.#stayed_since > 0 && this.#stayed_since >= this.#came_since * STAYING_SHARE
    this.#home_lead = Math.max(HOME_LEAD + (stays ? this.#told_lead : 0), Math.floor(this.#home_lead * KEPT_OF_LEAD))
    this.#served_since = this.#came_since = this.#stayed_since = 0
    this.narrow()
  }

  /** Narrows each gap to `GAP_MAX`. Seasons with smaller ones between them move together, so these stay exact. */
  narrow(): void {
    const before = [...this.#served]
    const times = before.flatMap(([id, time]) => (this.#idle.has(id) ? [] : [time])).toSorted((a, b) => b - a)
    const steps: Array<{ readonly to: number; readonly by: number }> = []
    let by = 0
    for (const [i, to] of times.entries()) {
      const gap = (times[i - 1] ?? to) - to
      if (gap > GAP_MAX) steps.push({ to, by: (by += gap - GAP_MAX) })
    }
    if (steps.length === 0) return
    const narrowed = (time: number) => steps.reduce((most, { by, to }) => Math.max(most, Math.min(time, to) + by), time)
    for (const [id, time] of before) this.#served.set(id, narrowed(time))
    this.#now = narrowed(this.#now)
  }

  #timeOf(season: string): number {
    return this.#served.get(season) ?? this.#now
  }
}
