/**
 * The sums over a whole ladder that intervals of ranks need. A ladder that one page shows is read
 * anew with each answer. A longer one is read once and its sums are used for ten seconds: their
 * changes meanwhile are small beside the intervals. Some events move every rank at once, and are
 * more: the beginning of a round, ratings that are made anew, and an entry that comes or leaves,
 * behind which all ranks move by one. So sums belong to a round, to marks of such ratings and to a
 * number of entries.
 *
 * Sums that are kept are read for everybody, so the reading is the service's own work, whoever asks first: a
 * stranger who finds no connection free fails only their own request. One such reading is under way at a
 * time, so that strangers hold no more than one of the service's connections.
 */
import { type Field, fieldOf } from "@agon/domain/rating/RankField.ts"
import { Cache, Effect, Exit, Semaphore } from "effect"
import { CurrentCallerClass } from "../database/CallerClass.ts"
import type { GroupRow } from "./queries.ts"

interface OfLadder {
  readonly season_id: string
  readonly ladder: string
}

/** The longest page (docs/contract.md#lists-and-cursors). */
const READ_ANEW_MAX = 200
const USED = "10 seconds"
/** 28 KiB each. */
const LADDERS_MAX = 256

interface Reads<E> {
  readonly groups: (of: OfLadder) => Effect.Effect<ReadonlyArray<GroupRow>, E>
  /** Changes whenever the season's ratings have been made anew. */
  readonly marks: (of: OfLadder) => Effect.Effect<{ readonly marks: string }, E>
}

export const makeFields = <E>(reads: Reads<E>) =>
  Effect.gen(function* () {
    const anew = (of: OfLadder): Effect.Effect<Field, E> => Effect.map(reads.groups(of), fieldOf)
    const turn = Semaphore.makeUnsafe(1)
    const forAll = (reading: Effect.Effect<Field, E>) => turn.withPermits(1)(Effect.provideService(reading, CurrentCallerClass, "service"))
    const lookup = (name: string) => {
      const [season_id, ladder] = name.split(" ") as [string, string]
      return forAll(anew({ season_id, ladder }))
    }
    const kept = yield* Cache.makeWith(lookup, {
      capacity: LADDERS_MAX,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? USED : 0)
    })
    /** The ladder's sums; those who need the same ones together wait for one reading. */
    return ({ round, ...of }: OfLadder & { readonly round: number }, entries: number) =>
      entries <= READ_ANEW_MAX
        ? anew(of)
        : Effect.flatMap(reads.marks(of), ({ marks }) => Cache.get(kept, `${of.season_id} ${of.ladder} ${round} ${entries} ${marks}`))
  })
