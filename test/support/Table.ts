/**
 * A table in memory. Its rows are replaced and never changed, and it remembers which were: who has read it
 * before reads those alone, and a table in which nothing was written is as it was.
 */
export class Table<Key, Row> extends Map<Key, Row> {
  /** The keys of all rows that were ever written or deleted, in that order. */
  readonly touched: Array<Key> = []
  #copy: { readonly of: number; readonly rows: ReadonlyMap<Key, Row> } | undefined

  override set(key: Key, row: Row): this {
    this.touched.push(key)
    return super.set(key, row)
  }

  override delete(key: Key): boolean {
    const was = super.delete(key)
    if (was) this.touched.push(key)
    return was
  }

  override clear(): void {
    this.touched.push(...this.keys())
    super.clear()
  }

  /**
   * The rows as they are now, which stay as they are; the same copy for everybody who asks
   * before something is written.
   */
  copy(): ReadonlyMap<Key, Row> {
    if (this.#copy?.of !== this.touched.length) this.#copy = { of: this.touched.length, rows: new Map(this) }
    return this.#copy!.rows
  }
}
