/**
 * Clusters that an installation makes ahead, one for each version of Postgres and user of the server, for first starts to copy.
 *
 * One belongs to the server's user, has the program's superuser and database, and a password that nobody knows: each copy gets its own. It
 * is renamed to its place once it is complete. One of other settings has another name, and is not found.
 */
import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { type Candidate, find as findBinaries, sharedPlaces } from "./binaries.ts"
import { argumentsOf, initdb, type Kind } from "./initdb.ts"
import { serverUser } from "./serverUser.ts"

const ownerOf = (user: Kind["user"]) => user?.uid ?? process.getuid?.() ?? 0

const placeOf = (folder: string, kind: Kind) => {
  const settings = createHash("sha256").update(argumentsOf(kind).join("\0")).digest("hex").slice(0, 12)
  return join(folder, `${kind.superuser}-${kind.binaries.version}-${ownerOf(kind.user)}-${settings}`)
}

/** The cluster of this kind in the folder, unless somebody else made it. */
export const found = (folder: string, kind: Kind): string | undefined => {
  const place = placeOf(folder, kind)
  return existsSync(join(place, "PG_VERSION")) && statSync(place).uid === ownerOf(kind.user) ? place : undefined
}

/** Makes the cluster for the Postgres that is found here and this user, unless it is there: 40 MB. `name` as in `EmbeddedPostgres.start`. */
export const keep = Effect.fn("prepared.keep")(function* (options: {
  readonly folder: string
  readonly name: string
  readonly candidates?: ReadonlyArray<Candidate>
}) {
  const { candidates, folder, name } = options
  mkdirSync(folder, { recursive: true })
  const user = serverUser()
  const spare = user === undefined ? [folder] : sharedPlaces
  const binaries = yield* findBinaries({ name, user, spare, ...(candidates === undefined ? {} : { candidates }) })
  const kind: Kind = { binaries, user, superuser: name }
  if (found(folder, kind) !== undefined) return
  yield* initdb({ ...kind, data: placeOf(folder, kind), password: Redacted.make(randomBytes(32).toString("hex")) })
})
