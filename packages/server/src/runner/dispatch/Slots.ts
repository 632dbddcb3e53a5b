/**
 * How much more work a runner may be given. A request counts as holding what it asks for until it is answered, so that a runner which sends
 * two at once is not given its free slots twice. Of requests at other nodes this one does not know.
 */
import { Effect } from "effect"
import type { Holdings } from "../session/Holdings.ts"
import type { OpenRunner } from "../session/sessionQueries.ts"

interface Wanted {
  readonly runner: Pick<OpenRunner, "id" | "slots" | "state">
  readonly most: number
  /** Leases that end with this request. */
  readonly reporting?: ReadonlySet<string>
}

/** By what the work that a request was given so far goes back. */
export type Given = Array<Effect.Effect<unknown, unknown>>

export const makeSlots = (holdings: Holdings) => {
  /** By runner, how much its requests under way ask for. */
  const asked = new Map<string, number>()

  const enter = ({ most, reporting, runner: { id, slots, state } }: Wanted): number => {
    const under_way = asked.get(id) ?? 0
    const held = holdings.of(id).filter(({ lease }) => reporting?.has(lease) !== true).length
    const room = state === "draining" ? 0 : Math.max(0, Math.min(most, slots - held - under_way))
    if (room > 0) asked.set(id, under_way + room)
    return room
  }
  const leave = (id: string, room: number): void => {
    const left = (asked.get(id) ?? 0) - room
    if (left > 0) asked.set(id, left)
    else asked.delete(id)
  }

  /**
   * `take` is told the room there is, and notes what it is given: where it fails or is interrupted there is no answer with that work, which
   * would be nobody's until its leases have run out.
   */
  return <A, E, R>(wanted: Wanted, take: (room: number, given: Given) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => enter(wanted)),
      (room) => {
        const given: Given = []
        const giveBack = Effect.suspend(() => Effect.forkDetach(Effect.forEach([...given], Effect.exit, { discard: true })))
        return Effect.onError(take(room, given), () => giveBack)
      },
      (room) => Effect.sync(() => leave(wanted.runner.id, room))
    )
}
