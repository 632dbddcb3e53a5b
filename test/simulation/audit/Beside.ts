/**
 * Two seasons in one store, with the same boards, entries, owners and keys: a write of one leaves
 * every row of the other as it was. The store in memory replaces rows and never changes them, and its
 * tables count what was touched.
 */

import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { Effect, Semaphore } from "effect"
import type { Memory, Rows } from "../../support/MemoryStore.ts"
import { Table } from "../../support/Table.ts"
import { must } from "./Promise.ts"

export interface Beside {
  /**
   * The store, watched: every call that writes rows is followed by a look at the rows of all other seasons;
   * those that only read are named.
   */
  readonly watched: (store: SeasonStore["Service"]) => SeasonStore["Service"]
  /** New seasons take the stage: those before them are not looked at any more. */
  readonly begin: () => void
  /** The first promise that was broken. */
  broken: unknown
}

type Copy = Readonly<Record<string, unknown>>

export const make = (memory: Memory): Beside => {
  const before = new Map<string, Copy>()
  const turn = Semaphore.makeUnsafe(1) // nobody else writes between a call and the look that follows it
  const look = (season: string): void => {
    for (const [other, copy] of before) {
      const touched = other === season ? [] : touchedOf(copy, memory.get(other)!)
      must(touched.length === 0, "what is written of one season leaves the other's rows as they were", season, other, touched)
    }
    if (memory.has(season)) before.set(season, copyOf(memory.get(season)!))
  }
  const lookAfter = <A, E>(season: string, call: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    const looked = Effect.sync(() => {
      try {
        look(season)
      } catch (cause) {
        beside.broken ??= cause
      }
    })
    return turn.withPermits(1)(Effect.uninterruptible(Effect.ensuring(call, looked)))
  }
  const beside: Beside = {
    watched: ({ answerOf, claim, commit, log, open, removed, written }) => {
      const { earlier, ended, left, page, place, rewrite } = log
      return SeasonStore.of({
        answerOf,
        open,
        removed,
        written,
        claim: (season) => lookAfter(season, claim(season)),
        commit: (fence, state) => lookAfter(fence.season, commit(fence, state)),
        log: { earlier, ended, left, page, place, rewrite: (fence, changes) => lookAfter(fence.season, rewrite(fence, changes)) }
      })
    },
    begin: () => before.clear(),
    broken: undefined
  }
  return beside
}

const copyOf = (rows: Rows): Copy => Object.fromEntries(Object.entries(rows).map(([table, held]) => [table, marked(held)]))

/** A table is as it was as long as nothing was written in it: the list of touched rows only grows. */
const marked = (held: unknown): unknown => (held instanceof Table ? held.touched.length : isList(held) ? [...held] : held)

const isList = (held: unknown): held is ReadonlyArray<unknown> => Array.isArray(held)

/** The tables that are not as they were. */
const touchedOf = (copy: Copy, rows: Rows): ReadonlyArray<string> =>
  Object.entries(rows).flatMap(([table, held]) => (isSame(copy[table], held) ? [] : [table]))

const isSame = (was: unknown, is: unknown): boolean => {
  if (isList(was) && isList(is)) return was.length === is.length && is.every((row, i) => was[i] === row)
  return was === (is instanceof Table ? is.touched.length : is)
}
