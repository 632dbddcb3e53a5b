/** Announcements as administrators see them, also those that nobody else does, and the form that writes them. */
import type { PageQuery } from "@agon/api/Pages.ts"
import { type Announcement, WriteAnnouncement } from "@agon/api/writing/Announcement.ts"
import { Effect } from "effect"
import { type Html, html, prose, said } from "../html/Html.ts"
import { table } from "../html/table.ts"
import { time } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import { type Texts, WAS } from "./editConflict.ts"
import { localOf, platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"
import { change, changeAt, changed, fieldsOf, instantOrNull, listOf, MARKDOWN, orNull, payloadOf, standing } from "./writtenText.ts"

const announcementOf = {
  title: (text: string) => text,
  body: (text: string) => text,
  link: (text: string) => orNull(text, (link) => link.trim()),
  starts_at: instantOrNull,
  ends_at: instantOrNull
}

/** Makes a new announcement, or changes the one that `id` names. */
const announce = platformForm("announcements", {
  name: "announce",
  fields: [WAS, "id", ...Object.keys(announcementOf)] as ReadonlyArray<string>,
  send: Effect.fnUntraced(function* ({ client, typed }) {
    const id = typed.one("id")
    if (id === "") yield* client.editorial.announce({ payload: payloadOf(announcementOf, typed) })
    else
      yield* change({ of: announcementOf, texts: valuesOf, what: "the announcement" }, typed, (payload) =>
        client.editorial.editAnnouncement({ params: { id }, payload })
      )
    return listOf("announcements")
  })
})

const removeAnnouncement = platformForm("announcements", {
  name: "remove",
  fields: ["id"],
  send: ({ client, typed }) => Effect.as(client.editorial.removeAnnouncement({ params: { id: typed.one("id") } }), listOf("announcements"))
})

const announcementRow =
  (page: PageQuery) =>
  ({ body, ends_at, id, starts_at, title }: Announcement): Html =>
    html`<tr>
<th scope="row"><a href="${changeAt("announcements", "announcement", id, page)}#announce" aria-label="Change ${title}">${said(title)}</a>${prose(body)}</th>
<td><span class="unit">shown </span>${starts_at === null ? "at once" : time(starts_at)}</td>
<td>${ends_at !== null && html`<span class="unit">until </span>${time(ends_at)}`}</td>
<td>${confirmedButton(removeAnnouncement, { id }, "Remove", `the announcement ${title}`, "Its text is gone then.")}</td>
</tr>
`

const valuesOf = ({ body, ends_at, link, starts_at, title }: Announcement): Texts => ({
  title,
  body,
  link: link ?? "",
  starts_at: localOf(starts_at),
  ends_at: localOf(ends_at)
})

export const platformAnnouncements = platformAdminPage({
  part: "announcements",
  query: ["announcement", "cursor"],
  forms: [announce],
  buttons: [removeAnnouncement],
  render: Effect.fnUntraced(function* ({ client, links, page, query, tried }) {
    const { announcements, next_cursor } = yield* client.editorial.allAnnouncements({ query: page })
    const old = announcements.find(({ id }) => id === query["announcement"])
    const now = old && valuesOf(old)
    const { area, text, whole } = fieldsOf(announce, tried, now)
    const limits = constraintsOf(WriteAnnouncement)
    return html`${table("Announcements", ["Announcement", "Shown from", "Until", "Change"], announcements.map(announcementRow(page)), "There is none.")}
${links(next_cursor)}
<h2>${old === undefined ? "Announce something" : html`Change ${said(old.title)}`}</h2>
${whole(
  html`${changed(announce, tried, { field: "id", old: old?.id, now, gone: "The announcement is not there any more." })}${text("title", "Title", { more: limits("title") })}${area("body", "Text", { hint: MARKDOWN, more: limits("body") })}${text("link", "Link", { hint: "A path of this site, or an address with http or https; may be left out.", more: limits("link") })}${text("starts_at", "Shown from, in UTC", { hint: "At once where it is left out.", more: limits("starts_at") })}${text("ends_at", "Until, in UTC", { hint: "May be left out.", more: limits("ends_at") })}`,
  old === undefined ? "Announce" : "Save",
  "Announce something"
)}${standing(announce, tried, old?.body)}`
  })
})
