/**
 * Pages of private seasons: the public pages once more, below `/private`, read through the private twins of the API with the visitor's
 * session. The service decides who sees what. To everybody else, signed in or not, a private season answers as one that does not exist.
 * They are personal pages: the session travels to no other, and no cache keeps them.
 */
import type { Client } from "@agon/api/Client.ts"
import { privateName } from "@agon/api/twins.ts"
import { Effect } from "effect"
import { html } from "../html/Html.ts"
import { inPrivate, PRIVATE, withQuery } from "../html/links.ts"
import type { Asked, FileRoute, PersonalFileRoute, PersonalRoute, SharedRoute } from "./Route.ts"
import { ifAny } from "./refuse.ts"

type Group = Readonly<Record<string, unknown>>

const twinsOf = (group: Group): Group =>
  Object.fromEntries(Object.entries(group).map(([name, read]) => [name, group[privateName(name)] ?? read]))

/** The client whose reads are their private twins, which take and answer the same; a read without a twin shows public seasons alone. */
const readingPrivately = (client: Client): Client =>
  Object.fromEntries(Object.entries(client).map(([name, group]) => [name, twinsOf(group as Group)])) as unknown as Client

/** The read of the public API that a page is public by. */
type Read = (asked: Pick<Asked, "client" | "params" | "query">) => Effect.Effect<unknown, unknown>

export const bySeason: Read = ({ client, params }) => client.season.season({ params: { game: params["game"]!, slug: params["slug"]! } })
export const byMatch: Read = ({ client, params }) => client.match.match({ params: { id: params["id"]! } })
/**
 * A model is public where its public page shows as much, and the season that is asked for: it may also have versions in private seasons, or be
 * a baseline of one.
 */
export const byModel: Read = Effect.fnUntraced(function* ({ client, params, query: { season: wanted } }) {
  const of = { params: { id: params["id"]! } }
  const [open, whole] = yield* Effect.all([client.model.model(of), client.model.privateModel(of)], { concurrency: "unbounded" })
  if (open === null || open.versions.length !== whole?.versions.length) return undefined
  return wanted === undefined || open.versions.some(({ season }) => season === wanted) ? open : undefined
})

const addressOf = ({ path }: SharedRoute, { params, query }: Asked): string =>
  withQuery(
    path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!)),
    query
  )

const NOTE = html`<p class="faint">Private seasons are shown here to those who take part in them or administer them, and to nobody else.</p>\n`

/** Where `isPublic` finds something, the page leads to its public address, which can be passed on to others. */
export const inPrivateToo = (route: SharedRoute, isPublic?: Read): PersonalRoute => ({
  path: `${PRIVATE}${route.path}`,
  query: route.query,
  hides: true,
  own: Effect.fnUntraced(function* (asked) {
    if (isPublic !== undefined && (yield* ifAny(isPublic(asked))) !== undefined) {
      const location = addressOf(route, asked)
      return {
        title: "In public",
        main: html`<h1>In public</h1>\n<p><a href="${location}">Everybody may see it.</a></p>`,
        status: 303,
        location
      }
    }
    const query = route.canonical?.(asked.query) ?? asked.query
    const page = yield* route.render({ ...asked, query, client: readingPrivately(asked.client), at: inPrivate })
    return { ...page, main: html`${NOTE}${page.main}` }
  })
})

export const fileInPrivateToo = (route: FileRoute): PersonalFileRoute => ({
  path: `${PRIVATE}${route.path}`,
  ownSource: ({ client, params }) => route.source({ client: readingPrivately(client), params })
})
