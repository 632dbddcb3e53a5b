/** A lease is named `<uuid>.<n>`: the match or review, and the number of times it has been leased. */

export const LEASE_MS = 30_000

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

/** Whether work that is given back now counts as tried. Every lease that was neither counted nor answered has been given back. */
export const isReturnedTooOften = (lease_n: number, tried: number): boolean => lease_n - tried > RETURNS_MAX * (tried + 1)

/** Work that can be leased: a match or a review. */
export interface Leased {
  lease_n: number
  runner: string | null
  key: string | null
  until: number | null
  released: boolean
}

export type LeaseState = "held" | "lost" | "released" | "unknown"

/**
 * The state of this key's lease of open work. A lease that ran out is still `held` while nobody else has taken the
 * work: its result is accepted. An old lease is `lost` for any key. Another key's latest lease is `unknown` to this one.
 */
export const leaseStateOf = (work: Leased, n: number, key: string): LeaseState => {
  if (n > work.lease_n) return "unknown"
  if (n < work.lease_n) return "lost"
  if (work.key !== key) return "unknown"
  return work.released ? "released" : "held"
}
