/**
 * The operations of the document: name, description, who may call each, how often, and
 * how long its answer is cached.
 */
import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import * as A from "../Authorization.ts"
import { Cached, Rate, type RateClass } from "../Boundary.ts"
import { bodyBytes, declaredBodyBytes } from "../bodyBytes.ts"
import { descriptions } from "./descriptions.ts"
import { summaries } from "./summaries.ts"

/** `privatePodium` is `podium` for any season that the caller may see. */
const counterpartOf = (name: string) => name.replace(/^private([A-Z])/, (_, initial: string) => initial.toLowerCase())

const summaryOf = (name: string): string | undefined => {
  const summary = summaries[counterpartOf(name)]
  return summary === undefined || counterpartOf(name) === name ? summary : `${summary}, private seasons of the caller's included`
}

const callers: ReadonlyArray<readonly [level: unknown, sentence: string]> = [
  [A.Session, "For everybody who is signed in."],
  [A.OptionalSession, "For everybody; with a session, private seasons that the caller takes part in or administers are seen as well."],
  [A.PlatformAdmin, "For platform administrators."],
  [A.SeasonAdmin, "For administrators of the season, and of the platform."],
  [A.ModelOwner, "For the model's owner; to others it does not exist."],
  [A.VersionOwner, "For the version's owner; to others it does not exist."],
  [A.MatchOwner, "For those who have a seat in the match; to others it does not exist."],
  [A.RunnerKey, "For runners, by their key."]
]
const forEverybody = "For everybody."

const rates: Readonly<Record<RateClass, string>> = {
  public: "Counts against the public rate of the caller's address.",
  signin: "Counts against the sign-in rate of the caller's address.",
  session: "Counts against the account's rate of session routes.",
  read: "Counts against the account's rate of reads.",
  write: "Counts against the account's rate of writes.",
  upload: "Counts against the administrator's rate of uploads and switches.",
  runner: "Counts against no rate."
}

const cached = "The answer is cached for up to 600 s, and dropped when a write changes it; `If-None-Match` is answered 304."

/** Response headers besides those of every answer. */
const etag = { etag: { description: "Strong; the same until the answer changes.", schema: { type: "string" } } }
const retryAfter = { "retry-after": { description: "Seconds to wait before the next try.", schema: { type: "integer" } } }
const location = { location: { description: "Where to go on.", schema: { type: "string" } } }

export const describeOperation = (operation: any, endpoint: HttpApiEndpoint.Top, levels: ReadonlySet<unknown>): void => {
  operation.operationId = endpoint.identifier
  const summary = summaryOf(endpoint.identifier)
  if (summary !== undefined) operation.summary = summary
  const shared = levels.has(Cached)
  const description = descriptions[counterpartOf(endpoint.identifier)]
  const level = callers.filter(([one]) => levels.has(one)).map(([, sentence]) => sentence)
  const sentences = [description ?? [], level.length === 0 ? forEverybody : level].flat()
  const rate = Context.get(endpoint.annotations, Rate)
  if (operation.requestBody !== undefined) sentences.push(sizeOfBody(endpoint.identifier, rate))
  operation.description = [...sentences, rates[rate], ...(shared ? [cached] : [])].join(" ")
  if (levels.has(A.OptionalSession)) operation.security.unshift({})
  describeAnswers(operation.responses, shared)
  if (operation.requestBody !== undefined) describeBody(operation.requestBody)
}

const sizeOfBody = (operation: string, rate: RateClass): string => {
  const [bytes, declared] = [bodyBytes(operation), declaredBodyBytes(operation, rate)]
  const undeclared = bytes === declared ? "" : `, and without a Content-Length ${bytes}`
  return `The body may have ${declared} bytes at most${undeclared}.`
}

const describeAnswers = (responses: any, shared: boolean): void => {
  for (const [status, response] of Object.entries<any>(responses)) {
    if (status === "429" || status === "503") response.headers = retryAfter
    if (status === "302") Object.assign(response, { description: "On to the next page", headers: location })
    if (status === "204") response.description = "Done"
    if (status === "200" && shared) response.headers = etag
  }
  if (shared) responses["304"] = { description: "The caller's copy is still true.", headers: etag }
}

/** A DELETE carries its name in the body or in the query, so the body may be missing. */
const describeBody = (body: any): void => {
  const content = body.content["application/json"]
  const branches: ReadonlyArray<any> = content.schema.anyOf ?? []
  const given = branches.filter(({ type }) => type !== "null")
  if (given.length === branches.length) return
  body.required = false
  content.schema = given.length === 1 ? given[0] : { ...content.schema, anyOf: given }
}
