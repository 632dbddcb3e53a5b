/** AGON_DATA, the secrets in it, and the certificates between nodes. Nothing is made or changed. */

import { X509Certificate } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { faultOf } from "../config/dataDirectory.ts"
import { loadNodeTls } from "../config/nodeTls.ts"
import { SECRET_NAMES, secretFault } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"
import { DAY_MS } from "../day.ts"
import { about, type Finding, refusedIsBroken } from "./Finding.ts"

/** A certificate is renewed before it has fewer days than this. */
const RENEW_DAYS = 14

const data = about("directory")
const secrets = about("secrets")

/** Whether the service may write its directory, or make it. */
export const dataDirectory = ({ directory }: SettingsShape): Finding => {
  const fault = faultOf(directory)
  if (fault !== undefined) return data.broken(`AGON_DATA: ${fault}`)
  if (!existsSync(directory)) return data.fine(`${directory} is not there yet; the first start makes it`)
  return (statSync(directory).mode & 0o077) === 0
    ? data.fine(`${directory} is this user's alone`)
    : data.mend(`${directory} is open to other users; give it mode 0700`)
}

/** The embedded database has data, and its password is gone. */
export const isPasswordMissing = ({ database_url, directory }: Pick<SettingsShape, "database_url" | "directory">) =>
  database_url === undefined && existsSync(join(directory, "postgres/PG_VERSION")) && !existsSync(join(directory, "secrets/postgres"))

/** Secrets that are there: their length, and who may read them. Missing ones are made at the start. */
export const secretFiles = ({ database_url, directory }: SettingsShape): ReadonlyArray<Finding> => {
  const folder = join(directory, "secrets")
  if (isPasswordMissing({ database_url, directory }))
    return [secrets.mend(`${folder}/postgres is missing, the embedded database's password; the next start makes another`)]
  try {
    const faults = SECRET_NAMES.flatMap((name) => secretFault(directory, name) ?? [])
    const isOpen = existsSync(folder) && (statSync(folder).mode & 0o077) !== 0
    const found = [
      ...(isOpen ? [secrets.mend(`${folder} is open to other users; give it mode 0700`)] : []),
      ...faults.map((fault) => (fault.includes("mode 0600") ? secrets.mend(fault) : secrets.broken(fault)))
    ]
    return found.length > 0
      ? found
      : [secrets.fine(existsSync(folder) ? "the secrets are whole and private" : "the first start makes the secrets")]
  } catch (error) {
    return [secrets.broken(`the secrets cannot be read (${(error as NodeJS.ErrnoException).code}); give them to the user of the service`)]
  }
}

/** The certificate of this node: it can be used, its key is private, and it is valid for long enough. */
export const certificates = ({ node_tls }: SettingsShape) => {
  const says = about("certificates")
  if (node_tls === undefined) return Effect.succeed([])
  return Effect.gen(function* () {
    const { cert } = yield* loadNodeTls(node_tls)
    const { validFrom, validTo } = yield* Effect.try({
      try: () => new X509Certificate(cert),
      catch: () => refuse(`AGON_NODE_CERT: held ${node_tls.cert}, which is no certificate`)
    })
    const now = yield* Clock.currentTimeMillis
    const days = Math.floor((Date.parse(validTo) - now) / DAY_MS)
    const isOpen = (statSync(node_tls.key).mode & 0o077) !== 0
    const private_ = isOpen ? [says.mend(`AGON_NODE_KEY: ${node_tls.key} can be read by other users; give it mode 0600`)] : []
    if (now < Date.parse(validFrom))
      return [says.broken(`AGON_NODE_CERT: valid only from ${validFrom}; set the clock or renew it`), ...private_]
    if (days < 0) return [says.broken(`AGON_NODE_CERT: it ended on ${validTo}; renew it`), ...private_]
    if (days < RENEW_DAYS) return [says.mend(`AGON_NODE_CERT: it ends in ${days} days; renew it`), ...private_]
    return [says.fine(`the certificate between nodes is valid for ${days} days`), ...private_]
  }).pipe(refusedIsBroken("certificates"))
}
