/**
 * The replay file as the contract's "Replay" and "Randomness" describe it, for a reader who has nothing but
 * that text: this folder re-plays matches without importing anything of ours.
 */
import { createHash } from "node:crypto"

export interface Board {
  readonly rows: number
  readonly cols: number
  readonly [key: string]: unknown
}
export interface Replay<B extends Board = Board> {
  readonly game: string
  readonly rules: { readonly max_turns: number; readonly strike_limit: number }
  readonly board: B
  readonly board_sha256: string
  readonly seed: number
  readonly moves: ReadonlyArray<ReadonlyArray<number | null>>
  readonly strikes: ReadonlyArray<{ readonly turn: number; readonly seat: number; readonly code: string }>
}
/** The outcome of a re-play, under the names that the replay has for it. */
export interface Account {
  readonly reason: string | null
  readonly turns: number
  readonly scores: ReadonlyArray<number>
  readonly ranks: ReadonlyArray<number>
  readonly events: ReadonlyArray<object>
  readonly state_sha256: string
}

/** Keys sorted, no white space, UTF-8, integers plain. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(",")}}`
}
export const sha256 = (value: unknown): string => createHash("sha256").update(canonical(value), "utf8").digest("hex")

/** mulberry32, whose counter starts as the seed. */
export class Dice {
  counter: number
  constructor(seed: number) {
    this.counter = seed
  }
  next(): number {
    this.counter = (this.counter + 0x6d2b79f5) % 2 ** 32
    let t = Math.imul(this.counter ^ (this.counter >>> 15), this.counter | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
  below(n: number): number {
    for (;;) {
      const x = this.next()
      if (x < 2 ** 32 - (2 ** 32 % n)) return x % n
    }
  }
}

/** Forfeits after all others, among themselves by score too; higher scores first; equal ones share a rank. */
export const ranksOf = (seats: ReadonlyArray<{ readonly score: number; readonly forfeit: boolean }>): ReadonlyArray<number> =>
  seats.map((one) => 1 + seats.filter((other) => (one.forfeit === other.forfeit ? other.score > one.score : one.forfeit)).length)
