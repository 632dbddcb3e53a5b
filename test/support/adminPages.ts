/**
 * The administration pages, by the site's own table of routes. A test that walks them visits a
 * new page as soon as there is one, and fails where a page takes a parameter that no address here has.
 */
import { administration } from "@agon/site/admin/routes.ts"
import { assert } from "@effect/vitest"

/**
 * Addresses with parameters, below the route's own. Each parameter of each route but `cursor`
 * and `done` is in one of them.
 */
const ASKED: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/games/:game/seasons/:slug/admin/entries": [
    ...["state=testing", "state=suspended", "state=disqualified", "version=VERSION"],
    ...["name=a", "name=none&state=testing"]
  ],
  "/games/:game/seasons/:slug/admin/matches": ["match=MATCH"],
  "/games/:game/seasons/:slug/admin/rounds": ["round=1"],
  "/games/:game/seasons/:slug/admin/people": ["admins=50", "login=a"],
  "/games/:game/seasons/:slug/admin/webhooks": ["webhook=WEBHOOK"],
  "/admin/seasons": ["game=othello"],
  "/admin/users": ["q=ada"],
  "/admin/comments": ["state=pending", "state=reported"],
  "/admin/stories": ["state=pending", "state=approved"],
  "/admin/announcements": ["announcement=ANNOUNCEMENT"],
  "/admin/posts": ["post=POST"]
}
const EVERYWHERE = ["cursor", "done"]

export interface AdminIds {
  readonly version: string
  readonly match: string
  readonly announcement: string
  readonly post: string
  readonly webhook: string
}

const NOBODY = "00000000-0000-0000-0000-000000000000"
const NONE: AdminIds = { version: NOBODY, match: NOBODY, announcement: NOBODY, post: "none", webhook: NOBODY }

const addressesOf = (path: string, query: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = ASKED[path] ?? []
  const known = [...EVERYWHERE, ...asked.map((pair) => pair.split("=")[0]!)]
  assert.deepStrictEqual(
    query.filter((name) => !known.includes(name)),
    [],
    `parameters of ${path} that adminPages.ts does not ask with`
  )
  return [path, ...asked.map((pair) => `${path}?${pair}`)]
}

const isOfSeason = ({ path }: { readonly path: string }) => path.startsWith("/games/")
/** Ids stand for themselves where a page without any will do. */
const named = (address: string, ids: AdminIds) =>
  address.replace(/=(VERSION|MATCH|ANNOUNCEMENT|POST|WEBHOOK)$/, (_, name: string) => `=${ids[name.toLowerCase() as keyof AdminIds]}`)

const pages = (ofSeason: boolean, ids: AdminIds) => {
  const routes = administration.filter((route) => isOfSeason(route) === ofSeason)
  return routes.flatMap(({ path, query = [] }) => addressesOf(path, query).map((address) => named(address, ids)))
}

/** Of the administration of a season of snakes. */
export const seasonPages = (slug: string, ids = NONE): ReadonlyArray<string> =>
  pages(true, ids).map((path) => path.replace(":game", "snakes").replace(":slug", slug))

export const platformPages = (ids = NONE): ReadonlyArray<string> => pages(false, ids)
