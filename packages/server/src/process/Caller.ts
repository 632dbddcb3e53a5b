/**
 * On whose behalf something is done: a visitor's address, as http/ClientAddress.ts counts it, or an account.
 * A bound on everybody together comes with one on each of them (Share.ts), so that one who asks
 * for much does not keep others out.
 *
 * One answer is often made for several that wait for it, and whoever comes later must not wait for the share
 * of the one who came first: it joins, and the work then counts for whichever of them holds least.
 */
import { Context } from "effect"

/** An answer that more wait for is nobody's attempt to keep others out. */
const NAMES_MAX = 8

export class Caller {
  readonly #names: Set<string>
  readonly #waits = new Set<() => void>()

  constructor(name: string) {
    this.#names = new Set([name])
  }

  get names(): ReadonlySet<string> {
    return this.#names
  }

  /** Adds those for whom the other works; undefined works for nobody in particular. */
  join(other: Caller | undefined): void {
    if (other === undefined || other === this) return
    const before = this.#names.size
    for (const name of other.names) if (this.#names.size < NAMES_MAX) this.#names.add(name)
    if (this.#names.size > before) for (const look of [...this.#waits]) look()
  }

  /** Runs `look` whenever somebody joins, until the answer is called. */
  whenJoined(look: () => void): () => void {
    this.#waits.add(look)
    return () => void this.#waits.delete(look)
  }
}

/** Undefined for the service's own work, and for what is done before the caller is known. */
export class CurrentCaller extends Context.Reference<Caller | undefined>("agon/CurrentCaller", { defaultValue: () => undefined }) {}
