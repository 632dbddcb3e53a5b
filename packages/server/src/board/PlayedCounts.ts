/**
 * How many counted matches were played on each board of a season. Counting them all grows with the season, so what has
 * been counted is kept: a match has a running number in the order of rating (`rated_n`), and a read counts only those
 * after the last that it knows. Should a re-rating have taken matches back, the sum no longer agrees with the season's
 * own counter, read in the same statement, and everything is counted again.
 */
export interface Counted {
  readonly map_id: string
  readonly matches: number
  readonly last: number
}

interface Kept {
  last: number
  sum: number
  readonly byBoard: Map<string, number>
}

/** Seasons kept; the one that was counted longest ago leaves first. */
const SEASONS_MAX = 1_000

export class PlayedCounts {
  readonly #seasons = new Map<string, Kept>()

  /** The number after which matches of the season have not been counted. */
  after(season: string): number {
    return this.#seasons.get(season)?.last ?? 0
  }

  /**
   * Takes in what was counted after number `after`, when `rated` matches of the season counted. False where the sum does
   * not agree: count again from the start. What another read has counted meanwhile is not added twice.
   */
  add(season: string, after: number, rows: ReadonlyArray<Counted>, rated: number): boolean {
    const kept = this.#seasons.get(season) ?? { last: 0, sum: 0, byBoard: new Map<string, number>() }
    if (kept.last !== after) return true
    for (const { last, map_id, matches } of rows) {
      kept.byBoard.set(map_id, (kept.byBoard.get(map_id) ?? 0) + matches)
      kept.sum += matches
      kept.last = Math.max(kept.last, last)
    }
    this.#seasons.delete(season)
    if (kept.sum !== rated && after > 0) return false
    this.#seasons.set(season, kept)
    if (this.#seasons.size > SEASONS_MAX) this.#seasons.delete(this.#seasons.keys().next().value!)
    return true
  }

  of(season: string, board: string): number {
    return this.#seasons.get(season)?.byBoard.get(board) ?? 0
  }
}
