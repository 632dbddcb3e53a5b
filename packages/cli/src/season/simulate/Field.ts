/**
 * The true strengths of a simulated season: how strong each entry is, how that changes, and how a match ends.
 * Strengths are in Elo points and drawn from N(0, spread); with a spread of 200 the rating's start is the
 * right one. Outcomes follow the logistic.
 */
import { normal } from "@agon/domain/rating/normal.ts"
import { draw, mix, type Source } from "@agon/domain/season/Random.ts"

export const FIELDS = ["static", "improving", "replaced", "crasher", "cyclic"] as const
export interface FieldOptions {
  readonly entries: number
  readonly games: number // per entry
  readonly seats: number
  /**
   * improving: entries are replaced by versions up to 100 points stronger, one an entry on average
   * and evenly over the season; replaced: by versions drawn anew; crasher: one entry in fifty
   * forfeits every match; cyclic: styles beat each other as rock, paper and scissors do, by up to 200
   * points on top of the strengths.
   */
  readonly field: (typeof FIELDS)[number]
  readonly draws: number // share of matches between equals that are drawn
  readonly spread?: number // standard deviation of the strengths, Elo points; 200 unless told
}

/** A match by seat: a higher score is better, equal scores are a draw, and a crash ranks last. */
export interface Outcome {
  readonly scores: ReadonlyArray<number>
  readonly crashed: ReadonlyArray<boolean>
}

export interface Field {
  readonly options: FieldOptions
  /** By slot. A slot is one competitor's place in the field, whichever version holds it. */
  readonly strengths: Array<number>
  readonly crashes: ReadonlyArray<boolean>
  readonly play: (slots: ReadonlyArray<number>) => Outcome
  /** The slot that gets a new version after the n-th match, if any; its strength has already changed. */
  readonly renewed: (n: number) => number | undefined
}

const SPREAD = 200
const S = 400 / Math.LN10
const ENTRIES_PER_CRASHER = 50
const IMPROVEMENT_MAX = 100
const STYLE = 100

const isCrasher = (field: FieldOptions["field"], slot: number) => field === "crasher" && slot % ENTRIES_PER_CRASHER === 0

/** Entries whose strength their matches tell. */
export const measurable = ({ entries, field }: FieldOptions): number =>
  Array.from({ length: entries }, (_, slot) => isCrasher(field, slot)).filter((crashes) => !crashes).length

export const sourceOf = (seed: number, purpose: number): Source => ({ hash: mix(Math.imul(seed, 0x9e3779b1) ^ purpose), draws: 0 })

export const makeField = (options: FieldOptions, seed: number): Field => {
  const { draws, entries, field, games, seats, spread = SPREAD } = options
  const [birth, fate, chance] = [1, 2, 3].map((purpose) => sourceOf(seed, purpose)) as [Source, Source, Source]
  const random = () => draw(chance)
  const strengths = Array.from({ length: entries }, () => spread * normal(() => draw(birth)))
  const styles = Array.from({ length: entries }, () => (field === "cyclic" ? 2 * Math.PI * draw(birth) : 0))
  const crashes = strengths.map((_, slot) => isCrasher(field, slot))
  const renewable = field === "improving" || field === "replaced"
  const matches_per_renewal = Math.max(1, Math.round(games / seats))
  return {
    options,
    strengths,
    crashes,
    play: (slots) => {
      const shown = slots.map((a) => {
        const styled = slots.reduce((sum, b) => sum + STYLE * Math.sin(styles[a]! - styles[b]!), 0)
        return strengths[a]! + styled / Math.max(1, slots.length - 1)
      })
      return { scores: scoresOf(shown, draws, random), crashed: slots.map((slot) => crashes[slot]!) }
    },
    renewed: (n) => {
      if (!renewable || n % matches_per_renewal !== 0) return undefined
      const slot = Math.floor(draw(fate) * entries)
      strengths[slot] = field === "improving" ? strengths[slot]! + IMPROVEMENT_MAX * draw(fate) : spread * normal(() => draw(fate))
      return slot
    }
  }
}

/**
 * Plackett-Luce by Gumbel noise: for two seats the logistic of the difference. Draws between neighbours in
 * the order have the probability that leaves the expected score unchanged, whatever the share of draws.
 */
const scoresOf = (shown: ReadonlyArray<number>, draws: number, random: () => number): ReadonlyArray<number> => {
  const order = shown
    .map((strength, seat) => ({ seat, strength, noisy: strength - S * Math.log(-Math.log(1 - random())) }))
    .sort((a, b) => b.noisy - a.noisy)
  const scores = shown.map(() => 0)
  let score = shown.length
  order.forEach(({ seat, strength }, i) => {
    const ahead = order[i - 1]
    if (ahead !== undefined) {
      const p = 1 / (1 + Math.exp((strength - ahead.strength) / S))
      if (random() >= (draws * Math.min(p, 1 - p)) / p) score--
    }
    scores[seat] = score
  })
  return scores
}
