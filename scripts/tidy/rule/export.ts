/**
 * An export that no other file takes: a newcomer looks for its users, and nobody sees when the last of them goes. A function or a constant
 * loses the word `export`, or goes where its own file does not use it either. A type, a class, and a constant beside a type of its name stay
 * while their own file uses them: they name what its other exports take, answer or fail with.
 */
import { child, identifier, literal, type Node, nodes, visit } from "../syntax.ts"
import type { Finding, Source, Tree } from "../Tree.ts"

/**
 * Files whose exports others take who are not in this repository, or by another way than an import: every file of the api, which
 * `@agon/client` publishes, but those for our own programs; what packTool.ts puts in the place of other modules; and the programs of
 * generated clients, whose types alone are checked.
 */
const ENTRIES = /^packages\/api\/src\/(?!program\/|documentation\/)|^scripts\/packed[A-Z]\w*\.ts$|^test\/generated-client\//

/** All of a file's exports, in the place of a name: of `export * from`, `import()`, and a namespace that is passed on. */
const ALL = "*"

export function* unusedExports(tree: Tree): Iterable<Finding> {
  const taken = new Map<string, Set<string>>()
  for (const source of tree.sources)
    for (const { name, path } of takenBy(source)) {
      const names = taken.get(path) ?? new Set()
      taken.set(path, names.add(name))
    }
  for (const source of tree.sources) {
    if (source.generated || ENTRIES.test(source.path)) continue
    const names = taken.get(source.path) ?? new Set()
    if (!names.has(ALL)) yield* unusedIn(source, names)
  }
}

function* unusedIn(source: Source, taken: ReadonlySet<string>): Iterable<Finding> {
  const exported = source.body.flatMap(exportsOf)
  const types = new Set(exported.filter(({ kind }) => kind === "type").map(({ name }) => name))
  const reported = new Set<string>()
  for (const { kind, name, start } of exported) {
    if (taken.has(name) || reported.has(name)) continue
    const isUsed = occurrences(source, name) > exported.filter((one) => one.name === name).length
    if (isUsed && (kind === "type" || types.has(name))) continue
    reported.add(name)
    const message = isUsed && kind !== "passed on" ? "is used here alone: take away `export`" : "is used nowhere: take it away"
    yield { file: source.path, line: source.lineOf(start), rule: "export", message: `${name} ${message}` }
  }
}

interface Exported {
  readonly name: string
  /** A class counts as a type, which it is too. `default` is left out: vitest and vite load files by it. */
  readonly kind: "value" | "type" | "passed on"
  readonly start: number
}

function exportsOf(node: Node): ReadonlyArray<Exported> {
  if (node.type !== "ExportNamedDeclaration") return []
  const declaration = child(node, "declaration")
  const { start } = node
  if (declaration === undefined)
    return nodes(node["specifiers"]).flatMap((specifier) => ({ name: wordOf(child(specifier, "exported")), kind: "passed on", start }))
  if (declaration.type !== "VariableDeclaration") {
    const kind = declaration.type.startsWith("TS") || declaration.type === "ClassDeclaration" ? "type" : "value"
    return [{ name: wordOf(child(declaration, "id")), kind, start }]
  }
  return nodes(declaration["declarations"])
    .flatMap((declarator) => bound(child(declarator, "id")))
    .map((name) => ({ name, kind: "value", start }))
}

/** The names that `const` binds: one, or those of `{ a, b: c }` and `[a, b]`. */
function bound(pattern: Node | undefined): ReadonlyArray<string> {
  const one = identifier(pattern)
  if (one !== undefined) return [one]
  if (pattern?.type === "ObjectPattern")
    return nodes(pattern["properties"]).flatMap((property) => bound(child(property, "value") ?? child(property, "argument")))
  return pattern?.type === "ArrayPattern" ? nodes(pattern["elements"]).flatMap(bound) : []
}

const wordOf = (node: Node | undefined): string => identifier(node) ?? literal(node) ?? ""

function occurrences(source: Source, name: string): number {
  let found = 0
  visit(source.root, (node) => {
    if (identifier(node) === name) found++
    return undefined
  })
  return found
}

interface Taken {
  readonly path: string
  readonly name: string
}

function takenBy(source: Source): ReadonlyArray<Taken> {
  const found: Array<Taken> = []
  const namespaces = new Map<string, string>()
  const take = (path: string | undefined, name: string) => {
    if (path !== undefined) found.push({ path, name })
  }
  const pathOf = (node: Node) => {
    const specifier = literal(child(node, "source"))
    const target = source.imports.find((one) => one.specifier === specifier && !one.address)?.target
    return target?.kind === "ours" ? target.path : undefined
  }
  visit(source.root, (node, ancestors) => {
    if (/^(ImportExpression|TSImportType|ExportAllDeclaration)$/.test(node.type)) take(pathOf(node), ALL)
    else if (node.type === "ExportNamedDeclaration" && child(node, "source") !== undefined)
      for (const specifier of nodes(node["specifiers"])) take(pathOf(node), wordOf(child(specifier, "local")))
    else if (node.type === "ImportDeclaration") {
      const path = pathOf(node)
      for (const specifier of nodes(node["specifiers"]))
        if (specifier.type === "ImportSpecifier") take(path, wordOf(child(specifier, "imported")))
        else if (specifier.type === "ImportNamespaceSpecifier" && path !== undefined)
          namespaces.set(wordOf(child(specifier, "local")), path)
      return false
    } else if (node.type === "Identifier") take(namespaces.get(wordOf(node)), memberOf(node, ancestors.at(-1)))
    return undefined
  })
  return found
}

/** The name that is taken of a namespace where it stands: `Boards.layer`, or all of them where it is passed on. */
function memberOf(namespace: Node, parent: Node | undefined): string {
  if (parent?.type === "MemberExpression" && child(parent, "object") === namespace)
    return parent["computed"] === true ? (literal(child(parent, "property")) ?? ALL) : wordOf(child(parent, "property"))
  return parent?.type === "TSQualifiedName" && child(parent, "left") === namespace ? wordOf(child(parent, "right")) : ALL
}
