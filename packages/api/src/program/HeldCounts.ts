/** How many of something each holder has. A holder of none is forgotten, so that no more are remembered than hold something. */
export class HeldCounts {
  readonly #held = new Map<string, number>()

  of(holder: string): number {
    return this.#held.get(holder) ?? 0
  }

  enter(holder: string): void {
    this.#held.set(holder, this.of(holder) + 1)
  }

  /** Once for each time that the holder has entered. */
  leave(holder: string): void {
    const left = this.of(holder) - 1
    if (left === 0) this.#held.delete(holder)
    else this.#held.set(holder, left)
  }
}
