/**
 * A file that only passes on what others export hides where things are; a package may
 * have one, as its public entry.
 */
import { child, identifier, nodes } from "../syntax.ts"
import type { Finding, Source, Tree } from "../Tree.ts"

export function* barrels(tree: Tree): Iterable<Finding> {
  const entered = new Set<string>()
  for (const source of tree.sources) {
    if (source.generated || !isBarrel(source)) continue
    const entry = source.package !== undefined && /^packages\/[^/]+\/src\/[^/]+$/.test(source.path)
    if (entry && !entered.has(source.package ?? "")) {
      entered.add(source.package ?? "")
      continue
    }
    const message = entry
      ? `only re-exports, and ${source.package} already has a public entry: import from where things are`
      : "only re-exports: import from where things are"
    yield { file: source.path, line: 1, rule: "barrel", message }
  }
}

function isBarrel(source: Source): boolean {
  const imported = new Set(
    source.body
      .filter((node) => node.type === "ImportDeclaration")
      .flatMap((node) => nodes(node["specifiers"]).map((specifier) => identifier(child(specifier, "local"))))
  )
  let exported = 0
  for (const node of source.body) {
    if (node.type === "ImportDeclaration") continue
    const passesOn =
      node.type === "ExportAllDeclaration" ||
      (node.type === "ExportNamedDeclaration" &&
        child(node, "declaration") === undefined &&
        (child(node, "source") !== undefined ||
          nodes(node["specifiers"]).every((specifier) => imported.has(identifier(child(specifier, "local"))))))
    if (!passesOn) return false
    exported += node.type === "ExportAllDeclaration" ? 1 : nodes(node["specifiers"]).length
  }
  return exported > 0
}
