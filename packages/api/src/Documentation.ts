/** What the OpenAPI document says beyond what follows from the endpoints' schemas. */
import { HttpApi } from "effect/http-api"
import { OptionalSession } from "./Authorization.ts"
import { summaries } from "./Summaries.ts"

/** `privatePodium` is `podium` of whatever season the caller may see. */
const memberRead = /^private([A-Z])/

const summaryOf = (name: string): string | undefined => {
  const counterpart = name.replace(memberRead, (_, initial: string) => initial.toLowerCase())
  const summary = summaries[counterpart]
  return summary === undefined || counterpart === name ? summary : `${summary}, private seasons of the caller's included`
}

type Operation = Record<string, unknown>

/** Gives every operation its summary, and says that a session is optional where it is. */
export const documented = (api: HttpApi.Top, document: Record<string, any>): Record<string, any> => {
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { identifier, method, path }, middleware }) => {
      const operation: Operation | undefined = document["paths"][path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]
      if (operation === undefined) return
      const summary = summaryOf(identifier)
      if (summary !== undefined) operation["summary"] = summary
      if ((middleware as ReadonlySet<unknown>).has(OptionalSession)) (operation["security"] as Array<object>).unshift({})
    }
  })
  return document
}
