/** The visitor's notifications. */
import type { Notification } from "@agon/api/notification/Notification.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { followable, link, notificationsAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { time } from "../html/words.ts"
import { form } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { invalid } from "../http/refuse.ts"

const ROWS = 50

const read = form({
  name: "read",
  fields: ["id", "all"],
  send: ({ client, query, typed }) => {
    const payload = typed.one("all") === "yes" ? ({ all: true } as const) : { ids: typed.all("id").filter(isUuid) }
    return Effect.as(client.notification.markRead({ payload }), { to: withQuery(notificationsAt, query) })
  }
})

const item = ({ created_at, id, link: written, read_at, subject }: Notification): Html => {
  const to = followable(written)
  return html`<li>${read_at === null && html`<b>New:</b> `}<span id="n-${id}">${to === undefined ? said(subject) : link(to, subject)}</span> <span class="faint">${time(created_at)}</span>${
    read_at === null && html` <button name="id" value="${id}" aria-describedby="n-${id}">Mark as read</button>`
  }</li>
`
}

export const notificationList: PersonalRoute = {
  path: notificationsAt,
  query: ["cursor"],
  forms: [read],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    const { next_cursor, notifications } = yield* client.notification.notifications({ query: { limit: ROWS, cursor: offset } })
    const isAnyNew = notifications.some(({ read_at }) => read_at === null)
    const main = html`<h1>Notifications</h1>
${myPagesNav(notificationsAt)}${
  notifications.length === 0
    ? html`<p class="faint">You have none.</p>`
    : inputs(read, tried).whole(
        html`${isAnyNew && html`<p><button class="aside" name="all" value="yes">Mark all as read</button></p>\n`}<ul class="told">\n${notifications.map(item)}</ul>\n`
      )
}
${pager({ path: notificationsAt, query: {}, offset, rows: ROWS, next: next_cursor })}`
    return { title: "Notifications", main }
  })
}
