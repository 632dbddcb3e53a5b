/** The log of a round as a look at the spread of its field needs it: ladder by ladder, with numbers for entries. */
import type { Logged } from "../../rating/Spread.ts"
import type { LogPage } from "../Log.ts"
import { LADDERS, type Ladder, laddersRated } from "../Rules.ts"

interface LadderLog {
  readonly numbers: Map<string, number>
  readonly log: Array<Logged>
}

export class RoundLog {
  readonly #ladders = new Map<Ladder, LadderLog>(LADDERS.map((ladder) => [ladder, { numbers: new Map(), log: [] }]))
  /** Matches that were added. */
  matches = 0
  /** The number of the last of them. */
  last = 0

  /** Adds the next page. An entry that takes over a rating does so between the matches that it did it between. */
  add({ matches, seeds }: LogPage): void {
    const waiting = [...seeds].sort((a, b) => a.n - b.n || a.ord - b.ord)
    let next = 0
    const until = (n: number): void => {
      for (; next < waiting.length && waiting[next]!.n < n; next++) {
        const { ladder, of, version } = waiting[next]!
        this.#on(ladder, (numberOf, log) => log.push({ of: numberOf(of), joins: numberOf(version) }))
      }
    }
    for (const { ladder: made, rated_n, seats } of matches) {
      until(rated_n)
      const ranks = seats.map(({ rank }) => rank)
      for (const ladder of laddersRated(made))
        this.#on(ladder, (numberOf, log) => log.push({ seats: seats.map(({ version }) => numberOf(version)), ranks }))
      this.matches++
      this.last = rated_n
    }
    until(Infinity)
  }

  of(ladder: Ladder): ReadonlyArray<Logged> {
    return this.#ladders.get(ladder)!.log
  }

  #on(ladder: Ladder, add: (numberOf: (version: string) => number, log: Array<Logged>) => void): void {
    const { log, numbers } = this.#ladders.get(ladder)!
    const numberOf = (version: string): number => {
      const had = numbers.get(version)
      if (had !== undefined) return had
      numbers.set(version, numbers.size)
      return numbers.size - 1
    }
    add(numberOf, log)
  }
}
