/** `npm ci` refuses, on every machine, a lock file that leaves out the packages of another machine. */
import { missingFrom, type Packages } from "../../completeLock.ts"
import type { Finding, Tree } from "../Tree.ts"

export function* locks(tree: Tree): Iterable<Finding> {
  const lock = tree.files.find(({ path }) => path === "package-lock.json")
  if (lock === undefined) return
  const { packages = {} } = JSON.parse(lock.text) as { packages?: Packages }
  for (const place of Object.keys(missingFrom(packages))) {
    yield { file: lock.path, line: 1, rule: "lock", message: `no entry ${place}, which npm ci needs: run node scripts/completeLock.ts` }
  }
}
