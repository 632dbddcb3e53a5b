/**
 * The share of each key's last results that reported an engine failure. Such a result costs a match
 * one of its tries, so a key that reports it repeatedly has a broken machine, or is malicious: its
 * runner is flagged. The memory is this node's; with several nodes each sees a sample of the
 * results, with the same share.
 */
import { CappedMap } from "@agon/api/program/CappedMap.ts"

/** Results remembered for each key. */
const RESULTS_MAX = 40
/** With fewer results the share means little. */
const RESULTS_MIN = 10
const SHARE_MAX = 0.2
/** Keys remembered: those with the latest results. */
const KEYS_MAX = 10_000

export class FaultShares {
  readonly #results = new CappedMap<string, Array<boolean>>(KEYS_MAX)

  /** True where the key's share has just become too large; its count then starts again. */
  note(key: string, isFault: boolean): boolean {
    const results = this.#results.get(key) ?? []
    results.push(isFault)
    if (results.length > RESULTS_MAX) results.shift()
    const isOver = results.length >= RESULTS_MIN && results.filter(Boolean).length > SHARE_MAX * results.length
    if (isOver) this.#results.delete(key)
    else this.#results.set(key, results)
    return isOver
  }
}
