/**
 * Timeouts that one key alone reports. No other machine can deny a timeout: it depends on the first one, and an audit plays the
 * match with those of its replay. But a model that is late under one key, and never under another that has played it
 * often, is late by that key's machines, or by their word.
 *
 * a sound replay ─▶ a seat was late whose model another key has played CLEAN_MIN times, never late ─▶ the match counts against its key
 *                                        LONE_MAX of a key's last results ─▶ the audit log names the runner (`runner.doubt`)
 *
 * Nothing else follows: of two keys that differ about a model either may be wrong. The memory is this node's, and begins
 * anew when it starts.
 */
import { CappedMap } from "@agon/api/program/CappedMap.ts"

/** Matches of a model under another key, none of them late, that speak against a timeout. */
export const CLEAN_MIN = 10
/** So many such matches of a key are told of. */
export const LONE_MAX = 5
/** Those before so many of its results count half, and so on. */
const RESULTS_MAX = 1_000
const MODELS_MAX = 4_096
/** Of a model the keys that played it last. */
const KEYS_OF_MODEL_MAX = 16
const KEYS_MAX = 4_096
/** A match may be checked twice (ReplayCheck.ts), and counts once. */
const MATCHES_MAX = 16_384

interface Record {
  played: number
  late: number
}

export interface Timed {
  readonly match: string
  readonly key: string
  /** Whose model sat where, and whether it was late. */
  readonly seats: ReadonlyArray<{ readonly model: string; readonly late: boolean }>
}

export class LoneTimeouts {
  readonly #models = new CappedMap<string, CappedMap<string, Record>>(MODELS_MAX)
  readonly #noted = new CappedMap<string, true>(MATCHES_MAX)
  readonly #keys = new CappedMap<string, { played: number; lone: Array<string> }>(KEYS_MAX)

  /** The key's matches with timeouts of its own, once they are too many; its count then starts again. */
  note({ key, match, seats }: Timed): ReadonlyArray<string> | undefined {
    if (this.#noted.get(match) === true) return undefined
    this.#noted.set(match, true)
    const isLone = seats.some(({ late, model }) => late && this.#isCleanElsewhere(model, key))
    for (const seat of seats) this.#add(seat, key)
    const of = this.#keys.get(key) ?? { played: 0, lone: [] }
    this.#keys.set(key, of)
    if (++of.played > RESULTS_MAX) {
      of.played /= 2
      of.lone = of.lone.slice(Math.ceil(of.lone.length / 2))
    }
    if (isLone && of.lone.push(match) >= LONE_MAX) {
      this.#keys.delete(key)
      return of.lone
    }
    return undefined
  }

  #isCleanElsewhere(model: string, key: string): boolean {
    const records = [...(this.#models.get(model) ?? [])]
    return records.some(([other, { late, played }]) => other !== key && late === 0 && played >= CLEAN_MIN)
  }

  #add({ late, model }: Timed["seats"][number], key: string): void {
    const keys = this.#models.get(model) ?? new CappedMap<string, Record>(KEYS_OF_MODEL_MAX)
    const record = keys.get(key) ?? { played: 0, late: 0 }
    record.played++
    if (late) record.late++
    this.#models.set(model, keys.set(key, record))
  }
}
