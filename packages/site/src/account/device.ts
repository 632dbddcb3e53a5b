/**
 * Signing a device in (docs/contract.md#signing-in-a-device): the visitor types the code that it shows, sees which one it is, and decides.
 * Nothing is decided by following a link: the code is typed, so that nobody approves somebody else's device unawares.
 */
import type { DeviceSignIn } from "@agon/api/account/device.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import { deviceAt, withQuery } from "../html/links.ts"
import { time } from "../html/words.ts"
import { done } from "../http/form/done.ts"
import { form, type Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"

const code = form({
  name: "code",
  fields: ["user_code"],
  codes: { not_found: "user_code" },
  send: ({ client, typed }) =>
    Effect.map(client.device.deviceSignIn({ query: { user_code: typed.one("user_code") } }), (shown) => ({ shown }))
})

const decision = form({
  name: "decision",
  fields: ["user_code", "approve"],
  send: ({ client, typed }) => {
    const approve = typed.one("approve") === "yes"
    const payload = { user_code: typed.one("user_code"), approve }
    return Effect.as(client.device.decideDeviceSignIn({ payload }), { to: withQuery(deviceAt, { done: approve ? "approved" : "denied" }) })
  }
})

const SENTENCES = {
  approved: "The device is signed in as you. You may close this page.",
  denied: "The device was refused."
}

const ask = (tried: Tried | undefined, taken: string | undefined): Html => {
  // The typed code stays where the decision is refused, as it is for a while after too many.
  const typed = tried?.form === decision.name ? { user_code: tried.typed.one("user_code") } : {}
  const { text, whole } = inputs(code, tried, typed)
  const more = html`autocomplete="off" autocapitalize="characters" spellcheck="false"`
  return html`<h1>Sign a device in</h1>
${done(tried, taken, SENTENCES)}${
  tried?.form === decision.name && html`<p class="bad alert" role="alert">${said(tried.detail)}</p>\n`
}<p>A program on another machine, such as <code>agon login</code>, shows a code of eight letters. Type it only if you have started that program yourself.</p>
${whole(text("user_code", "Code", { hint: "Like WDJB-MJHT.", more }), "Go on")}`
}

const decide = ({ client_name, created_at, state }: DeviceSignIn, user_code: string, username: string): Html => {
  const { hidden, whole } = inputs(decision, undefined)
  const approve = html`<button name="approve" value="yes">Sign it in</button>\n`
  return html`<h1>Sign this device in?</h1>
<p><strong>${said(client_name)}</strong> asked at ${time(created_at)}. It would act as ${username} until its session is ended.</p>
${whole(html`${hidden("user_code", user_code)}
${state === "pending" && approve}<button name="approve" value="no">Refuse it</button>
`)}`
}

export const device: PersonalRoute = {
  path: deviceAt,
  query: ["done"],
  forms: [code, decision],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const { username } = yield* client.account.me()
    const found = tried?.form === code.name ? (tried.shown as DeviceSignIn | undefined) : undefined
    const main = found === undefined ? ask(tried, query["done"]) : decide(found, tried!.typed.one("user_code"), username)
    return { title: "Sign a device in", main } satisfies Page
  })
}
