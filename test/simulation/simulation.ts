/** The simulation on the store in memory, and the search for the shortest run that fails. */
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Season from "@agon/domain/season/Season.ts"
import * as State from "@agon/domain/season/State.ts"
import * as Mailbox from "@agon/server/season/Mailbox.ts"
import * as SeasonActor from "@agon/server/season/SeasonActor.ts"
import * as MemoryStore from "../support/MemoryStore.ts"
import { ofMemory } from "./View.ts"
import { type Failed, simulate } from "./World.ts"
import type { Actor, Seen } from "./world/Run.ts"

/** The actor with its store, either of which may be a mutant. */
export interface InMemory extends Actor {
  readonly MemoryStore: typeof MemoryStore
}
const GENUINE: InMemory = { Mailbox, MemoryStore, Season, SeasonActor, State }

export const inMemory = (seed: number, steps: number, actor: InMemory = GENUINE): Effect.Effect<Seen> => {
  const memory: MemoryStore.Memory = new Map()
  const ground = {
    create: (season: string, settings: Parameters<typeof MemoryStore.createSeason>[2]) =>
      Effect.sync(() => MemoryStore.createSeason(memory, season, settings)),
    read: (season: string, seen: ReadonlySet<string>) => Effect.sync(() => ofMemory(memory.get(season)!, seen)),
    slice_ms: Infinity
  }
  return simulate({ actor, ground, seed, steps }).pipe(
    Effect.provide([actor.MemoryStore.layer(memory), Logger.layer([]), TestClock.layer()])
  ) as Effect.Effect<Seen>
}

/** Runs one seed; where it fails, tries shorter and shorter prefixes and dies with the shortest that does. */
export const hold = (seed: number, steps: number): Effect.Effect<Seen> =>
  Effect.catchDefect(inMemory(seed, steps), (defect) =>
    Effect.flatMap(shortest(seed, defect as Failed), (failed) => Effect.die(report(seed, failed)))
  )

const shortest = Effect.fnUntraced(function* (seed: number, first: Failed) {
  let best = { failed: first, steps: first.step + 1 }
  for (let low = 0, high = best.steps; low < high; ) {
    const middle = Math.floor((low + high) / 2)
    const found = yield* Effect.catchDefect(Effect.as(inMemory(seed, middle), undefined), (defect) => Effect.succeed(defect as Failed))
    if (found === undefined) low = middle + 1
    else {
      best = { failed: found, steps: middle }
      high = middle
    }
  }
  return best
})

const report = (seed: number, { failed, steps }: { readonly failed: Failed; readonly steps: number }): Error =>
  new Error(`seed ${seed}, ${steps} steps: ${failed.message}\nthe last of what was said:\n${(failed.journal ?? []).join("\n")}`, {
    cause: failed
  })
