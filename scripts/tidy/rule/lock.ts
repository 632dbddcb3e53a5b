/**
 * `npm ci` refuses, on every machine, a lock file that leaves out the packages of another machine. It takes
 * an entry without integrity, but then installs whatever the registry serves under that version.
 */
import { missingFrom, type Packages, withoutIntegrity } from "../../completeLock.ts"
import type { Finding, Tree } from "../Tree.ts"

export function* locks(tree: Tree): Iterable<Finding> {
  const lock = tree.files.find(({ path }) => path === "package-lock.json")
  if (lock === undefined) return
  const { packages = {} } = JSON.parse(lock.text) as { packages?: Packages }
  const finding = (message: string): Finding => ({ file: lock.path, line: 1, rule: "lock", message })
  for (const place of Object.keys(missingFrom(packages))) {
    yield finding(`no entry ${place}, which npm ci needs: run node scripts/completeLock.ts`)
  }
  for (const [place] of withoutIntegrity(packages)) {
    yield finding(
      `${place} has no integrity: run node scripts/completeLock.ts, or take a version that the registry carries for all machines`
    )
  }
}
