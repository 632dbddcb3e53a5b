/**
 * Fair shares among seasons over all nodes: once a second each node tells the others how many leases it has
 * given of which season to the platform's runners. A second that is lost, with a node or a message, makes the
 * shares unequal by that second's leases.
 */
import { Effect, Schedule } from "effect"
import { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import { Broadcast } from "../../node/Broadcast.ts"
import { HasPeers } from "../../process/HasPeers.ts"
import { Fairness } from "./Fairness.ts"

const EVERY = "1 second"
/** A season's id and a number of leases. */
const WORD = /^([0-9a-f-]{36}) ([1-9][0-9]{0,8})$/

export const makeFairnessOfNodes = Effect.gen(function* () {
  const [broadcast, mailboxes, shares] = [yield* Broadcast, yield* LocalMailboxes, yield* HasPeers]
  const fairness = new Fairness()
  const untold = new Map<string, number>()

  const heard = (words: ReadonlyArray<string>) =>
    Effect.sync(() => {
      for (const word of words) {
        const [, season, leases] = WORD.exec(word) ?? []
        if (season !== undefined) fairness.served(season, Number(leases))
      }
    })
  const tell = Effect.suspend(() => {
    const words = [...untold].map(([season, leases]) => `${season} ${leases}`)
    untold.clear()
    return words.length === 0 ? Effect.void : broadcast.tell("served", words)
  })
  if (shares) yield* broadcast.listen({ topic: "served", heard, disconnected: Effect.void, hearing: Effect.void })
  const second = Effect.sync(() => fairness.second())
  yield* Effect.andThen(second, tell).pipe(Effect.repeat(Schedule.spaced(EVERY)), Effect.forkScoped)

  /** Whether the season lives on this node. */
  const isHome = (id: string) => !shares || mailboxes.has(id)

  return {
    isHome,
    order: <A extends { readonly id: string }>(seasons: ReadonlyArray<A>, isTold?: (id: string) => boolean) =>
      fairness.order(seasons, isHome, isTold),
    share: (seasons: ReadonlyArray<{ readonly id: string }>, room: number) => fairness.share(seasons, room),
    served: (season: string, leases: number) => {
      fairness.served(season, leases)
      if (shares) untold.set(season, (untold.get(season) ?? 0) + leases)
    },
    came: (stays: boolean) => fairness.came(stays),
    idle: (season: string) => fairness.idle(season)
  }
})
