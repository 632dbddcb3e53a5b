/** The simulation on the store in memory, and the search for the shortest run that fails. */

import * as Season from "@agon/domain/season/Season.ts"
import * as State from "@agon/domain/season/State.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import * as SeasonActor from "@agon/server/actor/SeasonActor.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { RATINGS_PER_S } from "@agon/server/actor/WaitingRatings.ts"
import { Effect, Layer, Logger } from "effect"
import * as MemoryStore from "../support/MemoryStore.ts"
import * as Beside from "./audit/Beside.ts"
import { type Known, ofMemory, type Read, unread } from "./View.ts"
import { type Failed, simulate } from "./World.ts"
import type { Outside } from "./world/Outside.ts"
import type { Actor, Seen } from "./world/Run.ts"
import * as WorldClock from "./world/WorldClock.ts"

/** In every second season ratings wait for their rows, as they do where thousands of matches are played in a second. */
export const ratingsPerS = (seed: number) => (seed % 4 < 2 ? 0.5 : RATINGS_PER_S)

/** In every eighth a second season is played in the same store; ratings wait in both. */
const isBeside = (seed: number): boolean => seed % 8 === 1 || seed % 16 === 8

/** In every eighth people ask while a fold is read, and are obeyed in one batch with it. */
const isCrowded = (seed: number): boolean => seed % 8 === 7

/**
 * The share of what administrators say that excludes entries: half in every eighth seed, one of odd
 * number and one of even in sixteen.
 */
const exclusionsOf = (seed: number): number => (seed % 16 === 5 || seed % 16 === 12 ? 0.5 : 0.15)

/** The actor with its store, either of which may be a mutant. */
export interface InMemory extends Actor {
  readonly MemoryStore: typeof MemoryStore
}
const GENUINE: InMemory = { Mailbox, MemoryStore, Season, SeasonActor, State }

/** Who looks at its calls, or makes them take real time. */
export interface Watching {
  readonly store: (store: SeasonStore["Service"]) => SeasonStore["Service"]
  readonly outside?: Outside
}
const UNWATCHED: Watching = { store: (store) => store }

export const inMemory = (seed: number, steps: number, actor: InMemory = GENUINE, watching: Watching = UNWATCHED): Effect.Effect<Seen> => {
  const memory: MemoryStore.Memory = new Map()
  const reads = new Map<string, Read>()
  const ground = {
    create: (season: string, settings: Parameters<typeof MemoryStore.createSeason>[2]) =>
      Effect.sync(() => {
        MemoryStore.createSeason(memory, season, settings)
        reads.set(season, unread())
      }),
    read: (season: string, known: Known) => Effect.sync(() => ofMemory(memory.get(season)!, known, reads.get(season))),
    ...(watching.outside === undefined ? {} : { outside: watching.outside })
  }
  const beside = Beside.make(memory)
  const [watched, setting] = isBeside(seed) ? [beside.watched, { beside }] : [UNWATCHED.store, {}]
  const store = Layer.effect(
    SeasonStore,
    Effect.map(SeasonStore, (store) => watching.store(watched(store)))
  ).pipe(Layer.provide(actor.MemoryStore.layer(memory, ratingsPerS(seed))))
  return simulate({ actor, ground, seed, steps, crowded: isCrowded(seed), exclusions: exclusionsOf(seed), ...setting }).pipe(
    Effect.provide(store),
    Effect.provide([Logger.layer([]), WorldClock.layer]) // the store's own clock is the world's, too
  ) as Effect.Effect<Seen>
}

/** Runs one seed; where it fails, looks for the shortest prefix that does, and dies with that. */
export const hold = (seed: number, steps: number, actor: InMemory = GENUINE): Effect.Effect<Seen> =>
  Effect.catchDefect(inMemory(seed, steps, actor), (defect) =>
    Effect.flatMap(shortest({ seed, steps, actor }, defect as Failed), (found) => Effect.die(report(seed, found)))
  )

interface Shortest {
  readonly failed: Failed
  readonly steps: number
}

/**
 * By halves, between the longest prefix known to hold and the shortest known to fail; one step
 * less than what is found holds.
 */
const shortest = Effect.fnUntraced(function* (run: { seed: number; steps: number; actor: InMemory }, first: Failed) {
  const failing = (steps: number) =>
    Effect.catchDefect(Effect.as(inMemory(run.seed, steps, run.actor), undefined), (defect) => Effect.succeed(defect as Failed))
  let best: Shortest = { failed: first, steps: run.steps }
  let [held, next] = [-1, Math.min(run.steps - 1, first.step + 1)] // it is over soon after the step in which it was seen
  while (best.steps - held > 1) {
    const found = yield* failing(next)
    if (found === undefined) held = next
    else best = { failed: found, steps: next }
    next = Math.floor((held + best.steps) / 2)
  }
  return best
})

const report = (seed: number, { failed, steps }: Shortest): Error =>
  new Error(`seed ${seed}, ${steps} steps: ${failed.message}\nthe last of what was said:\n${(failed.journal ?? []).join("\n")}`, {
    cause: failed
  })
