/**
 * A store and a listener that fail as databases and networks do. A misfortune waits for the actor at one point of its
 * course: there the call is refused, hangs until somebody loses patience, takes its time, or the actor is killed; or
 * another actor claims the season at that very moment.
 */

import type { State } from "@agon/domain/season/State.ts"
import { type PublishedEvent, SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { type Claimed, type SeasonLog, SeasonStore, StoreFailed } from "@agon/server/actor/SeasonStore.ts"
import { Effect, Layer, Semaphore } from "effect"
import type { Outside } from "./Outside.ts"
import { count, type Seen } from "./Run.ts"

export const POINTS = ["claim", "claimed", "log", "fold", "rewrite", "commit", "committed", "tell"] as const
/**
 * Before and after a claim is read, before the actor reads the log, before the fold beside it does or writes,
 * before and after a commit is written, before listeners are told.
 */
export type Point = (typeof POINTS)[number]
export type Misfortune = "refused" | "hung" | "killed" | "slow" | "stolen"

/** Faults by their place, with how long it takes until nobody waits for one any more. */
export const MISFORTUNES: ReadonlyArray<{ readonly point: Point; readonly what: Misfortune; readonly wait_ms: number }> = [
  { point: "claim", what: "refused", wait_ms: 0 },
  { point: "claim", what: "hung", wait_ms: 0 },
  { point: "claim", what: "killed", wait_ms: 0 },
  { point: "claimed", what: "refused", wait_ms: 0 },
  { point: "claimed", what: "killed", wait_ms: 0 },
  { point: "log", what: "refused", wait_ms: 0 },
  { point: "log", what: "hung", wait_ms: 5_100 },
  { point: "log", what: "killed", wait_ms: 0 },
  { point: "fold", what: "refused", wait_ms: 1_100 },
  { point: "fold", what: "hung", wait_ms: 31_100 },
  { point: "fold", what: "killed", wait_ms: 0 },
  { point: "rewrite", what: "refused", wait_ms: 1_100 },
  { point: "rewrite", what: "killed", wait_ms: 0 },
  { point: "commit", what: "refused", wait_ms: 0 },
  { point: "commit", what: "hung", wait_ms: 10_100 },
  { point: "commit", what: "killed", wait_ms: 0 },
  { point: "commit", what: "slow", wait_ms: 0 },
  { point: "commit", what: "stolen", wait_ms: 0 },
  { point: "committed", what: "refused", wait_ms: 0 },
  { point: "committed", what: "hung", wait_ms: 10_100 },
  { point: "committed", what: "killed", wait_ms: 0 },
  { point: "tell", what: "refused", wait_ms: 0 },
  { point: "tell", what: "hung", wait_ms: 2_100 },
  { point: "tell", what: "killed", wait_ms: 0 }
]

export interface Faults {
  readonly store: SeasonStore["Service"]
  readonly listener: Layer.Layer<SeasonEvents>
  /** Another actor claims the season, while nobody else does anything. */
  readonly steal: Effect.Effect<void>
  /** The fault that waits at each point, once. */
  readonly plan: Map<Point, Misfortune>
  /** Until this time of the world the store is away: every call is refused at once. */
  away_until: number
  /** Calls of the store that have not come back. */
  busy: number
  /** Commits held back: due events may not be in the rows yet. */
  late: number
  /** The actor's state, while it is what its rows say. */
  clean: State | undefined
}

export interface Witness {
  readonly outside: Outside | undefined
  readonly written: Effect.Effect<void>
  /** The time of the store's own clock: the world's, wherever the rows are. */
  readonly world: () => number
  readonly claimed: (epoch: number) => void
  readonly committed: (epoch: number) => void
  /** Listeners are told. */
  readonly published: () => void
}

const SLOW = "50 millis"
/** Shorter than a slow commit, which is written meanwhile: the fold is over first, and waits to be installed. */
const SLOW_FOLD = "25 millis"
/**
 * When people ask meanwhile: the first is in the slow commit, the others wait behind it, for the
 * batch that installs the fold.
 */
export const CROWD_MS = [1, 20, 20]
/** The slow commit may begin with the last of them. */
export const CROWD_WAIT_MS = 50

/**
 * `written` sees the rows after every commit that was written, and after every claim;
 * `claimed` and `committed` the epochs.
 */
export const make = (
  season: string,
  store: SeasonStore["Service"],
  seen: Seen,
  { claimed, committed, outside, published, world, written }: Witness
): Faults => {
  const counted = <A, E>(call: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      faults.busy++
      return Effect.onExit(outside === undefined ? call : outside.call(call), () => Effect.sync(() => void faults.busy--))
    })
  const slowly = Effect.suspend(() => {
    faults.late++
    return Effect.onExit(Effect.sleep(SLOW), () => Effect.sync(() => void faults.late--))
  })
  const claim = Effect.suspend(() => counted(store.claim(season)))
  const witnessed = <E>(claim: Effect.Effect<Claimed, E>) => Effect.tap(claim, ({ fence }) => Effect.sync(() => claimed(fence.epoch)))
  const plan: Faults["plan"] = new Map()
  const failed = new StoreFailed({ season, cause: "bad luck" })
  const there: Effect.Effect<void, StoreFailed> = Effect.suspend(() => {
    if (world() >= faults.away_until) return Effect.void
    count(seen, "refused by a store that is away")
    return Effect.fail(failed)
  })
  const reached = <A, E>(call: Effect.Effect<A, E>) => Effect.andThen(there, counted(call))
  const strike = striking({ plan, seen, failed, slowly, steal: Effect.ignore(witnessed(claim)) })
  const alone = Semaphore.makeUnsafe(1).withPermits(1) // the rows are looked at as a commit has left them
  const faults: Faults = {
    store: spoilt(),
    listener: listening(seen, strike, published),
    steal: Effect.ignore(witnessed(Effect.suspend(() => store.claim(season)))),
    plan,
    away_until: 0,
    busy: 0,
    late: 0,
    clean: undefined
  }
  return faults

  function spoilt(): SeasonStore["Service"] {
    return SeasonStore.of({
      answerOf: (season, lease, key) => reached(store.answerOf(season, lease, key)),
      removed: (season, owners) => reached(store.removed(season, owners)),
      written: (season, ids) => reached(store.written(season, ids)),
      log: spoiltLog(store.log, { alone, reached, plan, seen, strike }),
      open: store.open, // nobody on stage asks; while any other call is out, time stands still
      claim: () =>
        Effect.gen(function* () {
          yield* strike("claim")
          yield* there
          const found = yield* witnessed(Effect.tap(claim, () => counted(written))) // what was written before it is not its own
          yield* strike("claimed")
          return { ...found, fence: { ...found.fence, at: world() } }
        }),
      commit: (fence, state) =>
        Effect.gen(function* () {
          faults.clean = undefined
          yield* strike("commit")
          yield* there
          const next = yield* alone(counted(Effect.tap(store.commit(fence, state), () => written)))
          committed(fence.epoch)
          if (next.waiting.due < Infinity) count(seen, "ratings wait")
          yield* strike("committed")
          faults.clean = state
          return { ...next, at: world() }
        })
    })
  }
}

