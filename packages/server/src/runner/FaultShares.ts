/**
 * Of each key's last results, how many said that the engine failed. Such a result costs a match one of its tries, so a key that
 * says it time and again has a broken machine, or means harm: its runner is flagged. It is this node's memory; with several
 * nodes each sees a part of the results, and the share is the same.
 */

/** Results of a key that are remembered. */
const RESULTS_MAX = 40
/** With fewer there is no share to speak of. */
const RESULTS_MIN = 10
const SHARE_MAX = 0.2
/** Those that were heard of last. */
const KEYS_MAX = 10_000

export class FaultShares {
  readonly #results = new Map<string, Array<boolean>>()

  /** True where the key's share has just become too large; it is counted afresh then. */
  note(key: string, isFault: boolean): boolean {
    const results = this.#results.get(key) ?? []
    this.#results.delete(key)
    results.push(isFault)
    if (results.length > RESULTS_MAX) results.shift()
    const isOver = results.length >= RESULTS_MIN && results.filter(Boolean).length > SHARE_MAX * results.length
    if (isOver) return true
    this.#results.set(key, results)
    if (this.#results.size > KEYS_MAX) this.#results.delete(this.#results.keys().next().value!)
    return false
  }
}
