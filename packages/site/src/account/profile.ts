/** A competitor: who they say they are, their models, where those stand, and what they said. */
import type { Profile } from "@agon/api/account/api.ts"
import type { ProfileComments } from "@agon/api/comment/Comment.ts"
import { Effect } from "effect"
import { type Html, html, prose, said } from "../html/Html.ts"
import { commentIn, inPublic, ladderAt, link, modelAt, profileAt, seasonAt, withQuery } from "../html/links.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { count, decimal, time } from "../html/words.ts"
import type { SharedRoute } from "../http/Route.ts"
import { invalid } from "../http/refuse.ts"
import { type SeasonNames, seasonNames } from "../http/seasonNames.ts"

const COMMENT_ROWS = 25

const standing = (
  names: ReadonlyMap<string, string>,
  seasonOf: SeasonNames,
  { game, ladder, model_id, rank, rating, season }: Profile["standings"][number]
): Html =>
  html`<tr>
<th scope="row">${link(modelAt(model_id), names.get(model_id) ?? "a model")}</th>
<td><a href="${seasonAt(game, season)}">${said(seasonOf(game, season))}</a></td>
<td><a href="${ladderAt(game, season, ladder)}">${ladder}</a><span class="unit"> ladder</span></td>
<td class="n"><span class="unit">rank </span>${count(rank)}</td>
<td class="n"><span class="unit">rating </span>${decimal(rating)}</td>
</tr>
`

const standings = ({ models, standings }: Profile, seasonOf: SeasonNames): Html | "" => {
  if (standings.length === 0) return ""
  const names = new Map(models.map(({ id, name }) => [id, name]))
  return html`<h2>Where they stand</h2>
<div class="scroll" role="region" aria-label="Standings" tabindex="0"><table class="lines">
<caption>Ranks in public seasons</caption>
<thead><tr><th scope="col">Model</th><th scope="col">Season</th><th scope="col">Ladder</th><th scope="col">Rank</th><th scope="col">Rating</th></tr></thead>
<tbody>
${standings.map((each) => standing(names, seasonOf, each))}</tbody>
</table></div>`
}

const comment = (one: ProfileComments["comments"][number]): Html => html`<li class="comment">
<p class="faint">${time(one.created_at)}, about <a href="${commentIn(inPublic[one.subject.kind](one.subject.id), one)}">a ${one.subject.kind}</a></p>
${prose(one.body)}
</li>
`

export const profile: SharedRoute = {
  path: "/people/:username",
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ client, names, params, query }) {
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    const of = { params: { username: params["username"]! } }
    const [person, { comments, next_cursor }] = yield* Effect.all(
      [client.account.profile(of), client.community.profileComments({ ...of, query: { limit: COMMENT_ROWS, cursor: offset } })],
      { concurrency: "unbounded" }
    )
    const seasonOf = yield* seasonNames({ client, names }, person.standings)
    const games = new Map(
      yield* Effect.forEach([...new Set(person.models.map(({ game }) => game))], (game) =>
        Effect.map(names.game(client, game), (name) => [game, name] as const)
      )
    )
    const main = html`<h1>${said(person.display_name)}</h1>
<p class="faint">${person.username}, since ${time(person.created_at)}</p>
${prose(person.bio)}
<h2>Models</h2>
${
  person.models.length === 0
    ? html`<p class="faint">None yet.</p>`
    : html`<ul>${person.models.map(({ game, id, name, retired }) => html`<li>${link(modelAt(id), name)} <span class="faint">${games.get(game)}${retired && ", retired"}</span></li>`)}</ul>`
}
${standings(person, seasonOf)}
<p><a href="${withQuery("/matches", { owner: person.username })}">All matches of their models</a></p>
${comments.length > 0 && html`<h2>Comments</h2>\n<ol class="comments">\n${comments.map(comment)}</ol>`}
${pager({ path: profileAt(person.username), query: {}, offset, rows: COMMENT_ROWS, next: next_cursor })}`
    return { title: person.display_name, main }
  })
}
