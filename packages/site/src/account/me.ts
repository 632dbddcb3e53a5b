/** The visitor's own page: their models, what became of what they submitted, and what they were told. */
import type { Account } from "@agon/api/account/api.ts"
import type { Game } from "@agon/api/game/api.ts"
import type { Model } from "@agon/api/model/api.ts"
import type { Notification } from "@agon/api/notification/Notification.ts"
import { firstPage } from "@agon/api/Pages.ts"
import type { OwnVersion } from "@agon/api/version/Version.ts"
import { Effect } from "effect"
import { deskNav } from "../html/desk.ts"
import { type Html, html, said } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import {
  followable,
  link,
  meAt,
  myMatchesAt,
  myModelAt,
  myModelsAt,
  myVersionAt,
  platformDeskAt,
  profileAt,
  seasonDeskAt
} from "../html/links.ts"
import { time, words } from "../html/words.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { ifAny } from "../http/refuse.ts"
import { type SeasonNames, seasonNames } from "../http/seasonNames.ts"
import { privateSeasonList, privateSeasons } from "../season/places.ts"
import { ownMatchTable } from "./ownMatches.ts"

const gameName = (games: ReadonlyArray<Game>, game: string) => games.find(({ slug }) => slug === game)?.name ?? game

const ROWS = 100
const MATCHES = 25
/** Each is a read of its own. */
const REJECTED_MAX = 5

const submission =
  (seasonOf: SeasonNames) =>
  (version: OwnVersion): Html =>
    html`<li id="v-${version.version_id}">
<h3><a href="${myVersionAt(version.version_id)}">${said(version.model)} version ${version.version}</a></h3>
<p>${words(version.status)}${version.phase !== null && html`, in ${words(version.phase)}`}, ${said(seasonOf(version.game, version.season))}, submitted ${time(version.created_at)}.</p>
${version.trial !== null && html`<p>${version.trial.played} of ${version.trial.matches} trial matches played.</p>\n`}${
  version.reject_reason !== null && html`<p class="bad">Refused: ${words(version.reject_reason)}.</p>\n`
}${version.reject_detail !== null && html`<p>${said(version.reject_detail)}</p>\n`}</li>
`

const notification = ({ created_at, link: written, read_at, subject }: Notification): Html => {
  const to = followable(written)
  return html`<li>${read_at === null && html`<b>New:</b> `}${to === undefined ? said(subject) : link(to, subject)} <span class="faint">${time(created_at)}</span></li>
`
}

const modelItem =
  (games: ReadonlyArray<Game>) =>
  ({ game, id, name, retired }: Model): Html =>
    html`<li>${link(myModelAt(id), name)} <span class="faint">${gameName(games, game)}${retired && ", retired"}</span></li>\n`

/** The API lists no rejected versions; the notifications say which they are. */
const rejectedIds = (notifications: ReadonlyArray<Notification>): ReadonlyArray<string> => {
  const ids = notifications.flatMap(({ kind, link }) =>
    kind === "version_rejected" ? (/^\/v1\/me\/versions\/([0-9a-f-]{36})$/.exec(link ?? "")?.[1] ?? []) : []
  )
  return [...new Set(ids)].slice(0, REJECTED_MAX)
}

const listOf = (items: ReadonlyArray<Html>, none: string): Html =>
  items.length === 0 ? html`<p class="faint">${none}</p>` : html`<ul>\n${items}</ul>`

/** The desks of what the visitor administers. */
const desks = ({ admin, season_admin }: Account, games: ReadonlyArray<Game>, seasonOf: SeasonNames): Html | "" =>
  !admin && season_admin.length === 0
    ? ""
    : html`<nav aria-label="Administration"><ul>
${admin && html`<li><a href="${platformDeskAt()}">Administration of the platform</a></li>\n`}${season_admin.map(({ game, season }) => html`<li><a href="${seasonDeskAt(game, season)}">Administration of ${said(seasonOf(game, season))} (${gameName(games, game)})</a></li>\n`)}</ul></nav>
`

const greeting = (account: Account, games: ReadonlyArray<Game>, seasonOf: SeasonNames): Html => html`<h1>${said(account.display_name)}</h1>
<p>Signed in as ${account.username}. <a href="${profileAt(account.username)}">This is what others see.</a></p>
${deskNav(meAt)}${desks(account, games, seasonOf)}`

export const me: PersonalRoute = {
  path: meAt,
  own: Effect.fnUntraced(function* ({ client, names }) {
    const page = firstPage(ROWS)
    const [account, { models }, { candidates }, { notifications }, { matches }, hidden, games] = yield* Effect.all(
      [
        client.account.me(),
        client.model.ownModels({ query: page }),
        client.version.candidates({ query: page }),
        client.notification.notifications({ query: page }),
        client.match.ownMatches({ query: firstPage(MATCHES) }),
        privateSeasons(client),
        client.game.games()
      ],
      { concurrency: "unbounded" }
    )
    const rejected = yield* Effect.forEach(rejectedIds(notifications), (id) => ifAny(client.version.ownVersion({ params: { id } })), {
      concurrency: "unbounded"
    })
    // One may be rejected between the two reads.
    const refused = rejected.flatMap((version) =>
      version === undefined || candidates.some(({ version_id }) => version_id === version.version_id) ? [] : version
    )
    const seasonOf = yield* seasonNames({ client, names }, [...candidates, ...refused, ...matches, ...account.season_admin], hidden)
    const main = html`${greeting(account, games, seasonOf)}
<h2>Submissions in admission</h2>
${candidates.length === 0 ? html`<p class="faint">None waits just now.</p>` : html`<ul class="cards">\n${candidates.map(submission(seasonOf))}</ul>`}
${refused.length > 0 && html`<h2>Refused lately</h2>\n<ul class="cards">\n${refused.map(submission(seasonOf))}</ul>`}
<h2>My models</h2>
${models.length === 0 ? html`<p>You have none yet. <a href="${myModelsAt}">Make your first one</a>, then submit its files.</p>` : listOf(models.map(modelItem(games)), "")}
${privateSeasonList(hidden, games)}<h2>My last matches</h2>
${ownMatchTable(hidden, seasonOf, matches)}
<p><a href="${myMatchesAt}">All my matches</a></p>
<h2>Notifications</h2>
${listOf(notifications.map(notification), "You have none.")}`
    return { title: "My page", main } satisfies Page
  })
}
