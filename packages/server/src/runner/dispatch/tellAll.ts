/**
 * Tells the seasons of a lease request what it says of them.
 *
 * all others, side by side: one that does not answer is waited for ten seconds, a runner for its answer fifteen
 *   └─▶ the season whose turn it is, with the request for work, unless another did not hear what it was told
 */

import type { InvalidRequest, Unavailable } from "@agon/api/Problem.ts"
import type { LeasedAcceptance } from "@agon/api/runner/protocol.ts"
import { Effect } from "effect"
import type { Answered, Said } from "../result/tellSeason.ts"
import type { LeasePayload } from "../work/LeasePayloads.ts"
import type { About, BySeason } from "./bySeason.ts"
import { TOGETHER } from "./SeasonCalls.ts"

interface Turn {
  /** None where no season is asked for work. */
  readonly season: string | undefined
  /** How much work it is asked for. */
  readonly share: number
}

/** The answers of the seasons together. */
interface Heard {
  readonly receipts: ReadonlyArray<LeasedAcceptance>
  /** Work of the season whose turn it was. */
  readonly works: ReadonlyArray<LeasePayload>
  /** Where that season was only asked for work, and is away. */
  readonly away?: Unavailable | undefined
  /** Of a season that did not hear what it was told: the request is to be repeated. */
  readonly unheard?: Unavailable | undefined
}

type Tell = (season: string, said: Said) => Effect.Effect<Answered, InvalidRequest | Unavailable>

export const tellAll = Effect.fnUntraced(function* (tell: Tell, about: BySeason, turn: Turn) {
  const others = [...about].filter(([id]) => id === undefined || id !== turn.season)
  const heard = others.length === 0 ? [] : yield* Effect.forEach(others, ([id, said]) => toldTo(tell, id, said, 0), TOGETHER)
  const own = turn.season === undefined ? undefined : about.get(turn.season)
  if (own !== undefined) {
    const isUnheard = heard.some(({ unheard }) => unheard !== undefined)
    heard.push(yield* toldTo(tell, turn.season, own, isUnheard ? 0 : turn.share))
  }
  return {
    receipts: heard.flatMap(({ receipts }) => receipts),
    works: heard.flatMap(({ works }) => works),
    away: heard.find(({ away }) => away !== undefined)?.away,
    unheard: heard.find(({ unheard }) => unheard !== undefined)?.unheard
  } satisfies Heard
})

const NOTHING: Heard = { receipts: [], works: [] }

/** `season`: undefined for work that has never existed. */
const toldTo = (
  tell: Tell,
  season: string | undefined,
  { lost, results }: About,
  max: number
): Effect.Effect<Heard, InvalidRequest | Unavailable> => {
  if (season === undefined) {
    return Effect.succeed({ ...NOTHING, receipts: results.map(({ lease }) => ({ lease, accepted: false, reason: "unknown" }) as const) })
  }
  const isOnlyAsked = results.length === 0 && lost === undefined
  return Effect.catchTag(tell(season, { results, lost, max }), "unavailable", (error) =>
    Effect.succeed({ ...NOTHING, [isOnlyAsked ? "away" : "unheard"]: error })
  )
}
