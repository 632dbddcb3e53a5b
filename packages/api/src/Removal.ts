/** What a DELETE removes, named in its JSON body or by the same name in the query, since proxies drop bodies (docs/contract.md#bodies). */
import { Schema } from "effect"

/** The database keeps no NUL, so nothing is named with one; bodies are looked through before, queries are not. */
const Named = Schema.String.check(Schema.makeFilter((text: string) => (text.includes("\0") ? "holds a NUL character" : undefined)))

/** `payload` and `query` of an endpoint that removes by `name`; an empty body is null. Which of the two it was, `named` says. */
export const removes = <const Name extends string>(name: Name) => {
  const named = Schema.Struct({ [name]: Schema.optionalKey(Named) } as { readonly [K in Name]: Schema.optionalKey<Schema.String> })
  return { payload: [named, Schema.Null] as const, query: named }
}
