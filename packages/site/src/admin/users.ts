/** Accounts, or those that a search finds. */
import type { User } from "@agon/api/admin/User.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { platformAdminAt, profileAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time } from "../html/words.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import { pastedUsername } from "../http/form/pasted.ts"
import { platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"
import { searchTerm } from "./parts.ts"

const edit = platformForm("users", {
  name: "edit",
  fields: ["username", "admin", "suspended"],
  send: ({ client, typed }) => {
    const flag = (name: "admin" | "suspended") => (typed.one(name) === "" ? {} : { [name]: typed.one(name) === "yes" })
    return client.platform.editUser({ params: { username: typed.one("username") }, payload: { ...flag("admin"), ...flag("suspended") } })
  }
})

const SUSPENDED =
  "Its sessions end, its runner keys are out of force, and its entries leave play in every season, until the suspension is lifted."

/** An administrator is put out of office, or suspended, by another one alone. */
const changes = ({ admin, suspended, username }: User, own: string): Html =>
  username === own
    ? html`<span class="faint">You: another administrator changes your standing.</span>`
    : html`${
        suspended
          ? button(edit, { username, suspended: "no" }, "Lift the suspension", username)
          : confirmedButton(edit, { username, suspended: "yes" }, "Suspend", username, SUSPENDED)
      }${
        admin
          ? confirmedButton(
              edit,
              { username, admin: "no" },
              "Dismiss",
              `the administrator ${username}`,
              "They administer the platform no more, and runner keys of theirs do not work any more."
            )
          : confirmedButton(
              edit,
              { username, admin: "yes" },
              "Make an administrator",
              `of ${username}`,
              "They may do then whatever you may."
            )
      }`

const row =
  (own: string) =>
  (user: User): Html => {
    const { admin, created_at, display_name, identities, suspended, username } = user
    return html`<tr>
<th scope="row"><a href="${profileAt(username)}">${username}</a></th>
<td>${said(display_name)}</td>
<td>${identities.map(({ login, provider }, i) => html`${i > 0 && ", "}${said(login)} at ${said(provider)}`)}</td>
<td>${suspended && html`<span class="bad">suspended</span>`}${admin && " administrator"}</td>
<td><span class="unit">since </span>${time(created_at)}</td>
<td>${changes(user, own)}</td>
</tr>
`
  }

export const platformUsers = platformAdminPage({
  part: "users",
  query: ["q", "cursor"],
  buttons: [edit],
  render: Effect.fnUntraced(function* ({ links, client, page, query: { q } }) {
    const term = yield* searchTerm(q === undefined ? undefined : pastedUsername(q))
    const [{ next_cursor, users }, { username: own }] = yield* Effect.all(
      [client.platform.users({ query: { ...page, ...(term === undefined ? {} : { q: term }) } }), client.account.me()],
      { concurrency: "unbounded" }
    )
    return html`<p>Suspending an account ends its sessions and puts its runner keys out of force.</p>
<form class="filter" method="get" action="${platformAdminAt("users")}" role="search" aria-label="Users">
<label>Beginning of a username, display name or login<input name="q" value="${q}" maxlength="100" autocomplete="off"></label>
<button>Search</button>
</form>
${table(q === undefined ? "Accounts, the newest first" : "Accounts found", ["Account", "Name", "Signs in as", "Standing", "Since", "Change"], users.map(row(own)), "There is no such account.")}
${links(next_cursor)}`
  })
})
