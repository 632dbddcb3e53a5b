/** Where the visitor is signed in, and the ways out. */
import type { SessionRow } from "@agon/api/account/api.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { RateLimited } from "@agon/api/Problem.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { sessionsAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { table } from "../html/table.ts"
import { time, timeText } from "../html/words.ts"
import { confirmedButton, notDone } from "../http/form/buttons.ts"
import { done } from "../http/form/done.ts"
import { form, inWords } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { ifAny } from "../http/refuse.ts"
import { programOf } from "./program.ts"

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

/** The API ends one session a call: five of them at once, and then one a second. Another press ends those that are left. */
const ENDING = "5 seconds"

/** The answer to a press that ended some of the sessions and not the others, whatever kept it from those. */
const endedSome = (ended: number, of: number, why: string) =>
  `${ended} of ${of} other sessions ${ended === 1 ? "has" : "have"} ended, and those below have not. ${why}`

const TOO_MANY = new RateLimited({ detail: "So many are not ended at once: press the button again for the rest.", retry_after_ms: 1_000 })

/** Ends the other sessions that the page shows, which are all that an account may have. One may have ended by itself meanwhile. */
const endOthers = form({
  name: "end-others",
  fields: [],
  send: Effect.fnUntraced(function* ({ client }) {
    const { sessions } = yield* client.account.sessions({ query: firstPage(ROWS) })
    const others = sessions.filter(({ current }) => !current)
    let ended = 0
    const endOne = ({ id }: SessionRow) =>
      Effect.tap(retryRefused(ifAny(client.account.revokeSession({ params: { sid: id } }))), () => Effect.sync(() => void ended++))
    yield* Effect.forEach(others, endOne, { discard: true }).pipe(
      Effect.timeoutOrElse({ duration: ENDING, orElse: () => Effect.fail(TOO_MANY) }),
      Effect.mapError((error) => inWords(error, (detail) => endedSome(ended, others.length, detail)))
    )
    return { to: withQuery(sessionsAt, { done: "others" }) }
  })
})

/** The program's own text, where that is more than its short name. */
const inItsWords = (name: string, user_agent: string | null): Html | false =>
  user_agent !== null &&
  user_agent !== name &&
  html`<details><summary aria-label="${name}, as it names itself">As it names itself</summary><p>${said(user_agent)}</p></details>`

const row = ({ created_at, current, expires_at, id, last_seen_at, user_agent }: SessionRow): Html => {
  const name = programOf(user_agent)
  const about = `the session of ${name} since ${timeText(created_at)}`
  return html`<tr>
<th scope="row">${said(name)}${current && html` <b>(this one)</b>`}${inItsWords(name, user_agent)}</th>
<td><span class="unit">since </span>${time(created_at)}</td>
<td><span class="unit">last seen </span>${time(last_seen_at)}</td>
<td><span class="unit">ends </span>${time(expires_at)}</td>
<td>${confirmedButton(end, { sid: id }, "End", about, current ? "You are signed out here." : "Whoever uses it has to sign in again.")}</td>
</tr>
`
}

/** Nothing where the visitor is signed in nowhere else. */
const others = (sessions: ReadonlyArray<SessionRow>): Html | "" => {
  const n = sessions.filter(({ current }) => !current).length
  return n === 0
    ? ""
    : html`${confirmedButton(endOthers, {}, n === 1 ? "End the other session" : `End all ${n} other sessions`, "", OTHERS)}\n`
}

const OTHERS = "Every other browser and program has to sign in again; this one stays signed in."
const SENTENCES = { ended: "That session has ended.", others: "You are signed in here alone." }

export const sessions: PersonalRoute = {
  path: sessionsAt,
  query: ["done"],
  forms: [signOut, end, endOthers],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const { sessions } = yield* client.account.sessions({ query: firstPage(ROWS) })
    const main = html`<h1>Sessions</h1>
${myPagesNav(sessionsAt)}${done(tried, query["done"], SENTENCES)}<h2>Sign out here</h2>
${inputs(signOut, tried).whole(html``, "Sign out")}
<h2>Where you are signed in</h2>
${notDone(tried, end, endOthers)}${table("Each browser and program has a session of its own", ["Browser or program", "Since", "Last seen", "Ends", "End it now"], sessions.map(row), "")}
${others(sessions)}`
    return { title: "Sessions", main }
  })
}
