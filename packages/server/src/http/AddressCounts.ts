/** How many of something each client address holds. An address that holds none is forgotten. */
export class AddressCounts {
  readonly #held = new Map<string, number>()

  of(address: string): number {
    return this.#held.get(address) ?? 0
  }

  enter(address: string): void {
    this.#held.set(address, this.of(address) + 1)
  }

  /** Once for each time that the address has entered. */
  leave(address: string): void {
    const left = this.of(address) - 1
    if (left === 0) this.#held.delete(address)
    else this.#held.set(address, left)
  }
}
