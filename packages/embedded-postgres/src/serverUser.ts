/**
 * Postgres refuses to run as root, so root starts it as another user: `postgres` where the
 * machine has one, else `nobody`.
 */
import { readFileSync } from "node:fs"

export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const PREFERRED = ["postgres", "nobody"]

/** The user that runs the server; undefined where we are not root and it runs as our own user. */
export const serverUser = (): ServerUser | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const users = accounts()
  const found = PREFERRED.map((name) => users.get(name)).find((user) => user !== undefined)
  return found ?? { name: "nobody", uid: 65534, gid: 65534 }
}

const accounts = () =>
  new Map(
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .filter((fields) => fields.length >= 4 && Number(fields[2]) > 0)
      .map((fields) => [fields[0]!, { name: fields[0]!, uid: Number(fields[2]), gid: Number(fields[3]) }])
  )
