/** The visitor's own page: their models, what became of what they submitted, and what they were told. */
import type { Account, Profile } from "@agon/api/account/api.ts"
import type { Game } from "@agon/api/game/api.ts"
import type { Model } from "@agon/api/model/api.ts"
import type { Notification, NotificationFeed } from "@agon/api/notification/Notification.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { rejectMeanings } from "@agon/api/version/rejectMeanings.ts"
import type { OwnVersion } from "@agon/api/version/Version.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import {
  followable,
  kitAt,
  ladderAt,
  link,
  meAt,
  myMatchesAt,
  myModelAt,
  myModelsAt,
  myVersionAt,
  notificationsAt,
  platformAdminAt,
  profileAt,
  seasonAdminAt
} from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { table } from "../html/table.ts"
import { count, sentence, time } from "../html/words.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { type SeasonNames, seasonNames } from "../http/seasonNames.ts"
import { privateSeasonList, privateSeasons } from "../season/places.ts"
import { REJECTED_UNTOLD, readRejected } from "../version/rejected.ts"
import { stateOf, trialPlayed } from "../version/waiting.ts"
import { ownMatchTable } from "./ownMatches.ts"

const gameName = (games: ReadonlyArray<Game>, game: string) => games.find(({ slug }) => slug === game)?.name ?? game

const ROWS = 100
const MATCHES = 10
const NOTIFICATIONS = 5

const submission =
  (seasonOf: SeasonNames) =>
  (version: OwnVersion): Html =>
    html`<li id="v-${version.version_id}">
<h3><a href="${myVersionAt(version.version_id)}">${said(version.model)} version ${version.version}</a></h3>
<p>${stateOf(version)}, ${said(seasonOf(version.game, version.season))}, submitted ${time(version.created_at)}.</p>
${version.trial !== null && html`<p>${trialPlayed(version.trial, "trial match")}.</p>\n`}${
  version.reject_reason !== null && html`<p class="bad">${sentence(rejectMeanings[version.reject_reason])}</p>\n`
}${version.reject_detail !== null && html`<p>${said(version.reject_detail)}</p>\n`}</li>
`

const notification = ({ created_at, link: written, read_at, subject }: Notification): Html => {
  const to = followable(written)
  return html`<li>${read_at === null && html`<b>New:</b> `}${to === undefined ? said(subject) : link(to, subject)} <span class="faint">${time(created_at)}</span></li>
`
}

const rejectedLately = (items: ReadonlyArray<Html>, isTold: boolean): Html | "" =>
  items.length === 0 && isTold
    ? ""
    : html`<h2>Rejected lately</h2>
${items.length > 0 && html`<ul class="cards">\n${items}</ul>\n`}${!isTold && REJECTED_UNTOLD}`

type Standings = Profile["standings"]

/** A model and where it stands in public seasons. */
const modelRow =
  (games: ReadonlyArray<Game>, standings: Standings, seasonOf: SeasonNames) =>
  ({ game, id, name, retired }: Model): Html => {
    const own = standings.filter(({ model_id }) => model_id === id)
    return html`<tr>
<th scope="row">${link(myModelAt(id), name)}<br><span class="faint">${gameName(games, game)}${retired && ", retired"}</span></th>
<td class="own">${
      own.length === 0
        ? html`<span class="faint">on no public ladder</span>`
        : html`<ul class="plain">${own.map(
            ({ ladder, rank, rating, season }) =>
              html`<li>rank ${count(rank)} on <a href="${ladderAt(game, season, ladder)}">${ladder}</a> of ${said(seasonOf(game, season))}, rating <b>${Math.round(rating)}</b></li>`
          )}</ul>`
    }</td>
</tr>
`
  }

