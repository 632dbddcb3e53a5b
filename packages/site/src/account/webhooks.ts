/** Addresses that the visitor's notifications are posted to: how each does, a test, a new one with its secret, and its removal. */
import { CreateWebhook, type NewWebhook, WEBHOOKS_MAX, type Webhook } from "@agon/api/notification/webhooks.ts"
import { Effect } from "effect"
import { deskNav, done } from "../html/desk.ts"
import { type Html, html, said } from "../html/Html.ts"
import { notificationsAt, webhookAt, webhooksAt, withQuery } from "../html/links.ts"
import { time } from "../html/words.ts"
import { constraintsOf } from "../http/constraints.ts"
import { form, type Tried } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { outcomeOf, secretOf, stateOf } from "./webhookParts.ts"

const add = form({
  name: "add",
  fields: ["url"],
  codes: { webhook_cap_reached: "url" },
  send: ({ client, typed }) =>
    Effect.map(client.webhook.createWebhook({ payload: { url: typed.one("url").trim() } }), (shown) => ({ shown }))
})

/** The button that was pressed says what to do, and to which. */
const change = form({
  name: "change",
  fields: ["test", "remove"],
  send: ({ client, typed }) => {
    const [test, remove] = [typed.one("test"), typed.one("remove")]
    return test === ""
      ? Effect.as(client.webhook.removeWebhook({ params: { id: remove } }), { to: withQuery(webhooksAt, { done: "removed" }) })
      : Effect.as(client.webhook.testWebhook({ params: { id: test } }), { to: withQuery(webhooksAt, { done: "tested" }) })
  }
})

const row = (webhook: Webhook): Html => {
  const { created_at, id, last_at, last_outcome, url } = webhook
  return html`<tr>
<th scope="row" id="w-${id}"><a href="${webhookAt(id)}">${said(url)}</a></th>
<td>${stateOf(webhook)}</td>
<td>${last_at !== null && html`${time(last_at)}: ${outcomeOf(last_outcome ?? "")}`}</td>
<td>${time(created_at)}</td>
<td><button name="test" value="${id}" aria-describedby="w-${id}">Post a test</button>
<button name="remove" value="${id}" aria-describedby="w-${id}">Remove</button></td>
</tr>
`
}

const list = (webhooks: ReadonlyArray<Webhook>): Html =>
  webhooks.length === 0
    ? html`<p class="faint">You have none.</p>\n`
    : html`<div class="scroll" role="region" aria-label="Webhooks" tabindex="0"><table>
<caption>Your webhooks, the oldest first</caption>
<thead><tr><th scope="col">Address</th><th scope="col">State</th><th scope="col">Posted last</th><th scope="col">Since</th><th scope="col">Change</th></tr></thead>
<tbody>
${webhooks.map(row)}</tbody>
</table></div>
`

const limits = constraintsOf(CreateWebhook)
const URL_HINT = html`Of a server on the public internet, with http or https. Each post is <a href="/docs">signed with a secret</a>.`

/** A secret that was just made belongs to an address that is in the list by now, not in the form. */
const addForm = (tried: Tried | undefined): Html => {
  const made = tried?.form === add.name ? (tried.shown as NewWebhook | undefined) : undefined
  const { text, whole } = inputs(add, made === undefined ? tried : undefined)
  const more = html`${limits("url")} inputmode="url" spellcheck="false" autocomplete="off"`
  return html`${made !== undefined && secretOf(made)}${whole(text("url", "Address", { hint: URL_HINT, more }), "Add", "Add a webhook")}`
}

const SENTENCES = {
  removed: "The webhook is removed. Nothing is posted to it any more.",
  tested: "A test is posted within seconds. Load this page again to see how it went."
}

export const myWebhooks: PersonalRoute = {
  path: webhooksAt,
  query: ["done"],
  forms: [add, change],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const { webhooks } = yield* client.webhook.webhooks()
    const main = html`<h1>Webhooks</h1>
${deskNav(webhooksAt)}${tried === undefined && done(query["done"], SENTENCES)}<p>Addresses that your <a href="${notificationsAt}">notifications</a> are posted to, ${WEBHOOKS_MAX} at most. A post that is not accepted is tried again for a day.</p>
${inputs(change, tried).whole(list(webhooks))}
<h2>Add a webhook</h2>
${addForm(tried)}`
    return { title: "Webhooks", main }
  })
}
