/**
 * Handlers of reads that stand twice in the API (api/twins.ts): one function reads for the public, whose answer is cached under
 * the tags that it names, and for a visitor, whose answer is not cached.
 */

import { Visitor } from "@agon/api/Authorization.ts"
import { addTags, CacheTags } from "@agon/api/Boundary.ts"
import { type PrivateName, privateName } from "@agon/api/twins.ts"
import { Effect } from "effect"
import type { HttpApiBuilder, HttpApiEndpoint } from "effect/http-api"
import type { Viewer } from "../database/visibility.ts"

/** For whom something is read: whose permissions count, and where the tags of the answer go. */
export interface Reader {
  readonly viewer: Viewer
  readonly tagged: (...tags: ReadonlyArray<string>) => Effect.Effect<void>
}

const untagged = () => Effect.void
const publicReader = Effect.map(
  CacheTags,
  (kept): Reader => ({ viewer: null, tagged: (...tags) => Effect.sync(() => addTags(kept, tags)) })
)
const uncachedReader = Effect.succeed<Reader>({ viewer: null, tagged: untagged })
const privateReader = Effect.map(Visitor, (account): Reader => ({ viewer: account?.id ?? null, tagged: untagged }))

type Endpoints = Record<string, HttpApiEndpoint.Constraint>
/** The names of a group's endpoints that have a private twin. */
type Twin<ByName> = { [Name in keyof ByName & string]: PrivateName<Name> extends keyof ByName ? Name : never }[keyof ByName & string]
/** The parameters, which are the same for both. */
type Asked<Endpoint> = Omit<HttpApiEndpoint.Request<Endpoint>, "request" | "endpoint" | "group">
type Read<Endpoint, E, R> = (asked: Asked<Endpoint>, reader: Reader) => Effect.Effect<HttpApiEndpoint.Success<Endpoint>["Type"], E, R>

/** Both handlers under their names. */
const both = <Name extends string, Endpoint, E, R, R1>(
  name: Name,
  reader: Effect.Effect<Reader, never, R1>,
  read: Read<Endpoint, E, R>
) => {
  const of =
    <R2>(reader: Effect.Effect<Reader, never, R2>) =>
    (asked: Asked<Endpoint>) =>
      Effect.flatMap(reader, (known) => read(asked, known))
  const [forAll, forVisitor] = [of(reader), of(privateReader)]
  return { [name]: forAll, [privateName(name)]: forVisitor } as Record<Name, typeof forAll> & Record<PrivateName<Name>, typeof forVisitor>
}

/** The constructors of a group's twins; `uncachedTwins` where the public one is not cached. */
export const twinsOf = <ByName extends Endpoints>(_handlers: HttpApiBuilder.Handlers<never, ByName>) => ({
  twins: <const Name extends Twin<ByName>, E, R>(name: Name, read: Read<ByName[Name], E, R>) => both(name, publicReader, read),
  uncachedTwins: <const Name extends Twin<ByName>, E, R>(name: Name, read: Read<ByName[Name], E, R>) => both(name, uncachedReader, read)
})
