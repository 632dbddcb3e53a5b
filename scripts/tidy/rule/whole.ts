/**
 * Entries of npm packages that load much which their importer does not use: programs import the
 * module that they need instead.
 */
import type { Finding, Tree } from "../Tree.ts"

const entries: Readonly<Record<string, string>> = {
  "@effect/platform-node": "it loads every client there is, Redis's 650 modules among them (0.4 s of each start)"
}

export function* wholes(tree: Tree): Iterable<Finding> {
  for (const { imports, package: owner, path, test } of tree.sources) {
    if (test || owner === undefined) continue
    for (const { line, specifier } of imports) {
      const why = entries[specifier]
      if (why !== undefined) yield { file: path, line, rule: "whole", message: `import a module of ${specifier}, not all of it: ${why}` }
    }
  }
}
