/** Makes a cluster ahead (prepared.ts), and its spare. */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Redacted } from "effect"
import { type Candidate, find, sparePlaces } from "./binaries.ts"
import { start } from "./EmbeddedPostgres.ts"
import { initdb, type Kind } from "./initdb.ts"
import { EMPTY, placeOf } from "./prepared.ts"
import { serverUser } from "./serverUser.ts"
import { isOurs, spareOf } from "./spare.ts"

export interface Contents<E> {
  /** Their name: `start` finds the cluster by it. */
  readonly edition: string
  /** Writes them into the empty database at the URL. */
  readonly fill: (url: Redacted.Redacted) => Effect.Effect<unknown, E>
}

/**
 * Makes the cluster for the Postgres that is found here and this user, and its spare, where they are not there: 40 MB
 * each. `name` as in `EmbeddedPostgres.start`.
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
  const search = candidates === undefined ? {} : { candidates }
  const kind: Kind = { binaries: yield* find({ name, user, spare: sparePlaces(user, folder), ...search }), user, superuser: name }
  const edition = contents?.edition ?? EMPTY
  const place = placeOf(folder, kind, edition)
  const made = (directory: string) =>
    Effect.gen(function* () {
      const { url } = yield* start({ directory, name, password: nobodys(), ...search })
      if (contents !== undefined) yield* contents.fill(url)
    }).pipe(Effect.scoped) // once the server has ended its files are complete, and nothing is to be recovered
  const copied = (directory: string) => initdb({ ...kind, data: join(directory, "postgres"), password: nobodys(), prepared: place })
  if (!isOurs(place, user)) yield* into(place, made)
  if (!isOurs(spareOf(place), user)) yield* into(spareOf(place), copied)
})

/** A password that nobody knows. */
const nobodys = () => Redacted.make(randomBytes(32).toString("hex"))

/** Makes a folder beside the place, and moves it to the place when it is complete. */
const into = <E>(place: string, make: (directory: string) => Effect.Effect<unknown, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(dirname(place), "making."))),
    (directory) =>
      Effect.andThen(
        make(directory),
        Effect.sync(() => take(join(directory, "postgres"), place))
      ),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

/** Where two are made at the same time, one is kept. */
const take = (made: string, place: string) => {
  if (!existsSync(place)) renameSync(made, place)
}
