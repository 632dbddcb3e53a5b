/** Makes a cluster ahead, for first starts to copy (prepared.ts). */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { type Candidate, find, sharedPlaces } from "./binaries.ts"
import { start } from "./EmbeddedPostgres.ts"
import type { Kind } from "./initdb.ts"
import { EMPTY, found, placeOf } from "./prepared.ts"
import { serverUser } from "./serverUser.ts"

export interface Contents<E> {
  /** Their name: `start` finds the cluster by it. */
  readonly edition: string
  /** Writes them into the empty database at the URL. */
  readonly fill: (url: Redacted.Redacted) => Effect.Effect<unknown, E>
}

/**
 * Makes the cluster for the Postgres that is found here and this user, unless it is there: 40 MB. `name` as
 * in `EmbeddedPostgres.start`.
 */
export const keep = Effect.fn("prepared.keep")(function* <E = never>(options: {
  readonly folder: string
  readonly name: string
  /** None: the database stays empty. */
  readonly contents?: Contents<E>
  readonly candidates?: ReadonlyArray<Candidate>
}) {
  const { candidates, contents, folder, name } = options
  mkdirSync(folder, { recursive: true })
  const user = serverUser()
  const spare = user === undefined ? [folder] : sharedPlaces
  const search = candidates === undefined ? {} : { candidates }
  const kind: Kind = { binaries: yield* find({ name, user, spare, ...search }), user, superuser: name }
  const edition = contents?.edition ?? EMPTY
  if (found({ folder, editions: () => [edition] }, kind) !== undefined) return
  yield* Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(folder, "making."))),
    (directory) =>
      Effect.gen(function* () {
        const { url } = yield* start({ directory, name, password: Redacted.make(randomBytes(32).toString("hex")), ...search })
        if (contents !== undefined) yield* contents.fill(url)
      }).pipe(
        // Once the server has ended, which leaves its files complete and nothing to recover.
        Effect.scoped,
        Effect.andThen(Effect.sync(() => take(join(directory, "postgres"), placeOf(folder, kind, edition))))
      ),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
})

/** Of two that are made at the same time one is kept. */
const take = (made: string, place: string) => {
  if (!existsSync(place)) renameSync(made, place)
}
