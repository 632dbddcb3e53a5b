/**
 * For how long this node has looked after audits without a pause. While the service or its database is away no
 * runner can come, which is no runner's fault. So an audit is given up by a node that has been there for a
 * while itself: runners that come back have had time to take it. Of several nodes those that stayed go on.
 */
import { Context } from "effect"

/** A look lasts a few ms, and the next one follows within seconds. */
const PAUSE_MAX_MS = 60_000

/** How long a node has been there before it gives an audit up. Runners that have lost the service try again within a minute. */
export const AttendedFor = Context.Reference<number>("agon/runner/AttendedFor_ms", { defaultValue: () => 600_000 })

/** Times in ms, of one clock. */
export class Attendance {
  #since = 0
  #last = Number.NEGATIVE_INFINITY

  /** A look begins; answers how long this node has been there. */
  begun(now: number): number {
    if (now < this.#last || now - this.#last > PAUSE_MAX_MS) this.#since = now
    return now - this.#since
  }

  /** A look has ended well. */
  ended(now: number): void {
    this.#last = now
  }
}
