/**
 * The name of the thing that a DELETE removes, in its JSON body or under the same name in the query, since
 * proxies drop bodies (docs/contract.md#bodies).
 */
import { Schema } from "effect"

/** Postgres text holds no NUL, so no name has one; bodies are checked for NUL before, queries are not. */
const Named = Schema.String.check(Schema.makeFilter((text: string) => (text.includes("\0") ? "holds a NUL character" : undefined)))

/**
 * `payload` and `query` of an endpoint that removes by `name`; an empty body is null. `named`
 * picks the one that was given.
 */
export const removes = <const Name extends string>(name: Name) => {
  const named = Schema.Struct({ [name]: Schema.optionalKey(Named) } as { readonly [K in Name]: Schema.optionalKey<Schema.String> })
  return { payload: [named, Schema.Null] as const, query: named }
}
