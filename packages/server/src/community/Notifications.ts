/** What accounts are told, each in a feed of its own. */
import type { NotificationKind } from "@agon/api/community/Notification.ts"
import { Clock, Effect } from "effect"
import { makeQueries } from "./notificationQueries.ts"

export interface Telling {
  /** `platform_notice` is told to everybody, by its notice alone. */
  readonly kind: Exclude<NotificationKind, "platform_notice">
  /** Ids; one that is named twice is told once. */
  readonly accounts: ReadonlyArray<string>
  /** A sentence. */
  readonly subject: string
  /** A path on this origin, or an address of the web. */
  readonly link: string | null
}

/**
 * Tells accounts something, but for those that have turned the kind off, and answers how many were told. It writes in the
 * transaction that it is called in: what is told has happened, and what was undone nobody hears of. A version's and a season's
 * own kinds are the season's commit to write (season/told.ts).
 */
export const makeTell = Effect.map(makeQueries, (queries) =>
  Effect.fnUntraced(function* (telling: Telling) {
    const now = new Date(yield* Clock.currentTimeMillis)
    return telling.accounts.length === 0 ? 0 : (yield* Effect.orDie(queries.tell({ ...telling, now }))).told
  })
)
