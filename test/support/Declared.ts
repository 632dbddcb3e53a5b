/**
 * The answers that every route declares, and whether an answer is one of those;
 * undeclared.ts holds all tests to it.
 */

import { Api } from "@agon/api/Api.ts"
import { errorCatalogue } from "@agon/api/Errors.ts"
import { OpenApi } from "effect/http-api"
import { faults } from "./faults.ts"
import { type Operation, operationsOf } from "./Operations.ts"

/** As much of an answer as tells whether it was declared. */
export interface Said {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

let known: ReadonlyArray<{ readonly operation: Operation; readonly path: RegExp; readonly names: number }> | undefined

/**
 * Operations by their paths, those that name the most themselves first: `/v1/submissions/reenter`
 * before `/v1/submissions/{id}`.
 */
const routes = () =>
  (known ??= operationsOf(OpenApi.fromApi(Api))
    .map((operation) => ({
      operation,
      path: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]*")}/?$`),
      names: operation.path.match(/\{/g)?.length ?? 0
    }))
    .sort((a, b) => a.names - b.names))

let anywhere: ReadonlySet<string> | undefined

/** Answers to a connection before there is a route: that it is too slow, or its head too large. */
const beforeRoutes = () =>
  (anywhere ??= new Set(
    errorCatalogue()
      .filter(({ routes }) => routes.length === 0)
      .map(({ code, status }) => `${status} ${code}`)
  ))

/** The operations of a path, by method. */
const operationsAt = (url: string): ReadonlyMap<string, Operation> => {
  const path = new URL(url, "http://localhost").pathname
  const found = routes().filter((route) => route.path.test(path))
  return new Map(found.filter(({ names }) => names === found[0]!.names).map(({ operation }) => [operation.method, operation]))
}

/**
 * A person who presses the button behind the link in a mail is answered with a page,
 * also where the link is unknown.
 */
const isPage = (method: string, url: string, headers: Headers) =>
  method === "POST" && url.includes("/v1/unsubscribe?") && headers.get("content-type") === "text/html; charset=utf-8"

/** The fault in an answer, as the end of a sentence about it; undefined where there is none. */
export const faultOf = (method: string, url: string, { headers, status, text }: Said): string | undefined => {
  const at = operationsAt(url)
  const operation = at.get(method === "HEAD" ? "GET" : method)
  if (headers.get("x-request-id") === null) return "has no request id"
  if (status < 400) return operation?.answers.has(String(status)) ? undefined : "succeeds with a status that the route does not declare"
  if (isPage(method, url, headers)) return operation?.answers.has(`${status} not_found`) ? undefined : "refuses with a page"
  if (headers.get("content-type") !== "application/problem+json") return "is no problem"
  if (method === "HEAD") return undefined
  const problem = JSON.parse(text)
  for (const member of ["type", "title", "status", "detail", "code"]) if (problem[member] === undefined) return `lacks ${member}`
  if (problem.status !== status || problem.type !== `/errors#${problem.code}`) return "contradicts itself"
  if (/\bat (\S+ \()?\S*[/\\]\S*:\d+:\d+|SELECT |INSERT |syntax error|node_modules/.test(text)) return "says too much"
  const outcome = `${status} ${problem.code}`
  if (beforeRoutes().has(outcome) && status !== 405) return undefined
  if (operation !== undefined) return operation.answers.has(outcome) ? undefined : "refuses with a code that the route does not declare"
  return beside(outcome, at, headers.get("allow") ?? "")
}

/** Where there is no such operation: none of the path's methods, or no such path. */
const beside = (outcome: string, at: ReadonlyMap<string, Operation>, allow: string): string | undefined => {
  if (at.size === 0) return outcome === "404 not_found" ? undefined : "is something else than 404 where there is nothing"
  if (outcome !== "405 method_not_allowed") return "is something else than 405 where the path has other methods"
  return [...at.keys()].every((method) => allow.includes(method)) ? undefined : "does not say which methods there are"
}

/** Throws where a route of the API answers what it does not declare; routes outside /v1 declare nothing. */
export const assertDeclared = (method: string, url: string, said: Said): void => {
  if (!new URL(url, "http://localhost").pathname.startsWith("/v1/")) return
  const fault = faultOf(method, url, said)
  if (fault === undefined) return
  const told = `The answer to ${method} ${url} ${fault}: ${said.status} ${said.text.slice(0, 300)}`
  faults.push(told)
  throw new Error(told)
}
