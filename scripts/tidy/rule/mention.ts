/**
 * Files that comments name, and all that stands in scripts and files of configuration. `Folding.ts`, `actor/Folding.ts` and `server/actor/Folding.ts` all name
 * packages/server/src/actor/Folding.ts: the end of a path, where `packages` and `src` may be left out.
 */
import type { Finding, Tree } from "../Tree.ts"

/** Not a part of a longer path with a placeholder or another extension, such as `*.test.ts`, nor with a query. Types that a generator writes are not kept. */
const MENTION = /(?<![\w*<>{}$/.-])(?:@agon\/|\.{1,2}\/)*((?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.ts)(?![\w*?]|\.\w)/g

export function* mentions(tree: Tree): Iterable<Finding> {
  const ends = endsOf(tree.paths)
  for (const { comments, generated, lineOf, path } of tree.sources) {
    if (generated) continue
    for (const { start, value } of comments)
      for (const { 1: name = "", index } of value.matchAll(MENTION))
        if (!ends.has(name) && !name.endsWith(".d.ts"))
          yield { file: path, line: lineOf(start + 2 + index), rule: "mention", message: `no file is named ${name}` }
  }
  for (const { path, text } of tree.files) {
    if (!CONFIGURATION.test(path)) continue
    for (const { 1: name = "", index } of text.matchAll(MENTION))
      if (!ends.has(name))
        yield { file: path, line: text.slice(0, index).split("\n").length, rule: "mention", message: `no file is named ${name}` }
  }
}

/** But sources, and the list of adapters, whose files have a rule of their own. */
const CONFIGURATION = /^(deploy|scripts)\/(?!tidy\/adapters\.txt$)(?!.*\.[mc]?[jt]s$)/

const endsOf = (paths: ReadonlySet<string>): ReadonlySet<string> => {
  const ends = new Set<string>()
  for (const path of paths) {
    if (!path.endsWith(".ts")) continue
    for (const written of [path, path.replace(/^packages\/([^/]+)\/src\//, "$1/")])
      for (let at = 0; at >= 0; at = written.indexOf("/", at + 1)) ends.add(at === 0 ? written : written.slice(at + 1))
  }
  return ends
}
