/**
 * Clusters that an installation makes ahead (keep.ts) for first starts to copy: one for each version of
 * Postgres, user of the server and edition. Beside each is a spare (spare.ts) that the first of them takes.
 *
 * An edition names what is in the database, so that a program which wants other contents does not find it.
 * The program names those that it can use, the best one first: an older one whose contents it completes after
 * its start costs less than a new cluster.
 *
 * A prepared cluster belongs to the server's user, has the program's superuser and database, and a password
 * that nobody knows: each copy gets its own. It is renamed to its place once it is complete. One of other
 * settings has another name, and is not found.
 *
 * Copies share Postgres's system identifier. By that Postgres knows whose log a standby or an archive may
 * take, and a server that only its own program reaches has neither. Somebody who gives one an archive of its
 * log has to keep those of two copies apart by folder.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { argumentsOf, type Kind } from "./initdb.ts"
import { isOurs, ownerOf } from "./spare.ts"

export interface Shelf {
  readonly folder: string
  /**
   * The editions that a copy may be of, the best one first; asked where there is no cluster yet.
   * Without it, an empty database.
   */
  readonly editions?: () => ReadonlyArray<string>
}

/** The edition of a cluster whose database is empty. */
export const EMPTY = ""

export const placeOf = (folder: string, kind: Kind, edition: string) => {
  const settings = createHash("sha256")
    .update([...argumentsOf(kind), edition].join("\0"))
    .digest("hex")
    .slice(0, 12)
  return join(folder, `${kind.superuser}-${kind.binaries.version}-${ownerOf(kind.user)}-${settings}`)
}

/** The first cluster of this kind in the folder, in the order of the editions, unless somebody else made it. */
export const found = ({ editions = () => [EMPTY], folder }: Shelf, kind: Kind): string | undefined =>
  editions()
    .map((edition) => placeOf(folder, kind, edition))
    .find((place) => isOurs(place, kind.user))
