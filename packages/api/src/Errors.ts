/**
 * The catalogue of refusals, made from the API itself: those that operations declare, and those
 * given before a route is matched.
 */
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { errorMeanings } from "./errorMeanings.ts"

export interface ErrorEntry {
  readonly code: string
  readonly status: number
  readonly title: string
  /** A sentence; empty where errorMeanings.ts has none. */
  readonly when: string
  /** Its members besides type, title, status, detail and code. */
  readonly members: ReadonlyArray<string>
  /** Operations that may answer with it, as `GET /v1/games`. */
  readonly routes: ReadonlyArray<string>
}

/** Refusals on any path: the method does not exist there, or the bytes are not a valid request. */
const beforeRoutes: ReadonlyArray<ErrorEntry> = (
  [
    [405, "method_not_allowed", "Method not allowed"],
    [408, "request_timeout", "The request took too long"],
    [431, "headers_too_large", "The headers are too large"]
  ] as const
).map(([status, code, title]) => ({ code, status, title, when: errorMeanings[code] ?? "", members: [], routes: [] }))

const ownMembers = new Set(["type", "title", "status", "detail", "code", "instance"])

/** By status, then by code. */
export const errorCatalogue = (): ReadonlyArray<ErrorEntry> => {
  const { components, paths } = OpenApi.fromApi(Api) as any
  const resolve = (schema: any): any => (schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split("/").at(-1)])
  const found = new Map<string, ErrorEntry & { readonly routes: Array<string> }>()
  for (const [path, operations] of Object.entries<any>(paths)) {
    for (const [method, { responses }] of Object.entries<any>(operations)) {
      for (const schema of problemsOf(responses, resolve)) {
        const { code, members, status, title } = factsOf(schema)
        const entry = found.get(code) ?? { code, status, title, when: errorMeanings[code] ?? "", members, routes: [] }
        entry.routes.push(`${method.toUpperCase()} ${path}`)
        found.set(code, entry)
      }
    }
  }
  return [...found.values(), ...beforeRoutes].sort((a, b) => a.status - b.status || a.code.localeCompare(b.code, "en"))
}

const problemsOf = (responses: any, resolve: (schema: any) => any): ReadonlyArray<any> =>
  Object.values<any>(responses).flatMap(({ content = {} }) => {
    const schema = resolve(content["application/problem+json"]?.schema)
    return schema === undefined ? [] : (schema.anyOf ?? [schema]).map(resolve)
  })

const factsOf = ({ properties }: any) => ({
  code: properties.code.enum[0] as string,
  status: properties.status.enum[0] as number,
  title: properties.title.enum[0] as string,
  members: Object.keys(properties).filter((name) => !ownMembers.has(name))
})
