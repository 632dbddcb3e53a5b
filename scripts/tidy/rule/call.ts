/**
 * The clock, chance, the environment and the console are reached at the edges only: main files, adapters, tests and
 * scripts. `scripts/tidy/adapters.txt` lists the adapters, one a line: path, calls (comma between), reason.
 */
import { posix } from "node:path"
import { child, identifier, literal, member, type Node, nodes, visit } from "../syntax.ts"
import type { Finding, Source, Tree } from "../Tree.ts"

const list = "scripts/tidy/adapters.txt"

const advice: Readonly<Record<string, string>> = {
  "Date.now": "take the time as an argument or from Effect's Clock",
  "new Date": "take the time as an argument or from Effect's Clock",
  "Math.random": "take a seeded generator or Effect's Random",
  "process.env": "take it from Config",
  console: "use Effect's logger"
}

interface Adapter {
  readonly line: number
  readonly path: string
  readonly calls: ReadonlyArray<string>
  readonly reason: string
}

export function* calls(tree: Tree): Iterable<Finding> {
  const adapters = readAdapters(tree)
  const made = new Set<string>()
  for (const source of tree.sources) {
    if (isEdge(source)) continue
    const allowed = new Set(adapters.filter((adapter) => adapter.path === source.path).flatMap((adapter) => adapter.calls))
    for (const { call, offset } of bannedIn(source)) {
      made.add(`${source.path} ${call}`)
      if (allowed.has(call)) continue
      const message = `${call} outside the edges: ${advice[call]}, or name the adapter and its reason in ${list}`
      yield { file: source.path, line: source.lineOf(offset), rule: "banned-call", message }
    }
  }
  yield* staleAdapters(adapters, made)
}

const isEdge = (source: Source) =>
  source.test || source.generated || source.package === undefined || posix.basename(source.path) === "main.ts"

function readAdapters(tree: Tree): ReadonlyArray<Adapter> {
  const text = tree.files.find((file) => file.path === list)?.text ?? ""
  return text.split("\n").flatMap((row, at) => {
    if (row.trim() === "" || row.startsWith("#")) return []
    const [path = "", named = "", ...reason] = row.trim().split(/\s+/)
    const names = named.split(",").map((name) => (name === "new-Date" ? "new Date" : name))
    return [{ line: at + 1, path, calls: names, reason: reason.join(" ") }]
  })
}

function* staleAdapters(adapters: ReadonlyArray<Adapter>, made: ReadonlySet<string>): Iterable<Finding> {
  for (const { line, path, calls, reason } of adapters) {
    if (reason === "") yield { file: list, line, rule: "adapter", message: `say why ${path} needs ${calls.join(", ")}` }
    for (const call of calls) {
      if (made.has(`${path} ${call}`)) continue
      yield { file: list, line, rule: "adapter", message: `${path} makes no call of ${call}: remove it from the list` }
    }
  }
}

interface Banned {
  readonly call: string
  readonly offset: number
}

function bannedIn(source: Source): ReadonlyArray<Banned> {
  const found: Array<Banned> = []
  const imported = importedNames(source)
  visit(source.root, (node, ancestors) => {
    const call = imported.has(member(node)?.split(".")[0] ?? "") ? undefined : bannedName(node, ancestors.at(-1))
    if (call !== undefined) found.push({ call, offset: node.start })
    return undefined
  })
  return found
}

/** A name that a file imports from elsewhere is not the global of that name, unless it is Node's own. */
function importedNames(source: Source): ReadonlySet<string> {
  const declarations = source.body.filter((node) => node.type === "ImportDeclaration" && !isNodeGlobal(literal(child(node, "source"))))
  const specifiers = declarations.flatMap((node) => nodes(node["specifiers"]))
  return new Set(specifiers.flatMap((specifier) => identifier(child(specifier, "local")) ?? []))
}

const isNodeGlobal = (module: string | undefined) => /^(node:)?(process|console)$/.test(module ?? "")

function bannedName(node: Node, parent: Node | undefined): string | undefined {
  switch (node.type) {
    case "MemberExpression":
      return bannedMember(member(node))
    case "NewExpression":
      return member(child(node, "callee")) === "Date" && nodes(node["arguments"]).length === 0 ? "new Date" : undefined
    case "CallExpression":
      return member(child(node, "callee")) === "Date" ? "new Date" : undefined
    case "Property": {
      const object = parent?.type === "ObjectPattern" ? identifier(child(node, "key")) : undefined
      return object === undefined ? undefined : bannedMember(`${destructured.get(parent as Node) ?? ""}.${object}`)
    }
    case "VariableDeclarator": {
      const pattern = child(node, "id")
      if (pattern?.type === "ObjectPattern") destructured.set(pattern, member(child(node, "init")) ?? "")
      return undefined
    }
    case "ImportDeclaration":
      return bannedImport(node)
    default:
      return undefined
  }
}

/** The value that each object pattern takes apart, noted at its declaration, which is visited first. */
const destructured = new WeakMap<Node, string>()

function bannedMember(name: string | undefined): string | undefined {
  if (name === "Date.now" || name === "Math.random" || name === "process.env") return name
  return name?.match(/^console\.\w+$/) ? "console" : undefined
}

function bannedImport(node: Node): string | undefined {
  const module = literal(child(node, "source"))?.replace("node:", "")
  if (module === "console") return "console"
  const names = nodes(node["specifiers"]).map((specifier) => identifier(child(specifier, "imported")))
  return module === "process" && names.includes("env") ? "process.env" : undefined
}
