/** The page that a personal page's address shows to a visitor without a session. */
import type { Provider } from "@agon/api/account/api.ts"
import type { Client } from "@agon/api/Client.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import { signInAt } from "../html/links.ts"

/** `to` is the address that the visitor asked for, and comes back to. `kept` is a form that was sent without a session (keptForm.ts). */
export const signInPage = (client: Client, to: string, kept?: Html): Effect.Effect<Page, unknown> =>
  Effect.map(client.account.authProviders(), (providers) => page(providers, to, kept))

const again = (kept: Html): Html => html`
<h2>Your form</h2>
<p>It was not taken. All that you have typed is kept on this page: sign in in another window, come back here, and send it again.</p>
${kept}`

const page = (providers: ReadonlyArray<Provider>, to: string, kept: Html | undefined): Page => ({
  title: "Sign in",
  status: 401,
  main: html`<h1>Sign in</h1>
${
  providers.length === 0
    ? html`<p>This service has no way to sign in.</p>`
    : html`<p>With an account you enter models, follow them to the ladder, and comment. To look around nobody needs one.</p>
${providers.length > 1 && html`<p>If you have an account, sign in as you did before: by another way you get another account. You add further ways to yours in Settings.</p>\n`}<ul class="acts">${providers.map(({ label, slug }) => html`<li><a class="act" href="${signInAt(slug, to)}"${kept !== undefined && html` target="_blank"`}>Sign in with ${label}</a></li>`)}</ul>`
}${kept !== undefined && again(kept)}`
})
