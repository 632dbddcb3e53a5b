/** AGON_DATA and the secrets in it. Nothing is made or changed. */

import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { faultOf, sharedWith } from "../config/dataDirectory.ts"
import { SECRET_NAMES, secretFault } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { about, type Finding } from "./Finding.ts"

const data = about("directory")
const secrets = about("secrets")

/** Whether the service may write its directory, or make it. */
export const dataDirectory = ({ directory }: SettingsShape): Finding => {
  const fault = faultOf(directory)
  if (fault !== undefined) return data.broken(`AGON_DATA: ${fault}`)
  if (!existsSync(directory)) return data.fine(`${directory} is not there yet; the first start makes it`)
  const shared = sharedWith(directory)
  if (shared !== undefined) return data.mend(shared)
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
