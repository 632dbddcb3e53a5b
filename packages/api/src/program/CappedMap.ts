/** A map with a bound on its entries: beyond it the ones that were set least recently are dropped. */
export class CappedMap<K, V> extends Map<K, V> {
  readonly #entries_max: number

  constructor(entries_max: number) {
    super()
    this.#entries_max = entries_max
  }

  /** Makes the entry the last one to be dropped, also where the key is there already. */
  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#entries_max) this.delete(this.keys().next().value!)
    return this
  }
}
