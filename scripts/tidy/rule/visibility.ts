/** Who may see which rows is decided in one file, so that no statement forgets half of a condition. */
import type { Finding, Tree } from "../Tree.ts"

const room = "packages/server/src/database/visibility.ts"
const migrations = "packages/server/src/database/migrations/"

const conditions: ReadonlyArray<{ readonly pattern: RegExp; readonly name: string }> = [
  { pattern: /\bvisibility\s*(?:=(?!=)|<>|!=|IS\b|IN\b)|\bCASE (?:\w+\.)?visibility\b/, name: "publicOnly, sees or entry" },
  { pattern: /\bstatus IN \('entered', 'superseded', 'disabled'\)/, name: "published or seesVersion" },
  { pattern: /\bstatus = 'rated'/, name: "counts or seesMatch" }
]

export function* visibility(tree: Tree): Iterable<Finding> {
  for (const { path, test, text } of tree.sources) {
    if (test || path === room || !path.startsWith("packages/server/src/") || path.startsWith(migrations)) continue
    for (const [at, row] of text.split("\n").entries()) {
      for (const { name, pattern } of conditions) {
        if (pattern.test(row)) yield { file: path, line: at + 1, rule: "visibility", message: `take ${name} from ${room}` }
      }
    }
  }
}
