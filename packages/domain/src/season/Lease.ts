/** A lease's name says which piece of work it is and which time that was handed out: `<uuid>.<n>`. */

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
 * How a lease of this key stands towards open work. A lease that ran out is still `held` while nobody has taken the
 * work since: its result is welcome. An old one is `lost` whoever asks; a live one of another key is nobody's business.
 */
export const leaseStateOf = (work: Leased, n: number, key: string): LeaseState => {
  if (n > work.lease_n) return "unknown"
  if (n < work.lease_n) return "lost"
  if (work.key !== key) return "unknown"
  return work.released ? "released" : "held"
}
