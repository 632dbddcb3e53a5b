/** A bounded memory of immutable values: the oldest leaves first. */
export class Remembered<A> {
  readonly #entries = new Map<string, A>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(key: string): A | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: A): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#max) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
