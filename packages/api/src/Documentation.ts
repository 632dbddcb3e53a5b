/**
 * Completes the OpenAPI document that the library generates. It is read by people, and by client
 * generators that know only the document: every operation and schema has a name and a meaning.
 */
import { HttpApi } from "effect/http-api"
import { describeOperation } from "./documentation/operations.ts"
import { describeParameters } from "./documentation/parameters.ts"
import { mendSchemas } from "./documentation/schemas.ts"
import { groups } from "./documentation/summaries.ts"

const about = `Trained models compete in games. Competitors sign in, make models, submit versions and upload their files; runners examine
and play them; ratings make leaderboards.

A browser signs in at \`/v1/auth/{provider}\` and holds the cookie \`service_session\`; runners send their key as a bearer token.
Refusals are problem details (RFC 9457): switch on \`code\`, show \`detail\`. The meaning of each refusal is listed at \`/errors\`.
Keys that the service does not know are ignored; an answer may get new ones.`

/** Completes the document in place. */
export const documented = (api: HttpApi.Top, document: Record<string, any>): Record<string, any> => {
  Object.assign(document["info"], { description: about, contact: { name: "Agon" }, license: { name: "MIT", identifier: "MIT" } })
  for (const tag of document["tags"]) tag.description = groups[tag.name]
  document["servers"] = [{ url: "/", description: "The origin that the document was read from" }]
  const { key, session } = document["components"].securitySchemes ?? {}
  if (session !== undefined) session.description = "A session, as the sign-in sets it. Requests of browsers must come from the same origin."
  if (key !== undefined) Object.assign(key, { scheme: "bearer", description: "A runner key." })
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const { method, path, query } = endpoint
      const operation = document["paths"][path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]
      if (operation === undefined) return
      describeOperation(operation, endpoint, middleware as ReadonlySet<unknown>)
      describeParameters(operation.parameters ?? [], query)
    }
  })
  mendSchemas(document)
  return document
}
