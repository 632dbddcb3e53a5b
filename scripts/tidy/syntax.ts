/**
 * Parses TypeScript with the parser that Vite carries: it reads one file of any tree in-process and gives ESTree with
 * types. TypeScript 7's own API is still called unstable, starts a process and wants a project around each file.
 */
import { parseSync } from "vite"

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export interface Comment {
  readonly start: number
  readonly value: string
}

export interface Parsed {
  readonly body: ReadonlyArray<Node>
  readonly root: Node
  readonly comments: ReadonlyArray<Comment>
  readonly errors: ReadonlyArray<{ readonly offset: number; readonly message: string }>
}

export function parse(path: string, text: string): Parsed {
  const { comments, errors, program } = parseSync(path, text)
  const root = program as unknown as Node
  return {
    root,
    body: nodes(root["body"]),
    comments,
    errors: errors.map((error) => ({ offset: error.labels[0]?.start ?? 0, message: error.message }))
  }
}

/** Visits every node, parents before children; the visitor answers false to leave the children out. */
export function visit(node: Node, visitor: (node: Node, ancestors: ReadonlyArray<Node>) => boolean | undefined): void {
  const ancestors: Array<Node> = []
  const enter = (current: Node) => {
    if (visitor(current, ancestors) === false) return
    ancestors.push(current)
    for (const value of Object.values(current)) {
      if (Array.isArray(value)) value.filter(isNode).forEach(enter)
      else if (isNode(value)) enter(value)
    }
    ancestors.pop()
  }
  enter(node)
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"

export const nodes = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])

export const child = (node: Node | undefined, key: string): Node | undefined => {
  const value = node?.[key]
  return isNode(value) ? value : undefined
}

export const identifier = (node: Node | undefined): string | undefined =>
  node?.type === "Identifier" ? (node["name"] as string) : undefined

/** A string known without running anything: a literal, or a template with nothing in it. */
export function literal(node: Node | undefined): string | undefined {
  if (node?.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined
  if (node?.type !== "TemplateLiteral" || nodes(node["expressions"]).length > 0) return undefined
  return (nodes(node["quasis"])[0]?.["value"] as { cooked?: string } | undefined)?.cooked
}

/** `a.b` and `a["b"]` as "a.b", through `globalThis.` too; undefined where an object or a property is computed. */
export function member(node: Node | undefined): string | undefined {
  if (node?.type !== "MemberExpression") return identifier(node)
  const object = child(node, "object")
  const property = node["computed"] === true ? literal(child(node, "property")) : identifier(child(node, "property"))
  if (object?.type === "MetaProperty") return `import.meta.${property}`
  const owner = member(object)
  if (owner === undefined || property === undefined) return undefined
  return owner === "globalThis" ? property : `${owner}.${property}`
}
