/** One webhook of the visitor's: how the last attempts went, switching it off and on, and another secret. */
import type { NewWebhook } from "@agon/api/notification/webhooks.ts"
import { Effect } from "effect"
import { html } from "../html/Html.ts"
import { webhookAt, webhooksAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { confirmedButton, notDone } from "../http/form/buttons.ts"
import { done } from "../http/form/done.ts"
import { form } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { found } from "../http/refuse.ts"
import { ANOTHER_SECRET, attempts, secretOf, webhookFacts } from "../notification/webhookParts.ts"

const turn = form({
  name: "switch",
  fields: ["enabled"],
  send: ({ client, params, typed }) => {
    const id = params["id"]!
    const enabled = typed.one("enabled") === "yes"
    return Effect.as(client.webhook.editWebhook({ params: { id }, payload: { enabled } }), {
      to: withQuery(webhookAt(id), { done: enabled ? "on" : "off" })
    })
  }
})

const rotate = form({
  name: "rotate",
  fields: [],
  send: ({ client, params }) => Effect.map(client.webhook.rotateWebhook({ params: { id: params["id"]! } }), (shown) => ({ shown }))
})

const SENTENCES = {
  on: "The webhook is on.",
  off: "The webhook is off. Notifications that come meanwhile are not posted to it later."
}

export const myWebhook: PersonalRoute = {
  path: `${webhooksAt}/:id`,
  query: ["done"],
  forms: [turn, rotate],
  own: Effect.fnUntraced(function* ({ client, params, query, tried }) {
    const id = params["id"]!
    const [{ webhooks }, { deliveries }] = yield* Effect.all(
      [client.webhook.webhooks(), client.webhook.webhookDeliveries({ params: { id } })],
      { concurrency: "unbounded" }
    )
    const webhook = yield* found(webhooks.find((one) => one.id === id))
    const isOn = webhook.disabled_at === null
    const { hidden, whole } = inputs(turn, tried)
    const made = tried?.form === rotate.name ? (tried.shown as NewWebhook | undefined) : undefined
    const main = html`<h1>A webhook</h1>
${myPagesNav(webhooksAt)}${done(tried, query["done"], SENTENCES)}<p><a href="${webhooksAt}">All your webhooks</a></p>
${webhookFacts(webhook)}
${whole(hidden("enabled", isOn ? "no" : "yes"), isOn ? "Switch it off" : "Switch it on", "Switch")}<h2>Attempts</h2>
${attempts(deliveries)}
<h2>Another secret</h2>
${made !== undefined && secretOf(made)}${notDone(tried, rotate)}${confirmedButton(rotate, {}, "Make another secret", `for the webhook to ${webhook.url}`, ANOTHER_SECRET)}`
    return { title: "A webhook", main }
  })
}
