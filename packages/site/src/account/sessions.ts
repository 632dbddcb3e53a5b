/** Where the visitor is signed in, and the ways out. */
import type { SessionRow } from "@agon/api/account/api.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { Effect } from "effect"
import { deskNav, done } from "../html/desk.ts"
import { type Html, html, said } from "../html/Html.ts"
import { sessionsAt, withQuery } from "../html/links.ts"
import { time } from "../html/words.ts"
import { form } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"

const ROWS = 100

const end = form({
  name: "end",
  fields: ["sid"],
  send: ({ client, typed }) =>
    Effect.map(client.account.revokeSession({ params: { sid: typed.one("sid") } }), ({ current }) =>
      current ? { to: "/", signedOut: true } : { to: withQuery(sessionsAt, { done: "ended" }) }
    )
})

const signOut = form({
  name: "sign-out",
  fields: [],
  send: ({ client }) => Effect.as(client.account.signOut(), { to: "/", signedOut: true })
})

const row = ({ created_at, current, expires_at, id, last_seen_at, user_agent }: SessionRow): Html => html`<tr>
<th scope="row" id="s-${id}">${said(user_agent ?? "an unnamed program")}${current && html` <b>(this one)</b>`}</th>
<td>${time(created_at)}</td>
<td>${time(last_seen_at)}</td>
<td>${time(expires_at)}</td>
<td><button name="sid" value="${id}" aria-describedby="s-${id}">End</button></td>
</tr>
`

export const sessions: PersonalRoute = {
  path: sessionsAt,
  query: ["done"],
  forms: [signOut, end],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const { sessions } = yield* client.account.sessions({ query: firstPage(ROWS) })
    const main = html`<h1>Sessions</h1>
${deskNav(sessionsAt)}${done(query["done"], { ended: "That session has ended." })}<h2>Sign out here</h2>
${inputs(signOut, tried).whole(html``, "Sign out")}
<h2>Where you are signed in</h2>
${inputs(end, tried).whole(html`<div class="scroll" role="region" aria-label="Sessions" tabindex="0"><table>
<caption>Each browser and program has a session of its own</caption>
<thead><tr><th scope="col">Browser or program</th><th scope="col">Since</th><th scope="col">Last seen</th><th scope="col">Ends</th><th scope="col">End it now</th></tr></thead>
<tbody>
${sessions.map(row)}</tbody>
</table></div>
`)}`
    return { title: "Sessions", main }
  })
}
