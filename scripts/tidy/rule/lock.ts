/**
 * `npm ci` refuses, on every machine, a lock file that leaves out the packages of another machine. It takes an entry without
 * integrity, but then installs whatever the registry serves under that version.
 */
import { missingFrom, type Packages, withoutIntegrity } from "../../completeLock.ts"
import type { Finding, Tree } from "../Tree.ts"

/**
 * Binaries of development tools for machines that the lock file was never made on: the registry at hand did not carry them, so their
 * integrity is not known. No check runs on such a machine, and the service needs none of them.
 */
const UNKNOWN = /^node_modules\/@(biomejs\/cli|bufbuild\/buf)-[a-z0-9-]+$/

export function* locks(tree: Tree): Iterable<Finding> {
  const lock = tree.files.find(({ path }) => path === "package-lock.json")
  if (lock === undefined) return
  const { packages = {} } = JSON.parse(lock.text) as { packages?: Packages }
  const finding = (message: string): Finding => ({ file: lock.path, line: 1, rule: "lock", message })
  for (const place of Object.keys(missingFrom(packages))) {
    yield finding(`no entry ${place}, which npm ci needs: run node scripts/completeLock.ts`)
  }
  for (const [place, { dev, optional }] of withoutIntegrity(packages)) {
    if (UNKNOWN.test(place) && optional === true && dev === true) continue
    yield finding(`${place} has no integrity: run node scripts/completeLock.ts, or npm install where the registry carries it`)
  }
}
