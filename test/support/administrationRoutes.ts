/** The routes that administer seasons and fleets, read from the API itself: a test that walks them misses none. */

import { Api } from "@agon/api/Api.ts"
import { PlatformAdmin, SeasonAdmin } from "@agon/api/Authorization.ts"
import { Boundary, JsonBody } from "@agon/api/Boundary.ts"
import { HttpApi } from "effect/http-api"

export interface Route {
  readonly method: string
  /** As the API has it: `/v1/games/:game/seasons/:slug`. */
  readonly path: string
  readonly byPlatform: boolean
  /** Code to status. Refusals that any route of the API may answer, and faults of any body, have tests of their own. */
  readonly refusals: ReadonlyMap<string, number>
}

const codesOf = (errors: Iterable<any>) =>
  [...errors]
    .map(({ ast }) => [ast.annotations.identifier, ast.annotations.httpApiStatus] as const)
    .filter(([code]) => code !== "rate_limited")

/** `any`: the library's type of an API in general is one that no API in particular has. */
export const administrationRoutes = (): ReadonlyArray<Route> => {
  const found: Array<Route> = []
  HttpApi.reflect(Api as any, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }: any) => {
      const levels: ReadonlyArray<any> = [...middleware]
      const byPlatform = levels.includes(PlatformAdmin)
      if (!byPlatform && !levels.includes(SeasonAdmin)) return
      if (!/^\/v1\/(games\/:game\/seasons|runner-keys|runners)/.test(endpoint.path)) return
      const own = levels.filter((level) => level !== Boundary && level !== JsonBody).flatMap(({ error }) => [...error])
      found.push({
        method: endpoint.method,
        path: endpoint.path,
        byPlatform,
        // A level declares what it may answer to any method; a read is never refused for its origin.
        refusals: new Map(codesOf([...endpoint.error, ...own]).filter(([code]) => code !== "cross_origin" || endpoint.method !== "GET"))
      })
    }
  })
  return found
}

/** The route that answers a URL. */
export const routeOf = (routes: ReadonlyArray<Route>, method: string, url: string): Route | undefined =>
  routes.find((route) => route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, "[^/]+")}$`).test(url.split("?")[0]!))
