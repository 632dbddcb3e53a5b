/** Addresses that the visitor's notifications are posted to: how each does, a test, a new one with its secret, and its removal. */
import { type NewWebhook, WEBHOOKS_MAX, type Webhook } from "@agon/api/notification/webhooks.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { notificationsAt, webhookAt, webhooksAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { table } from "../html/table.ts"
import { button, confirmedButton, notDone } from "../http/form/buttons.ts"
import { done } from "../http/form/done.ts"
import { form, type Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { addressField, REMOVED, secretOf, WEBHOOK_HEADINGS, webhookCells } from "../notification/webhookParts.ts"

const add = form({
  name: "add",
  fields: ["url"],
  codes: { webhook_cap_reached: "url" },
  send: ({ client, typed }) =>
    Effect.map(client.webhook.createWebhook({ payload: { url: typed.one("url").trim() } }), (shown) => ({ shown }))
})

const test = form({
  name: "test",
  fields: ["id"],
  send: ({ client, typed }) =>
    Effect.as(client.webhook.testWebhook({ params: { id: typed.one("id") } }), { to: withQuery(webhooksAt, { done: "tested" }) })
})

const remove = form({
  name: "remove",
  fields: ["id"],
  send: ({ client, typed }) =>
    Effect.as(client.webhook.removeWebhook({ params: { id: typed.one("id") } }), { to: withQuery(webhooksAt, { done: "removed" }) })
})

const row = (webhook: Webhook): Html => {
  const { id, url } = webhook
  return html`<tr>
${webhookCells(webhook, webhookAt(id))}<td>${button(test, { id }, "Post a test", url)}${confirmedButton(remove, { id }, "Remove", `the webhook to ${url}`, REMOVED)}</td>
</tr>
`
}

const list = (webhooks: ReadonlyArray<Webhook>): Html =>
  table("Your webhooks, the oldest first", [...WEBHOOK_HEADINGS, "Change"], webhooks.map(row), "You have none.")

/** A secret that was just made belongs to an address that is in the list by now, not in the form. */
const addForm = (tried: Tried | undefined): Html => {
  const made = tried?.form === add.name ? (tried.shown as NewWebhook | undefined) : undefined
  const fields = inputs(add, made === undefined ? tried : undefined)
  return html`${made !== undefined && secretOf(made)}${fields.whole(addressField(fields), "Add", "Add a webhook")}`
}

const SENTENCES = {
  removed: "The webhook is removed. Nothing is posted to it any more.",
  tested: "A test is posted within seconds. Load this page again to see how it went."
}

export const myWebhooks: PersonalRoute = {
  path: webhooksAt,
  query: ["done"],
  forms: [add, test, remove],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const { webhooks } = yield* client.webhook.webhooks()
    const main = html`<h1>Webhooks</h1>
${myPagesNav(webhooksAt)}${done(tried, query["done"], SENTENCES)}<p>Addresses that your <a href="${notificationsAt}">notifications</a> are posted to, ${WEBHOOKS_MAX} at most. A post that is not accepted is tried again for a day.</p>
${notDone(tried, test, remove)}${list(webhooks)}
<h2>Add a webhook</h2>
${addForm(tried)}`
    return { title: "Webhooks", main }
  })
}
