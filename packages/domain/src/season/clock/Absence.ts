/**
 * A season that was away (its service stopped, it moved) takes nobody's time for it: whoever holds work could not heartbeat, and
 * whoever uploads could not say so. From the moment it is back a lease lasts as long as a new one, and an upload window has what
 * was left of it when the season was last heard of. A time that a clock far ahead had left behind is put right.
 */
import { LEASE_MS } from "../Lease.ts"
import type { State } from "../State.ts"

/** Before the first step of a restored season. No clock that is believed can have shown more than `latest`. */
export const returned = (state: State, { latest, now }: { readonly now: number; readonly latest: number }): void => {
  if (state.now > latest) {
    state.now = now
    state.writes.head = true
  }
  const at = Math.max(now, state.now) // a host whose clock is behind: time does not go back
  const away_ms = at - state.now
  state.leaseEnd = Infinity
  for (const work of [...state.live.values(), ...state.reviews.values()]) {
    if (work.until === null) continue
    const until = at + LEASE_MS
    if (work.until !== until) {
      work.until = until
      if ("versions" in work) state.writes.live.add(work.id)
      else state.writes.reviews.add(work.version)
    }
    state.leaseEnd = Math.min(state.leaseEnd, until)
  }
  if (away_ms === 0) return
  state.uploadEnd = Infinity
  for (const version of state.versions_by_id.values()) {
    if (version.upload_until === null) continue
    version.upload_until += away_ms
    state.uploadEnd = Math.min(state.uploadEnd, version.upload_until)
    state.writes.versions.add(version.id)
  }
}
