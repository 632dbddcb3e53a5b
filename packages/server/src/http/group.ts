/**
 * `HttpApiBuilder.group` for every group of the API: answers are written as JSON straight from their schemas (jsonWriters.ts) rather
 * than encoded, copied and then stringified. A value that a schema refuses goes on to HttpApi, whose encoder says what is wrong with it.
 *
 * HttpApi adds the context in which a group was built to that of each request, one service after the other. Handlers take their services
 * where they are made, as handlers.ts holds, so a request gets the middlewares of its group alone, not the 130 services of the program.
 */

import { Context, Effect, Layer, type Schema, SchemaAST, Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { jsonTextOf } from "./json/jsonText.ts"

export const group: typeof HttpApiBuilder.group = (api, name, build) => {
  const { endpoints } = api.groups[name] as unknown as { readonly endpoints: Readonly<Record<string, HttpApiEndpoint.Top>> }
  const middlewares = new Set(Object.values(endpoints).flatMap(({ middlewares }) => [...middlewares]))
  const of = Context.pick(Scope.Scope, ...middlewares) as (whole: Context.Context<any>) => Context.Context<any>
  return Layer.effectContext(
    Effect.contextWith((whole: Context.Context<any>) => {
      const own = HttpApiBuilder.group(api, name, (handlers) => {
        const add = handlers.handleAll.bind(handlers) as (all: AnyHandlers) => any
        const handleAll = (all: AnyHandlers) =>
          add(Object.fromEntries(Object.entries(all).map(([endpoint, handler]) => [endpoint, writing(handler, endpoints[endpoint]!)])))
        const built: any = build(Object.assign(handlers, { handleAll }))
        return Effect.isEffect(built) ? Effect.provideContext(built as Effect.Effect<any>, whole) : built
      })
      return Effect.updateContext(Layer.build(own as Layer.Layer<any>), () => of(whole))
    })
  ) as any
}

type Handler = (request: any) => Effect.Effect<any, any, any>
type AnyHandlers = Readonly<Record<string, Handler | { readonly handler: Handler }>>

const writing = (entry: Handler | { readonly handler: Handler }, endpoint: HttpApiEndpoint.Top) => {
  const [success, ...others] = endpoint.success
  const answer = success === undefined || others.length > 0 ? undefined : answerOf(success)
  if (answer === undefined) return entry
  const { handler, ...rest } = typeof entry === "function" ? { handler: entry } : entry
  return { ...rest, handler: (request: unknown) => Effect.map(handler(request), answer) }
}

/** `HttpApiSchema.status` annotates the place where a schema is used, a class its schema. */
const statusOf = (ast: SchemaAST.AST) => (ast.context?.annotations?.["httpApiStatus"] ?? statusOfClass(ast)) as number | undefined
const statusOfClass = SchemaAST.resolveAt<number>("httpApiStatus")
const encodingOf = SchemaAST.resolveAt<{ readonly _tag: string }>("~httpApiEncoding")
const OK = 200

/** The response of a handler's value, or the value itself, for HttpApi; undefined for bodies that are no JSON or that Effect encodes. */
export const answerOf = (success: Schema.Top): ((value: unknown) => unknown) | undefined => {
  if (HttpApiSchema.isWithHeaders(success) || HttpApiSchema.isNoContent(success.ast) || encodingOf(success.ast) !== undefined)
    return undefined
  const write = jsonTextOf(success)
  if (write === undefined) return undefined
  const options = { status: statusOf(success.ast) ?? OK, contentType: "application/json" }
  return (value) => {
    if (HttpServerResponse.isHttpServerResponse(value)) return value
    const text = write(value)
    return text === undefined ? value : HttpServerResponse.text(text, options)
  }
}
