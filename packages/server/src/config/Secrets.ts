/**
 * Secrets that the service makes for itself at its first start, one file each in `AGON_DATA/secrets`, mode
 * 0600. They are random, never change afterwards, and mean nothing outside this installation. Services that
 * share a directory use the same secrets: a file gets its name only when it is complete, and a service that
 * comes second reads the existing file.
 */

import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { refuse } from "./StartRefused.ts"

export interface Secrets {
  /** Signs the URLs of local objects. */
  readonly object_urls: Redacted.Redacted
  /** Signs the short-lived cookie that carries a sign-in's state. */
  readonly state_cookie: Redacted.Redacted
  /** The secret half of the platform runner's key: the runner that is started beside the service. */
  readonly platform_runner: Redacted.Redacted
  /** Keys of the development sign-in are derived from it. */
  readonly development_sign_in: Redacted.Redacted
  /** Known to the nodes alone; authenticates their commands to each other's seasons. */
  readonly nodes: Redacted.Redacted
  /** Signs the addresses of visitors, which the site repeats. */
  readonly site: Redacted.Redacted
  /** The password of the embedded database. */
  readonly postgres: Redacted.Redacted
}

const FILES: Record<keyof Secrets, string> = {
  object_urls: "object-urls",
  state_cookie: "state-cookie",
  platform_runner: "platform-runner",
  development_sign_in: "development-sign-in",
  nodes: "nodes",
  site: "site",
  postgres: "postgres"
}

/** 256 bits, written in characters that need no escaping in a URL. */
const BYTES = 32
const SHAPE = /^[A-Za-z0-9_-]{43}$/

/**
 * Why the file holds no secret of this service, or that others may read it; undefined where nothing is
 * wrong or it is not there yet.
 */
export const secretFault = (directory: string, name: keyof Secrets): string | undefined => {
  const path = join(directory, "secrets", FILES[name])
  if (!existsSync(path)) return undefined
  if (!SHAPE.test(readFileSync(path, "utf8").trim())) return `${path} does not hold a secret; remove it to have a new one made`
  return (statSync(path).mode & 0o077) === 0 ? undefined : `${path} can be read by other users; give it mode 0600`
}

/** A secret of the service as a program beside it reads it: nothing is checked or made. Empty where it is not there yet. */
export const secretIn = (directory: string, name: keyof Secrets): Redacted.Redacted => {
  const path = join(directory, "secrets", FILES[name])
  return Redacted.make(existsSync(path) ? readFileSync(path, "utf8").trim() : "")
}

export const SECRET_NAMES = Object.keys(FILES) as ReadonlyArray<keyof Secrets>

/** Reads the secrets in the directory and makes those that are missing. */
export const load = (directory: string): Effect.Effect<Secrets, ReturnType<typeof refuse>> =>
  Effect.try({
    try: () => {
      const folder = join(directory, "secrets")
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700)
      const read = (name: keyof Secrets) => Redacted.make(one(join(folder, FILES[name])))
      return {
        object_urls: read("object_urls"),
        state_cookie: read("state_cookie"),
        platform_runner: read("platform_runner"),
        development_sign_in: read("development_sign_in"),
        nodes: read("nodes"),
        site: read("site"),
        postgres: read("postgres")
      }
    },
    catch: (error) => refuse(`AGON_DATA: the secrets in ${directory} cannot be used: ${(error as Error).message}`)
  })

const one = (path: string) => {
  if (!existsSync(path)) make(path)
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  const secret = readFileSync(path, "utf8").trim()
  if (!SHAPE.test(secret)) throw new Error(`${path} does not hold a secret; remove it to have a new one made`)
  return secret
}

/** `link` refuses a name that exists, so of two services that make the same secret one wins and both use it. */
const make = (path: string) => {
  const making = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`
  writeFileSync(making, `${randomBytes(BYTES).toString("base64url")}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(making, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    rmSync(making)
  }
}
