/** The routes that write, read from the API itself: `PATCH /v1/models/:id`. */
import { Api } from "@agon/api/Api.ts"
import { HttpApi } from "effect/http-api"

/** `any`: the library's type of an API in general is one that no API in particular has. */
export const writingRoutes = (): ReadonlyArray<string> => {
  const found: Array<string> = []
  HttpApi.reflect(Api as any, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }: any) => {
      if (method !== "GET") found.push(`${method} ${path}`)
    }
  })
  return found
}

/** The one of these routes that takes the request; a path without a parameter before one with. */
export const routeIn = (routes: ReadonlyArray<string>, method: string, url: string): string | undefined =>
  routes
    .filter((route) => new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`).test(`${method} ${url.split("?")[0]}`))
    .toSorted((one, other) => one.split(":").length - other.split(":").length)[0]