interface Striking {
  readonly plan: Map<Point, Misfortune>
  readonly seen: Seen
  readonly failed: StoreFailed
  readonly slowly: Effect.Effect<void>
  readonly steal: Effect.Effect<void>
}

/** The fault that waits at a point happens to whoever comes there. */
const striking =
  ({ failed, plan, seen, slowly, steal }: Striking) =>
  (point: Point): Effect.Effect<void, StoreFailed> =>
    Effect.suspend(() => {
      const what = plan.get(point)
      plan.delete(point)
      if (what === undefined) return Effect.void
      count(seen, `${what} at ${point}`)
      if (what === "refused") return Effect.fail(failed)
      if (what === "hung") return Effect.never
      if (what === "killed") return Effect.interrupt
      return what === "slow" ? slowly : steal
    })

interface Spoiling {
  readonly alone: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly reached: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreFailed>
  readonly plan: Map<Point, Misfortune>
  readonly seen: Seen
  readonly strike: (point: Point) => Effect.Effect<void, StoreFailed>
}

const spoiltLog = (log: SeasonLog, { alone, plan, reached, seen, strike }: Spoiling): SeasonLog => {
  /**
   * A process killed beside the season takes it along at the next commit. While the one is slow,
   * so is the other's next commit.
   */
  const strikeBeside = (point: Point) =>
    Effect.suspend(() => {
      const what = plan.get(point)
      if (what !== "killed" && what !== "slow") return strike(point)
      plan.delete(point)
      plan.set("commit", what)
      count(seen, `${what} at ${point}`)
      return what === "killed" ? Effect.never : Effect.sleep(SLOW_FOLD)
    })
  return {
    ended: (season, matches) => Effect.andThen(strike("log"), reached(log.ended(season, matches))),
    place: (season, round) => reached(log.place(season, round)),
    page: (season, place, limit, end) =>
      Effect.andThen(end ? strike("log") : strikeBeside("fold"), reached(log.page(season, place, limit, end))),
    earlier: (...of) => reached(log.earlier(...of)),
    left: (season, versions) => reached(log.left(season, versions)),
    rewrite: (fence, changes) => Effect.andThen(strikeBeside("rewrite"), alone(reached(log.rewrite(fence, changes))))
  }
}

/** Counts what it is told of; where it is struck by an error that nobody expects, the season goes on. */
const listening = (
  seen: Seen,
  strike: (point: Point) => Effect.Effect<void, StoreFailed>,
  published: () => void
): Layer.Layer<SeasonEvents> =>
  Layer.succeed(
    SeasonEvents,
    SeasonEvents.of({
      claimed: () => Effect.void,
      publish: (_, events: ReadonlyArray<PublishedEvent>) =>
        Effect.suspend(() => {
          published()
          for (const { _tag } of events) count(seen, `event ${_tag}`)
          return Effect.orDie(strike("tell"))
        })
    })
  )
