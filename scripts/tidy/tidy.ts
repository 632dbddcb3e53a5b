/** Runs every rule over a tree; the order of the answer is file, line, rule. */
import { barrels } from "./rule/barrel.ts"
import { calls } from "./rule/call.ts"
import { citations } from "./rule/citation.ts"
import { cycles } from "./rule/cycle.ts"
import { dependencies } from "./rule/dependency.ts"
import { unusedExports } from "./rule/export.ts"
import { floor } from "./rule/floor.ts"
import { headless } from "./rule/headless.ts"
import { locks } from "./rule/lock.ts"
import { mentions } from "./rule/mention.ts"
import { names } from "./rule/name.ts"
import { AIMED_LINES, lineCount, sizes } from "./rule/size.ts"
import { texts } from "./rule/text.ts"
import { visibility } from "./rule/visibility.ts"
import { wholes } from "./rule/whole.ts"
import { type Finding, readTree, type Tree } from "./Tree.ts"

const rules: ReadonlyArray<(tree: Tree) => Iterable<Finding>> = [
  syntax,
  floor,
  cycles,
  dependencies,
  sizes,
  calls,
  names,
  barrels,
  texts,
  citations,
  mentions,
  headless,
  locks,
  visibility,
  wholes,
  unusedExports
]

export interface Report {
  readonly files: number
  /** How many files exceed the aim, which is not an error. */
  readonly longFiles: number
  readonly findings: ReadonlyArray<Finding>
}

export function tidy(root: string): Report {
  const tree = readTree(root)
  const findings = rules.flatMap((rule) => [...rule(tree)])
  findings.sort((a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.rule, b.rule))
  const longFiles = tree.sources.filter((source) => !source.generated && lineCount(source.text) > AIMED_LINES).length
  return { files: tree.sources.length, longFiles, findings }
}

function* syntax(tree: Tree): Iterable<Finding> {
  for (const source of tree.sources) {
    for (const { line, message } of source.errors) yield { file: source.path, line, rule: "syntax", message }
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
