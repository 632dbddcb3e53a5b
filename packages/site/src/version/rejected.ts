/**
 * The visitor's versions that were rejected lately. The API lists none of them; the notifications say which they are. Whoever is not
 * told of rejections has no such notifications, which the list then says.
 */
import type { Client } from "@agon/api/Client.ts"
import type { Notification } from "@agon/api/notification/Notification.ts"
import { Effect } from "effect"
import { html } from "../html/Html.ts"
import { settingsAt } from "../html/links.ts"
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

/** Below the list, where `version_rejected` is off in the visitor's notification settings. */
export const REJECTED_UNTOLD = html`<p class="faint">You are not told when a version is rejected, and this list is made of what you are told. <a href="${settingsAt}">Be told from now on</a>.</p>
`
