/** The seasons that a runner may serve are asked for work in turn, each up to its share. */

import { Clock, Effect } from "effect"
import { type OpenSeason, OpenSeasons } from "../../actor/OpenSeasons.ts"
import { Parking } from "../../parking/Parking.ts"
import { toItsEnd } from "../../process/toItsEnd.ts"
import { plays, type Said } from "../result/tellSeason.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import type { Caller } from "../session/Runners.ts"
import type { LeasePayload } from "../work/LeasePayloads.ts"
import { AwaySeasons } from "./AwaySeasons.ts"
import { makeAudit } from "./audits.ts"
import { makeFairnessOfNodes } from "./FairnessOfNodes.ts"
import { SeasonCalls } from "./SeasonCalls.ts"
import { type Given, makeSlots } from "./Slots.ts"

interface Filling {
  readonly given: Given
  /** How much one season may give before the others were asked. */
  readonly share: number
  /** Whether seasons that have just given nothing are passed over: the request may wait, or brings results. */
  readonly passesOver: boolean
  readonly first?: Asked | undefined
  /** Seasons whose work is left to who has waited for long. */
  readonly isLeft?: (season: string) => boolean
}

/** The season whose turn it was, how many leases it gave, and whether it is away. */
interface Asked {
  readonly season: string
  readonly given: number
  readonly failed: boolean
}

/**
 * Where a runner's next work comes from: a match that waits to be played again, then the
 * seasons that it may serve, in turn.
 */
export const makeTurns = Effect.gen(function* () {
  const seasons = yield* OpenSeasons
  const parking = yield* Parking
  const known = yield* KnownRuntimes
  const [fairness, mayAsk] = [yield* makeFairnessOfNodes, mayAskWith(known)]
  const away = new AwaySeasons(yield* Clock.Clock)

  /**
   * Seasons that are told something in any case come first while they are not far ahead, and are never passed
   * over. Work done by a season's own runners does not count towards its share of the platform's.
   */
  const inTurn = (caller: Caller, passesOver: boolean, isTold: (id: string) => boolean = () => false): ReadonlyArray<OpenSeason> => {
    const kind = kindOf(caller)
    const refused = ({ id }: OpenSeason) => passesOver && !isTold(id) && parking.refused(id, kind, caller.key.id)
    const mayBeAsked = seasons.list().filter((season) => mayAsk(caller, season) && !refused(season))
    return away.behind(fairness.order(mayBeAsked, isTold))
  }

  const tell = yield* makeTell(away, fairness)

  /** How much of the room one season may fill before the others were asked. */
  const shareOf = (caller: Caller, room: number): number => (room <= 1 ? room : fairness.share(inTurn(caller, false), room))

  /** Takes work from one season; one that is away has none now. */
  const take = (caller: Caller, season: string, max: number, given: Given) =>
    Effect.map(tell(caller, season, { results: [], max }, given), ({ works }) => works).pipe(
      Effect.catchTag("unavailable", () => Effect.succeed([]))
    )

  /**
   * Fills the room from the seasons in turn, from each its share, then from those that have more. `first` was
   * asked already. After one that is away only seasons of this node are asked: more may live where it does,
   * and each takes seconds to find out.
   */
  const fill = Effect.fnUntraced(function* (caller: Caller, room: number, { first, given, isLeft, passesOver, share }: Filling) {
    if (room <= 0) return []
    const leases: Array<LeasePayload> = []
    const more = first !== undefined && first.given >= share ? [first.season] : []
    let failed = first?.failed === true
    for (const { id } of inTurn(caller, passesOver)) {
      if (leases.length >= room) return leases
      if (id === first?.season || (failed && !fairness.isHome(id)) || (leases.length > 0 && away.has(id)) || isLeft?.(id) === true) continue
      const max = Math.min(share, room - leases.length)
      const works = yield* take(caller, id, max, given)
      failed ||= away.has(id)
      if (works.length === max) more.push(id)
      leases.push(...works)
    }
    for (const id of more) if (leases.length < room) leases.push(...(yield* take(caller, id, room - leases.length, given)))
    return leases
  })

  const inSlots = makeSlots((yield* SeasonCalls).holdings)
  return { audit: yield* makeAudit, came: fairness.came, inTurn, inSlots, shareOf, tell, fill }
})

/** The message to one season, and what is noted of its answer. */
const makeTell = Effect.fnUntraced(function* (away: AwaySeasons, fairness: Effect.Success<typeof makeFairnessOfNodes>) {
  const [calls, parking] = [yield* SeasonCalls, yield* Parking]

  const told = Effect.fnUntraced(function* (caller: Caller, season: string, said: Said, given: Given) {
    const since = parking.signal()
    const failed = () => {
      away.failed(season)
      calls.holdings.forget(caller.runner.id) // what it heard, and what it gave, is known by its rows alone
    }
    const answered = yield* Effect.tapErrorTag(calls.tell(caller, season, said), "unavailable", () => Effect.sync(failed))
    away.answered(season)
    const leases = answered.works.length
    if (leases > 0) given.push(giveBack(calls, caller.runner.id, season, answered.leases))
    if (caller.key.season_id === null) {
      if (leases > 0) fairness.served(season, leases)
      else if (said.max > 0) fairness.idle(season)
    }
    if (said.max > 0) parking.told(season, kindOf(caller), since, leases > 0, caller.key.id)
    return answered
  })

  /** Runs on where the request ends, as where its runner has news: the season may have been asked already. */
  return (caller: Caller, season: string, said: Said, given: Given) =>
    toItsEnd(told(caller, season, said, given), ({ leases }) => giveBack(calls, caller.runner.id, season, leases))
})

/** Leases that a season gave to a runner that had ended its request go back. */
const giveBack = Effect.fnUntraced(function* (
  calls: SeasonCalls["Service"],
  runner: string,
  season: string,
  leases: ReadonlyArray<string>
) {
  if (leases.length === 0) return
  yield* calls.ask(season, [{ _tag: "HoldOnly", runner, holds: [], among: leases }])
  for (const lease of leases) calls.holdings.drop(lease)
})

/** A season would give runners of one kind the same work, but for what it keeps from their keys. */
export const kindOf = ({ key, runner: { accepts, engines, runtime_version } }: Caller): string =>
  `${key.season_id ?? "platform"} ${runtime_version} ${accepts.join()} ${engines.map(({ engine_digest, game }) => `${game}:${engine_digest}`).join()}`

/** Whether a runner may ask a season: its key serves the season, it has the engine, and its runtime is known. */
export const mayAskWith =
  (known: ReadonlySet<string>) =>
  ({ key, runner }: Caller, season: OpenSeason) =>
    (key.season_id ?? season.id) === season.id && plays(runner, season) && known.has(runner.runtime_version)
