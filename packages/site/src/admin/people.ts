/** Who may enter a season, and who administers it. */
import type { Provider } from "@agon/api/account/api.ts"
import { AppointAdmin, type Participant, type SeasonAdministrator } from "@agon/api/season/people.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { profileAt, seasonAdminAt } from "../html/links.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { table } from "../html/table.ts"
import { count, counted, time } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { pastedUsername } from "../http/form/pasted.ts"
import { invalid } from "../http/refuse.ts"
import { given, listed, type OfSeason, ShownHere, seasonForm } from "./forms.ts"
import { seasonAdminPage } from "./guard.ts"
import { searchTerm } from "./parts.ts"

const ADMIN_ROWS = 50

const add = seasonForm("people", {
  name: "add",
  fields: ["logins", "provider"],
  codes: { unknown_provider: "provider" },
  send: ({ client, of, typed }) =>
    Effect.map(
      client.roster.addParticipants({
        params: of,
        payload: { logins: listed(typed.one("logins")), ...given("provider", typed.one("provider"), String) }
      }),
      ({ participants }) => new ShownHere({ shown: participants })
    )
})

const remove = seasonForm("people", {
  name: "remove",
  fields: ["id"],
  send: ({ client, of, typed }) => client.roster.removeParticipant({ params: of, query: {}, payload: { id: typed.one("id") } })
})

const appoint = seasonForm("people", {
  name: "appoint",
  fields: ["username"],
  codes: { not_found: "username" },
  send: ({ client, of, typed }) =>
    client.seasonAdmins.appointAdmin({ params: of, payload: { username: pastedUsername(typed.one("username")) } })
})

const dismiss = seasonForm("people", {
  name: "dismiss",
  fields: ["username"],
  send: ({ client, of, typed }) => client.seasonAdmins.dismissAdmin({ params: of, query: {}, payload: { username: typed.one("username") } })
})

const DISMISSED =
  "They administer the season no more, until they are appointed again. Runner keys and webhooks of theirs do not work meanwhile."

const administrator =
  (mayDismiss: boolean) =>
  ({ added_at, display_name, username }: SeasonAdministrator): Html =>
    html`<tr>
<th scope="row"><a href="${profileAt(username)}">${username}</a></th>
<td>${said(display_name)}</td>
<td>${time(added_at)}</td>
${mayDismiss && html`<td>${confirmedButton(dismiss, { username }, "Dismiss", username, DISMISSED)}</td>\n`}</tr>
`

const participant = ({ added_at, id, login, provider, username }: Participant): Html => html`<tr>
<th scope="row">${said(login)}</th>
<td>${said(provider)}</td>
<td>${username === null ? html`<span class="faint">not yet signed in</span>` : html`<a href="${profileAt(username)}">${username}</a>`}</td>
<td>${time(added_at)}</td>
<td>${confirmedButton(remove, { id }, "Take off", `the login ${login} (${provider})`, "In a restricted season their entries are out of play until they are on the roster again.")}</td>
</tr>
`

const NAMED_MAX = 50

const notSignedIn = (unknown: number, all: number): string => {
  if (all === 1) return "It has not"
  return unknown === all ? "None of them has" : `${count(unknown)} of them ${unknown === 1 ? "has" : "have"} not`
}

/** Any login may be put on the roster: a misspelt one is among those that nobody has signed in with. */
const added = (participants: ReadonlyArray<Participant>): Html => {
  const unknown = participants.filter(({ username }) => username === null)
  const more = unknown.length - NAMED_MAX
  return html`<div role="status">
<p class="good">${counted(participants.length, "login is", "logins are")} on the roster as typed.</p>
${
  unknown.length > 0 &&
  html`<p>${notSignedIn(unknown.length, participants.length)} signed in yet. See whether each is spelt right: ${unknown.slice(0, NAMED_MAX).map(({ login }, i) => html`${i > 0 && ", "}${said(login)}`)}${more > 0 && ` and ${count(more)} more`}.</p>\n`
}</div>
`
}

/** A form that was taken stands empty again. */
const addForm = (providers: ReadonlyArray<Provider>, tried: Tried | undefined): Html => {
  const shown = tried?.form === add.name ? (tried.shown as ReadonlyArray<Participant> | undefined) : undefined
  const { area, choice, whole } = inputs(add, shown === undefined ? tried : undefined)
  const choices = providers.map(({ label, slug }) => ({ value: slug, label }))
  const body = html`${area("logins", "Logins", { hint: "As each person signs in with it. In lines, or with commas between them.", more: html`required` })}${choice("provider", "They sign in with", choices)}`
  return html`${shown !== undefined && added(shown)}${whole(body, "Add", "Add to the roster")}`
}

const search = ({ game, slug }: OfSeason, login: string | undefined): Html =>
  html`<form class="filter" method="get" action="${seasonAdminAt(game, slug, "people")}#roster" role="search" aria-label="Roster">
<label>A part of a login<input name="login" value="${login}" maxlength="100" autocomplete="off"></label>
<button>Search</button>
</form>${login !== undefined && html`\n<p><a href="${seasonAdminAt(game, slug, "people")}#roster">The whole roster</a></p>`}`

export const seasonPeople = seasonAdminPage({
  part: "people",
  query: ["login", "cursor", "admins"],
  forms: [add, appoint],
  buttons: [remove, dismiss],
  render: Effect.fnUntraced(function* ({ account, client, links, of, page, query, season, tried }) {
    const { admins: cursor, ...others } = query
    const login = yield* searchTerm(others["login"])
    const offset = offsetOf(cursor)
    if (offset === undefined) return yield* invalid
    const [{ admins, next_cursor: next }, { next_cursor, participants, total }, providers] = yield* Effect.all(
      [
        client.roster.seasonAdmins({ params: of, query: { limit: ADMIN_ROWS, cursor: offset } }),
        client.roster.participants({ params: of, query: login === undefined ? page : { ...page, login } }),
        client.account.authProviders()
      ],
      { concurrency: "unbounded" }
    )
    const appointing = inputs(appoint, tried)
    const username = appointing.text("username", "Username", { more: html`${constraintsOf(AppointAdmin)("username")} autocomplete="off"` })
    return html`<h2>Administrators</h2>
<p>Besides the platform's administrators, who appoint them.</p>
${table("Administrators of the season", ["Account", "Name", "Since", ...(account.admin ? ["Office"] : [])], admins.map(administrator(account.admin)), "There is none.")}
${pager({ path: seasonAdminAt(of.game, of.slug, "people"), query: others, parameter: "admins", label: "Pages of the administrators", offset, rows: ADMIN_ROWS, next })}
${account.admin && appointing.whole(username, "Appoint", "Appoint an administrator")}
<h2 id="roster">Roster</h2>
<p>${season.entry === "restricted" ? "Only people on the roster may enter this season. The entries of whoever is taken off it are out of play until they are on it again." : "Anybody may enter this season; the roster restricts nobody."} A login needs no account yet. ${login === undefined && html`${counted(total, "login is", "logins are")} on it.`}</p>
${search(of, login)}
${table("Roster", ["Login", "Signs in with", "Account", "Added", "Take off"], participants.map(participant), login === undefined ? "Nobody is on it." : "No login on it contains that.")}
${links(next_cursor)}
<h2>Add to the roster</h2>
${addForm(providers, tried)}`
  })
})
