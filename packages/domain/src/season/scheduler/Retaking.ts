/** When a key may take work again that it has left to others: a match that it reported unplayable or doubtful, a review that it failed or judged. */
import { LEASE_AGAIN_MS, OPINION_MS } from "../Lease.ts"
import { leftUntil, type Try } from "./Tries.ts"

interface Work {
  readonly until: number | null
}

interface Tried {
  readonly now: number
  readonly live: ReadonlyMap<string, Work & { readonly tries: ReadonlyArray<Try> }>
  readonly unexamined: ReadonlyArray<{ readonly at: number; readonly version: string }>
  readonly reviews: ReadonlyMap<string, Work & { readonly opinions: ReadonlyArray<{ readonly at: number }> }>
}

/** The next such time, past `now`. Leased work counts too: it may be queued by then. */
export const nextRetake = (tried: Tried): number => {
  let next = Infinity
  for (const { at } of retakes(tried)) if (at > tried.now && at < next) next = at
  return next
}

/** Whether work that nobody holds may be taken again at this time. */
export const isRetakenAt = (tried: Tried, time: number): boolean => {
  for (const { at, queued } of retakes(tried)) if (queued && at === time) return true
  return false
}

interface Retake {
  readonly at: number
  readonly queued: boolean
}

function* retakes({ live, reviews, unexamined }: Tried): Generator<Retake> {
  for (const { at, version } of unexamined) yield { at: at + LEASE_AGAIN_MS, queued: reviews.get(version)?.until === null }
  for (const { opinions, until } of reviews.values()) for (const { at } of opinions) yield { at: at + OPINION_MS, queued: until === null }
  for (const { tries, until } of live.values())
    for (const each of tries) if (each.reason !== "runner_lost") yield { at: leftUntil(each), queued: until === null }
}
