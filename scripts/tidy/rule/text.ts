/** Paths and hosts of one machine or one network have no place in the repository. */
import type { Finding, Tree } from "../Tree.ts"

const patterns: ReadonlyArray<{ readonly pattern: RegExp; readonly message: string }> = [
  { pattern: /(?<![\w.\-/*}])\/(?:work|root)\/[\w.*-]*/, message: "is a path of one machine: write it relative to the repository" },
  { pattern: /(?<![\w.\-/*}])\/(?:home|Users)\/\w[\w.-]*\//, message: "is a path of one machine: write it relative to the repository" },
  {
    pattern:
      /\b(?:registry\.[a-z0-9-]+\.[a-z]{2,}|[a-z0-9.-]+\.(?:npmmirror|jfrog|pythonhosted)\.[a-z]{2,}|[a-z0-9.-]*(?:artifactory|nexus)[a-z0-9-]*\.[a-z0-9.-]+)\b/i,
    message: "is a package registry's host: installing takes the registry from its user's settings"
  }
]

export function* texts(tree: Tree): Iterable<Finding> {
  for (const { path, text } of tree.files) {
    if (!patterns.some(({ pattern }) => pattern.test(text))) continue
    for (const [at, row] of text.split("\n").entries()) {
      for (const { pattern, message } of patterns) {
        const found = row.match(pattern)?.[0]
        if (found !== undefined) yield { file: path, line: at + 1, rule: "machine", message: `"${found}" ${message}` }
      }
    }
  }
}
