/**
 * Pages of administrators. The service decides who may see one and who may do what is on it: whom it refuses is shown the site's page of
 * that refusal. A page is kept nowhere.
 */
import type { Account } from "@agon/api/account/api.ts"
import type { Client } from "@agon/api/Client.ts"
import { firstPage } from "@agon/api/Pages.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { placesFor, platformAdminAt, seasonAdminAt } from "../html/links.ts"
import { crumbs } from "../http/crumbs.ts"
import type { Form, Tried } from "../http/form/Form.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { DONE, type OfSeason } from "./forms.ts"
import { outcome } from "./outcome.ts"
import { type Paged, pagedBy, sectionNav } from "./parts.ts"

type Query = Readonly<Record<string, string>>

interface AdminContext extends Paged {
  readonly client: Client
  readonly query: Query
  readonly tried: Tried | undefined
}

interface Part<Name extends string, D extends AdminContext> {
  readonly part: Name
  readonly query?: ReadonlyArray<string>
  readonly forms?: ReadonlyArray<Form>
  /** Forms that are a button each. */
  readonly buttons?: ReadonlyArray<Form>
  readonly render: (context: D) => Effect.Effect<Html, unknown>
}

/** Parameters and forms of a route. */
const taken = ({ buttons = [], forms = [], query = [] }: Pick<Part<string, never>, "buttons" | "forms" | "query">) => ({
  query: [...query, DONE],
  forms: [...forms, ...buttons]
})

const namesOf = ({ buttons = [] }: Pick<Part<string, never>, "buttons">) => buttons.map(({ name }) => name)

/** Pages of a season's administration in the order of its navigation. */
const SEASON_PARTS = [
  ["", "Season"],
  ["boards", "Boards"],
  ["baselines", "Baselines"],
  ["entries", "Entries"],
  ["people", "People"],
  ["rounds", "Rounds"],
  ["runners", "Runners"],
  ["matches", "Matches"],
  ["coincidences", "Coincidences"],
  ["notices", "Notices"],
  ["webhooks", "Webhooks"],
  ["log", "Log"]
] as const

export interface SeasonContext extends AdminContext {
  readonly season: Season
  readonly account: Account
  readonly of: OfSeason
}

const below = (part: string): "" | `/${string}` => (part === "" ? "" : `/${part}`)

/** A page of a season's administration, for its administrators and the platform's. */
export const seasonAdminPage = (page: Part<(typeof SEASON_PARTS)[number][0], SeasonContext>): PersonalRoute => ({
  path: `/games/:game/seasons/:slug/admin${below(page.part)}`,
  ...taken(page),
  own: Effect.fnUntraced(function* ({ client, names, params, query: { [DONE]: done, ...query }, tried }) {
    const { part, render } = page
    const of = { game: params["game"]!, slug: params["slug"]! }
    const [season, account] = yield* Effect.all(
      [
        client.season.privateSeason({ params: of }),
        client.account.me(),
        client.roster.seasonAdmins({ params: of, query: firstPage(1) }) // refuses everybody else, where a part reads nothing of its own
      ],
      { concurrency: "unbounded" }
    )
    const paged = yield* pagedBy(seasonAdminAt(of.game, of.slug, part), query)
    const content = yield* render({ client, tried, season, account, of, query, ...paged })
    const name = SEASON_PARTS.find(([each]) => each === part)![1]
    const main = html`${yield* crumbs({ at: placesFor(season), client, names }, { game: of.game, season: of.slug, season_name: season.name })}
<h1>Administration of ${said(season.name)}</h1>
${sectionNav("Administration of the season", SEASON_PARTS, (each) => seasonAdminAt(of.game, of.slug, each), part)}
${outcome(done, tried, content, namesOf(page))}${content}`
    return { title: `${name} – administration of ${season.name}`, main }
  })
})

/** Pages of the platform's administration in the order of its navigation. */
const PLATFORM_PARTS = [
  ["", "Platform"],
  ["seasons", "New season"],
  ["users", "Users"],
  ["words", "Words"],
  ["comments", "Comments"],
  ["threads", "Threads"],
  ["stories", "Stories"],
  ["posts", "Posts"],
  ["announcements", "Announcements"],
  ["notices", "Notices"],
  ["picks", "Picks"],
  ["runners", "Runners"],
  ["log", "Log"]
] as const

/** A page of the platform's administration, for its administrators. */
export const platformAdminPage = (page: Part<(typeof PLATFORM_PARTS)[number][0], AdminContext>): PersonalRoute => ({
  path: `/admin${below(page.part)}`,
  ...taken(page),
  own: Effect.fnUntraced(function* ({ client, query: { [DONE]: done, ...query }, tried }) {
    const { part, render } = page
    yield* client.admin.adminCheck()
    const paged = yield* pagedBy(platformAdminAt(part), query)
    const name = PLATFORM_PARTS.find(([each]) => each === part)![1]
    const content = yield* render({ client, query, tried, ...paged })
    const main = html`<h1>${part === "" ? "Administration" : name}</h1>
${sectionNav("Administration of the platform", PLATFORM_PARTS, platformAdminAt, part)}
${outcome(done, tried, content, namesOf(page))}${content}`
    return { title: part === "" ? "Administration" : `${name} – administration`, main }
  })
})
