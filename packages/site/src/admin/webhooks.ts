/**
 * Addresses that a season's events are posted to: how each does, its last attempts, a new one with its secret, another secret, its removal.
 */
import { type NewSeasonWebhook, SEASON_WEBHOOKS_MAX, type SeasonWebhook } from "@agon/api/notification/seasonWebhooks.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { owned, seasonAdminAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import {
  ANOTHER_SECRET,
  addressField,
  attempts,
  REMOVED,
  secretOf,
  WEBHOOK_HEADINGS,
  webhookCells,
  webhookFacts
} from "../notification/webhookParts.ts"
import { doneAt, LeadsTo, type OfSeason, ShownHere, seasonForm } from "./forms.ts"
import { type SeasonContext, seasonAdminPage } from "./guard.ts"

const PART = "webhooks"

const listAt = ({ game, slug }: OfSeason) => seasonAdminAt(game, slug, PART)

const shown = (made: NewSeasonWebhook) => new ShownHere({ shown: made })

const add = seasonForm(PART, {
  name: "add",
  fields: ["url"],
  codes: { webhook_cap_reached: "url" },
  send: ({ client, of, typed }) =>
    Effect.map(client.seasonWebhook.createSeasonWebhook({ params: of, payload: { url: typed.one("url").trim() } }), shown)
})

const rotate = seasonForm(PART, {
  name: "rotate",
  fields: ["id"],
  send: ({ client, of, typed }) => Effect.map(client.seasonWebhook.rotateSeasonWebhook({ params: { ...of, id: typed.one("id") } }), shown)
})

const turn = seasonForm(PART, {
  name: "switch",
  fields: ["id", "enabled"],
  send: ({ client, of, typed }) =>
    client.seasonWebhook.editSeasonWebhook({ params: { ...of, id: typed.one("id") }, payload: { enabled: typed.one("enabled") === "yes" } })
})

const test = seasonForm(PART, {
  name: "test",
  fields: ["id"],
  send: ({ client, of, typed }) => client.seasonWebhook.testSeasonWebhook({ params: { ...of, id: typed.one("id") } })
})

const remove = seasonForm(PART, {
  name: "remove",
  fields: ["id"],
  send: ({ client, of, typed }) =>
    Effect.as(client.seasonWebhook.removeSeasonWebhook({ params: { ...of, id: typed.one("id") } }), new LeadsTo({ to: doneAt(listAt(of)) }))
})

/** Whoever made it has to administer the season for as long as it works. */
const madeBy = ({ created_by, permitted }: SeasonWebhook): Html =>
  html`${owned(created_by)}${!permitted && html`, <span class="bad">who does not administer the season any more: nothing is posted</span>`}`

const oneAt = (of: OfSeason, id: string) => withQuery(listAt(of), { webhook: id })

const row =
  (of: OfSeason) =>
  (webhook: SeasonWebhook): Html => {
    const { disabled_at, id, url } = webhook
    return html`<tr>
${webhookCells(webhook, `${oneAt(of, id)}#one`)}<td>${madeBy(webhook)}</td>
<td>${button(test, { id }, "Post a test", url)}${
      disabled_at === null ? button(turn, { id, enabled: "no" }, "Switch off", url) : button(turn, { id, enabled: "yes" }, "Switch on", url)
    }${confirmedButton(remove, { id }, "Remove", `the webhook to ${url}`, REMOVED)}</td>
</tr>
`
  }

/** The secret that a form has just made, above the form. */
const newSecret = (tried: Tried | undefined, form: string): Html | false =>
  tried?.form === form && tried.shown !== undefined && secretOf(tried.shown as NewSeasonWebhook)

const one = Effect.fnUntraced(function* ({ client, of, tried }: SeasonContext, webhook: SeasonWebhook) {
  const { id, url } = webhook
  const { deliveries } = yield* client.seasonWebhook.seasonWebhookDeliveries({ params: { ...of, id } })
  return html`<h2 id="one">The webhook at ${said(url)}</h2>
${webhookFacts(webhook, html`<dt>Made by</dt><dd>${madeBy(webhook)}</dd>\n`)}
<p><a href="${listAt(of)}">All webhooks of the season</a></p>
<h3>Attempts</h3>
${attempts(deliveries)}
<h3>Another secret</h3>
<div id="${rotate.name}">
${newSecret(tried, rotate.name)}${confirmedButton(rotate, { id }, "Make another secret", `for the webhook to ${url}`, ANOTHER_SECRET)}
</div>`
})

/** A secret that was just made belongs to an address that is in the list by now, not in the form. */
const addForm = (tried: Tried | undefined): Html => {
  const fields = inputs(add, tried?.shown === undefined ? tried : undefined)
  return html`<h2>Add a webhook</h2>
${newSecret(tried, add.name)}${fields.whole(addressField(fields), "Add", "Add a webhook")}`
}

export const seasonWebhooks = seasonAdminPage({
  part: PART,
  query: ["webhook"],
  forms: [add],
  buttons: [rotate, turn, test, remove],
  render: Effect.fnUntraced(function* (context) {
    const { client, of, query, tried } = context
    const { webhooks } = yield* client.seasonWebhook.seasonWebhooks({ params: of })
    const asked = query["webhook"]
    const chosen = webhooks.find(({ id }) => id === asked)
    return html`<h2>Webhooks</h2>
<p>Addresses that the season's events are posted to, ${SEASON_WEBHOOKS_MAX} at most: rounds that start, entries that come into play or leave it, voided matches, and the close. A post that is not accepted is tried again for a day. A webhook works for as long as whoever made it administers the season.</p>
${table("Webhooks of the season, the oldest first", [...WEBHOOK_HEADINGS, "Made by", "Change"], webhooks.map(row(of)), "There is none.")}
${chosen !== undefined ? yield* one(context, chosen) : asked !== undefined && html`<p class="faint">The webhook that the address names is not there any more.</p>`}
${addForm(tried)}`
  })
})
