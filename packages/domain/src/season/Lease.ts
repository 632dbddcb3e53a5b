/** A lease is named `<uuid>.<n>`: the match or review, and the number of times it has been leased. */
import type { Rules } from "./Rules.ts"

/** A lease that nobody renews runs out after this long. */
export const LEASE_MS = 30_000

/** A key that reported a match unplayable, or failed a review, is not given it again for this long; other keys are. */
export const LEASE_AGAIN_MS = 30_000

/** A key that refused a model leaves it to other keys for so long (entry/SecondOpinion.ts). */
export const OPINION_MS = 300_000

/** Starting the sandbox and fetching files, however busy runner and network are. */
const PREPARING_MS = 600_000
/**
 * A seat may use twice `infer_us_max` for each of its moves, but no more than a second, and a second more in
 * all (sandbox/match/Account.ts).
 */
const CHARGED_FACTOR = 2
const MOVE_MAX_MS = 1_000
const RESERVE_MS = 1_000
/** The rules and the encoding of one move. */
const RULES_MS = 5
/** Loading a model, and what a seat may overdraw before a strike. The sandbox gives up a load after as long. */
const LOAD_MS = 10_000
/** A machine that gives the sandbox a tenth of a processor is still in time. */
const BUSY_FACTOR = 10
/** The sandbox ends any match after a day. */
const DAY_MS = 86_400_000

/**
 * The longest life of a review's lease: the sandbox examines for at most five minutes and tries twice, and
 * its own limits are half a minute of processor time.
 */
export const REVIEW_LEASE_MAX_MS = 3_600_000

type MatchRules = Pick<Rules, "infer_us_max" | "match">

/**
 * The processor time, ms, that a match of these rules may take, with every turn played, every seat at its limit and loaded again after each
 * of its strikes: 127 s for two seats by the default rules, 508 s for eight.
 */
export const matchOwn_ms = ({ infer_us_max, match }: MatchRules, seats: number): number => {
  const move_ms = Math.min(MOVE_MAX_MS, (CHARGED_FACTOR * infer_us_max) / 1_000) + RULES_MS
  const loads_ms = (1 + match.strike_limit) * LOAD_MS
  return seats * Math.ceil(RESERVE_MS + match.max_turns * move_ms + loads_ms)
}

/**
 * The longest life of a match's lease, ms: `BUSY_FACTOR` times its processor time. A match of two seats by the
 * default rules has 31 minutes, one of eight 95. A lease that is renewed for longer belongs to a runner that
 * hangs, or lies.
 */
export const matchLeaseMax_ms = (rules: MatchRules, seats: number): number =>
  Math.min(DAY_MS, PREPARING_MS + BUSY_FACTOR * matchOwn_ms(rules, seats))

export interface Lease {
  readonly id: string
  readonly n: number
}

export const leaseName = (id: string, n: number): string => `${id}.${n}`

export const parseLease = (name: string): Lease | undefined => {
  const found = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([1-9]\d{0,8})$/.exec(name)
  return found === null ? undefined : { id: found[1]!, n: Number(found[2]) }
}

/** Give-backs of the same work that cost no attempt. A fleet that is stopped gives it back once for every runner. */
export const RETURNS_MAX = 20

/**
 * Whether work that is given back now counts as tried. Every lease that was neither counted nor
 * answered has been given back.
 */
export const isReturnedTooOften = (lease_n: number, tried: number): boolean => lease_n - tried > RETURNS_MAX * (tried + 1)

/** Work that can be leased: a match or a review. The last holder stays named. */
export interface Leased {
  lease_n: number // its leases so far
  runner: string | null
  key: string | null
  leased_at: number | null // when the lease began; null while it is not leased
  until: number | null // null while it is not leased
  released: boolean // the last lease was given back, so its result is no longer wanted
}

/** Gives the work its next lease, and answers its end. */
export const beginLease = (
  state: { readonly now: number; leaseEnd: number },
  work: Leased,
  { key, runner }: { readonly key: string; readonly runner: string }
): number => {
  const until = state.now + LEASE_MS
  work.runner = runner
  work.key = key
  work.leased_at = state.now
  work.until = until
  work.lease_n++
  work.released = false
  state.leaseEnd = Math.min(state.leaseEnd, until)
  return until
}

/** Until when leased work, a match or a review, is renewed now: no longer than the longest life of its lease. */
export const renewedUntil = (rules: Rules, work: Leased & { readonly versions?: ReadonlyArray<string> }, now: number): number => {
  const max_ms = work.versions === undefined ? REVIEW_LEASE_MAX_MS : matchLeaseMax_ms(rules, work.versions.length)
  return Math.min(now + LEASE_MS, work.leased_at! + max_ms)
}

export type LeaseState = "held" | "lost" | "released" | "unknown"

/**
 * The state of this key's lease of open work. A lease that ran out is still `held` while nobody else
 * has taken the work: its result is accepted. An old lease is `lost` for any key. Another key's latest
 * lease is `unknown` to this one.
 */
export const leaseStateOf = (work: Leased, n: number, key: string): LeaseState => {
  if (n > work.lease_n) return "unknown"
  if (n < work.lease_n) return "lost"
  if (work.key !== key) return "unknown"
  return work.released ? "released" : "held"
}
