/** Finds every import of a file, in any notation, and classifies it. */
import { isBuiltin } from "node:module"
import { posix } from "node:path"
import { child, identifier, literal, member, type Node, nodes, visit } from "./syntax.ts"

export interface Import {
  readonly line: number
  readonly specifier: string
  readonly target: Target
  /** A module's address given to a worker or a child process: it must obey the floor plan but is no edge of a cycle. */
  readonly address: boolean
}

export type Target =
  /** A file of this repository, as a path from its root. */
  | { readonly kind: "ours"; readonly path: string; readonly relative: boolean }
  | { readonly kind: "builtin" }
  | { readonly kind: "npm"; readonly name: string }
  /** An absolute path, which is valid on one machine only. */
  | { readonly kind: "absolute" }

/** `packages` gives the folder of each workspace package by its name. */
export function importsOf(path: string, root: Node, lineOf: (offset: number) => number, packages: ReadonlyMap<string, string>) {
  const found: Array<Import> = []
  visit(root, (node) => {
    const reference = specifierOf(node)
    if (reference === undefined) return undefined
    const { specifier, address } = reference
    found.push({ line: lineOf(node.start), specifier, address, target: targetOf(path, specifier, packages) })
    return undefined
  })
  return found
}

const resolvers = ["import.meta.resolve", "require.resolve", "require"]

function specifierOf(node: Node): { specifier: string; address: boolean } | undefined {
  const found = (specifier: string | undefined, address = false) => (specifier === undefined ? undefined : { specifier, address })
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return found(literal(child(node, "source")))
    case "TSExternalModuleReference":
      return found(literal(child(node, "expression")))
    case "CallExpression":
      return resolvers.includes(member(child(node, "callee")) ?? "") ? found(literal(nodes(node["arguments"])[0]), true) : undefined
    case "NewExpression": {
      const [url, base] = nodes(node["arguments"])
      const address = literal(url)
      const ofModule = identifier(child(node, "callee")) === "URL" && member(base)?.startsWith("import.meta.") === true
      return ofModule && address?.match(/^\.{1,2}\/.*\.[mc]?[jt]s$/) ? found(address, true) : undefined
    }
    default:
      return undefined
  }
}

function targetOf(path: string, specifier: string, packages: ReadonlyMap<string, string>): Target {
  const bare = specifier.replace(/\?.*$/, "")
  if (/^\.{1,2}(\/|$)/.test(bare)) return { kind: "ours", path: posix.join(posix.dirname(path), bare), relative: true }
  if (bare.startsWith("/") || bare.startsWith("file:")) return { kind: "absolute" }
  if (isBuiltin(bare)) return { kind: "builtin" }
  const name = bare
    .split("/")
    .slice(0, bare.startsWith("@") ? 2 : 1)
    .join("/")
  const folder = packages.get(name)
  if (folder === undefined) return { kind: "npm", name }
  return { kind: "ours", path: posix.join(folder, "src", bare.slice(name.length)), relative: false }
}
