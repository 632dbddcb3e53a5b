/**
 * The editions of the schema, by which a first start finds a prepared database
 * (packages/embedded-postgres/src/prepared.ts): one for each migration, named by the texts of all up to it. A
 * database that an installation of another release prepared is taken as far as its migrations are the same,
 * and the rest is applied to the copy; one with a migration of another text is not taken.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const MIGRATION = /^\d{4}_\w+\.ts$/

/** The schema with all migrations first, an empty database last. */
export const editionsOf = (folder: string): ReadonlyArray<string> => {
  const names = readdirSync(folder).filter((name) => MIGRATION.test(name))
  const texts = createHash("sha256")
  const editions = [""]
  for (const name of names.toSorted()) {
    for (const part of [name, readFileSync(join(folder, name)), "\0"]) texts.update(part)
    editions.unshift(texts.copy().digest("hex"))
  }
  return editions
}

export const editions = () => editionsOf(join(import.meta.dirname, "migrations"))
