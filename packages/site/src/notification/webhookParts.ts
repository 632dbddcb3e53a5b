/**
 * Parts of the pages of webhooks, an account's and a season's: how each does, how its last attempts went, the fields that add one, and its
 * secret, which is shown once.
 */
import {
  CreateWebhook,
  type NewWebhook,
  WEBHOOK_DELIVERIES_MAX,
  type Webhook,
  type WebhookDeliveries
} from "@agon/api/notification/webhooks.ts"
import { type Html, html, said } from "../html/Html.ts"
import { table } from "../html/table.ts"
import { time, words } from "../html/words.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Inputs } from "../http/form/inputs.ts"

const WHY: Readonly<Record<string, string>> = {
  timeout: "no answer within ten seconds",
  unreachable: "no connection",
  unresolved: "the name leads nowhere",
  refused_address: "the name leads to an address that is not on the public internet"
}

const outcomeOf = (outcome: string): string =>
  WHY[outcome] ?? (/^\d+$/.test(outcome) ? `answered ${outcome}` : outcome.replaceAll("_", " "))

const stateOf = ({ disabled_at, failing_since, last_at }: Webhook): Html => {
  if (disabled_at !== null) return html`<span class="bad">switched off ${time(disabled_at)}</span>; a test switches it on again`
  if (failing_since !== null) return html`<span class="bad">failing since ${time(failing_since)}</span>`
  return last_at === null ? html`nothing was posted yet` : html`works`
}

export const secretOf = ({ secret, url }: NewWebhook): Html => html`<div role="status">
<p class="good">The secret of ${said(url)} is shown here, and nowhere again:</p>
<pre tabindex="0">${secret}</pre>
</div>
`

export const ANOTHER_SECRET = "It signs everything from now on; the old one signs nothing any more."

export const REMOVED = "Deliveries that wait for it are not posted any more, and its secret is gone. Another may be added."

/** Headings of the first cells of a webhook's row. */
export const WEBHOOK_HEADINGS = ["Address", "State", "Posted last", "Since"]

/** `to` is the page of the one webhook. */
export const webhookCells = (webhook: Webhook, to: string): Html => {
  const { created_at, id, last_at, last_outcome, url } = webhook
  return html`<th scope="row" id="w-${id}"><a href="${to}">${said(url)}</a></th>
<td>${stateOf(webhook)}</td>
<td>${last_at !== null && html`<span class="unit">posted last </span>${time(last_at)}: ${outcomeOf(last_outcome ?? "")}`}</td>
<td><span class="unit">since </span>${time(created_at)}</td>
`
}

export const webhookFacts = (webhook: Webhook, more: Html | "" = ""): Html => html`<dl>
<dt>Address</dt><dd>${said(webhook.url)}</dd>
<dt>State</dt><dd>${stateOf(webhook)}</dd>
<dt>Since</dt><dd>${time(webhook.created_at)}</dd>
${more}</dl>`

type Delivery = WebhookDeliveries["deliveries"][number]

const attemptRow = ({ at, attempt, kind, outcome, subject }: Delivery): Html => html`<tr>
<th scope="row">${said(subject)}</th>
<td>${time(at)}</td>
<td>${words(kind)}</td>
<td class="n"><span class="unit">attempt </span>${attempt}</td>
<td>${outcomeOf(outcome)}</td>
</tr>
`

export const attempts = (deliveries: ReadonlyArray<Delivery>): Html =>
  table(
    `The last ${WEBHOOK_DELIVERIES_MAX} attempts at most, the newest first`,
    ["Told", "When", "Kind", "Attempt", "How it went"],
    deliveries.map(attemptRow),
    "Nothing was posted to it lately."
  )

const limits = constraintsOf(CreateWebhook)
const URL_HINT = html`Of a server on the public internet, with http or https. Each post is <a href="/docs">signed with a secret</a>.`

export const addressField = ({ text }: Pick<Inputs<"url">, "text">): Html =>
  text("url", "Address", { hint: URL_HINT, more: html`${limits("url")} inputmode="url" spellcheck="false" autocomplete="off"` })
