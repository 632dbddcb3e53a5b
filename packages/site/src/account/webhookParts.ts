/** In words: how a webhook does, how an attempt went, and its secret, which is shown once. */
import type { NewWebhook, Webhook } from "@agon/api/notification/webhooks.ts"
import { type Html, html, said } from "../html/Html.ts"
import { time } from "../html/words.ts"

const WHY: Readonly<Record<string, string>> = {
  timeout: "no answer within ten seconds",
  unreachable: "no connection",
  unresolved: "the name leads nowhere",
  refused_address: "the name leads to an address that is not on the public internet"
}

export const outcomeOf = (outcome: string): string =>
  WHY[outcome] ?? (/^\d+$/.test(outcome) ? `answered ${outcome}` : outcome.replaceAll("_", " "))

export const stateOf = ({ disabled_at, failing_since, last_at }: Webhook): Html => {
  if (disabled_at !== null) return html`<span class="bad">switched off ${time(disabled_at)}</span>; a test switches it on again`
  if (failing_since !== null) return html`<span class="bad">failing since ${time(failing_since)}</span>`
  return last_at === null ? html`nothing was posted yet` : html`works`
}

export const secretOf = ({ secret, url }: NewWebhook): Html => html`<div role="status">
<p class="good">The secret of ${said(url)} is shown here, and nowhere again:</p>
<pre tabindex="0">${secret}</pre>
</div>
`
