/** The visitor's versions that were rejected lately. The API lists none of them; the notifications say which they are. */
import type { Client } from "@agon/api/Client.ts"
import type { Notification } from "@agon/api/notification/Notification.ts"
import { Effect } from "effect"
import { ifAny } from "../http/refuse.ts"

/** Each is a read of its own. */
const REJECTED_MAX = 5

const idsOf = (notifications: ReadonlyArray<Notification>): ReadonlyArray<string> => {
  const ids = notifications.flatMap(({ kind, link }) =>
    kind === "version_rejected" ? (/^\/v1\/me\/versions\/([0-9a-f-]{36})$/.exec(link ?? "")?.[1] ?? []) : []
  )
  return [...new Set(ids)].slice(0, REJECTED_MAX)
}

export const readRejected = (client: Client, notifications: ReadonlyArray<Notification>) =>
  Effect.map(
    Effect.forEach(idsOf(notifications), (id) => ifAny(client.version.ownVersion({ params: { id } })), { concurrency: "unbounded" }),
    (versions) => versions.flatMap((version) => version ?? [])
  )
