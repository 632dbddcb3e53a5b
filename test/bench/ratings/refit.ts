/**
 * Ratings fitted to all matches at once: the most probable strengths under a Plackett-Luce likelihood
 * with ties (for two seats Bradley-Terry with draws as half a win) and a normal prior whose spread is
 * learned from the field itself.
 */
import { type Rating, START } from "@agon/domain/rating/Rating.ts"

/** Of entries 0 to n - 1. */
export interface Match {
  readonly slots: ReadonlyArray<number>
  readonly ranks: ReadonlyArray<number> // 1 is best, equal is a tie
}

export interface Fit {
  readonly ratings: ReadonlyArray<Rating>
  readonly spread: number // deviation of the prior, Elo points
}

const S = 400 / Math.LN10
const STEPS_MAX = 40
const SPREADS_MAX = 20
const CLOSE = 0.01 // Elo points, or of the spread

/**
 * `spread`: the prior's. Where it is undefined it is learned: beginning with 200, each round takes the mean
 * square of the strengths, with what is not known of them, until it stays. Deviations are those of a normal
 * distribution of the same curvature at the top. Time: the cube of the entries for each of some thirty steps.
 */
export const refit = (entries: number, matches: ReadonlyArray<Match>, spread?: number): Fit => {
  const mu = new Float64Array(entries)
  let prior = spread ?? START.sigma
  for (let round = 0; ; round++) {
    climb(mu, matches, prior)
    const variances = variancesOf(mu, matches, prior)
    const learned = Math.sqrt(mu.reduce((sum, each, i) => sum + each * each + variances[i]!, 0) / entries)
    if (spread !== undefined || round === SPREADS_MAX || Math.abs(learned - prior) < CLOSE)
      return { ratings: Array.from(mu, (each, i) => ({ mu: each, sigma: Math.sqrt(variances[i]!) })), spread: prior }
    prior = learned
  }
}

interface Slopes {
  readonly gradient: Float64Array
  readonly hessian: Float64Array // dense, of the negative log posterior
}

const slopesOf = (mu: Float64Array, matches: ReadonlyArray<Match>, prior: number): Slopes => {
  const n = mu.length
  const gradient = Float64Array.from(mu, (each) => -each / (prior * prior))
  const hessian = new Float64Array(n * n)
  for (let i = 0; i < n; i++) hessian[i * n + i] = 1 / (prior * prior)
  for (const { ranks, slots } of matches) {
    const best = Math.max(...slots.map((slot) => mu[slot]!))
    const strength = slots.map((slot) => Math.exp((mu[slot]! - best) / S))
    for (let q = 0; q < slots.length; q++) {
      const among = slots.flatMap((_, i) => (ranks[i]! >= ranks[q]! ? [i] : []))
      const ties = ranks.filter((rank) => rank === ranks[q]).length
      const sum = among.reduce((total, i) => total + strength[i]!, 0)
      gradient[slots[q]!]! += 1 / ties / S
      for (const i of among) {
        const p = strength[i]! / sum
        gradient[slots[i]!]! -= p / ties / S
        hessian[slots[i]! * n + slots[i]!]! += p / ties / (S * S)
        for (const j of among) hessian[slots[i]! * n + slots[j]!]! -= (p * strength[j]!) / sum / ties / (S * S)
      }
    }
  }
  return { gradient, hessian }
}

const climb = (mu: Float64Array, matches: ReadonlyArray<Match>, prior: number): void => {
  for (let step = 0; step < STEPS_MAX; step++) {
    const { gradient, hessian } = slopesOf(mu, matches, prior)
    const change = solve(cholesky(hessian, mu.length), gradient)
    let most = 0
    for (let i = 0; i < mu.length; i++) {
      mu[i]! += change[i]!
      most = Math.max(most, Math.abs(change[i]!))
    }
    if (most < CLOSE) return
  }
}

/** In place: the lower triangle L with L L' = m. */
const cholesky = (m: Float64Array, n: number): Float64Array => {
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = m[i * n + j]!
      for (let k = 0; k < j; k++) sum -= m[i * n + k]! * m[j * n + k]!
      m[i * n + j] = i === j ? Math.sqrt(sum) : sum / m[j * n + j]!
    }
  }
  return m
}

const solve = (l: Float64Array, b: Float64Array): Float64Array => {
  const n = b.length
  const x = Float64Array.from(b)
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i]! -= l[i * n + k]! * x[k]!
    x[i]! /= l[i * n + i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i]! -= l[k * n + i]! * x[k]!
    x[i]! /= l[i * n + i]!
  }
  return x
}

const variancesOf = (mu: Float64Array, matches: ReadonlyArray<Match>, prior: number): Float64Array => {
  const n = mu.length
  const l = cholesky(slopesOf(mu, matches, prior).hessian, n)
  const variances = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    const unit = new Float64Array(n)
    unit[i] = 1
    variances[i] = solve(l, unit)[i]!
  }
  return variances
}
