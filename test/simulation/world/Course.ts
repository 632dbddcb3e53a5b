/** All that is asked of a store, in its order and with its time: two runs of one seed are compared by it. */
import type { State } from "@agon/domain/season/State.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { Clock, type Effect } from "effect"

/** The store, and the line that each of its calls adds; that of a commit has everything that it writes. */
export const recorded = (store: SeasonStore["Service"], lines: Array<string>): SeasonStore["Service"] => {
  const { log } = store
  const says = <A, E>(what: () => string, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Clock.clockWith((clock) => {
      lines.push(`${clock.currentTimeMillisUnsafe()} ${what()}`)
      return call
    })
  return SeasonStore.of({
    ...store,
    claim: (season) => says(() => `claim ${season}`, store.claim(season)),
    commit: (fence, state) =>
      says(() => `commit ${fence.season} ${fence.epoch} ${fence.seq} ${written(state)}`, store.commit(fence, state)),
    log: {
      ...log,
      page: (season, place, limit, end) =>
        says(() => `page ${season} ${JSON.stringify([place, limit, end])}`, log.page(season, place, limit, end)),
      rewrite: (fence, changes) => says(() => `rewrite ${fence.season} ${JSON.stringify(changes)}`, log.rewrite(fence, changes))
    }
  })
}

const written = ({ now, rated, writes }: State): string =>
  JSON.stringify({ now, rated, ...writes }, (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value))