/** The newest, and the way to all. */
const told = ({ next_cursor, notifications }: typeof NotificationFeed.Type): Html => {
  const unread = notifications.filter(({ read_at }) => read_at === null).length
  return html`<h2>Notifications${unread > 0 && html` <span class="faint">${unread}${next_cursor !== null && " or more"} new</span>`}</h2>
${
  notifications.length === 0
    ? html`<p class="faint">You have none.</p>`
    : html`<ul class="told">\n${notifications.slice(0, NOTIFICATIONS).map(notification)}</ul>
<p><a href="${notificationsAt}">All notifications</a></p>`
}
`
}

/** The first steps of an account without a model. */
const FIRST_STEPS = html`<h2>Your first model</h2>
<ol>
<li><a href="${kitAt("first-hour")}">Read how one is made</a>: from an empty folder to a trained network in an hour.</li>
<li><a href="${myModelsAt}">Make a model here</a>: a name on the ladder.</li>
<li>Submit its two files. This page then shows how they pass the review and the trial, and where the model stands.</li>
</ol>
`

/** Links to the administration pages of the platform and of seasons that are the visitor's to administer. */
const administrations = ({ admin, season_admin }: Account, games: ReadonlyArray<Game>, seasonOf: SeasonNames): Html | "" =>
  !admin && season_admin.length === 0
    ? ""
    : html`<nav aria-label="Administration"><ul>
${admin && html`<li><a href="${platformAdminAt()}">Administration of the platform</a></li>\n`}${season_admin.map(({ game, season }) => html`<li><a href="${seasonAdminAt(game, season)}">Administration of ${said(seasonOf(game, season))} (${gameName(games, game)})</a></li>\n`)}</ul></nav>
`

const greeting = (account: Account, games: ReadonlyArray<Game>, seasonOf: SeasonNames): Html => html`<h1>${said(account.display_name)}</h1>
<p>Signed in as ${account.username}. <a href="${profileAt(account.username)}">This is what others see.</a></p>
${myPagesNav(meAt)}${administrations(account, games, seasonOf)}`

export const me: PersonalRoute = {
  path: meAt,
  own: Effect.fnUntraced(function* ({ client, names }) {
    const page = firstPage(ROWS)
    const [account, { models, next_cursor: more }, { candidates }, inbox, isTold, { matches }, hidden, games] = yield* Effect.all(
      [
        client.account.me(),
        client.model.ownModels({ query: page }),
        client.version.candidates({ query: page }),
        client.notification.notifications({ query: page }),
        client.notification.notificationSettings(),
        client.match.ownMatches({ query: firstPage(MATCHES) }),
        privateSeasons(client),
        client.game.games()
      ],
      { concurrency: "unbounded" }
    )
    const [rejected, { standings }] = yield* Effect.all(
      [readRejected(client, inbox.notifications), client.account.profile({ params: { username: account.username } })],
      { concurrency: "unbounded" }
    )
    // One may be rejected between the two reads.
    const refused = rejected.filter((one) => candidates.every(({ version_id }) => version_id !== one.version_id))
    const named = [...candidates, ...refused, ...matches, ...standings, ...account.season_admin]
    const seasonOf = yield* seasonNames({ client, names }, named, hidden)
    const main = html`${greeting(account, games, seasonOf)}
${candidates.length > 0 && html`<h2>Submissions on their way</h2>\n<ul class="cards">\n${candidates.map(submission(seasonOf))}</ul>\n`}${
  models.length > 0 && rejectedLately(refused.map(submission(seasonOf)), isTold.version_rejected)
}${
  models.length === 0
    ? FIRST_STEPS
    : html`<h2>My models</h2>\n${table("Where your models stand", ["Model", "Standing"], models.map(modelRow(games, standings, seasonOf)), "")}
${more !== null && html`<p><a href="${myModelsAt}">All my models</a></p>\n`}<ul class="acts"><li><a class="act" href="${myModelsAt}">Make or submit a model</a></li></ul>
`
}${privateSeasonList(hidden, games)}${told(inbox)}${
  matches.length > 0 &&
  html`<h2>My last matches</h2>\n${ownMatchTable(hidden, seasonOf, matches)}\n<p><a href="${myMatchesAt}">All my matches</a></p>`
}`
    return { title: "My page", main } satisfies Page
  })
}
