/** A function fits a screen and a file is one idea. */
import { child, identifier, member, type Node, nodes, visit } from "../syntax.ts"
import { type Finding, isGenerated, type Source, type Tree } from "../Tree.ts"

export const AIMED_LINES = 200
const FILE_LINES_MAX = 500
const FUNCTION_LINES_MAX = 70

export const lineCount = (text: string) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

export function* sizes(tree: Tree): Iterable<Finding> {
  for (const { path, text } of tree.files) {
    if (!isCode(path) || isGenerated(path) || /(^|\/)migrations?\//.test(path)) continue
    const lines = lineCount(text)
    if (lines <= FILE_LINES_MAX) continue
    yield {
      file: path,
      line: FILE_LINES_MAX + 1,
      rule: "file-size",
      message: `${lines} lines: split it, a file has at most ${FILE_LINES_MAX}`
    }
  }
  for (const source of tree.sources) if (!source.generated) yield* functions(source)
}

const isCode = (path: string) => /\.([mc]?[jt]sx?|py|sql|sh|proto|css|html)$/.test(path) || /^(scripts|\.ci)\/[^.]+$/.test(path)

/** Only the outermost function that is too long is named; functions inside it move with it. */
function functions(source: Source): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  visit(source.root, (node, ancestors) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return undefined
    const line = source.lineOf(node.start)
    const lines = source.lineOf(node.end) - line + 1
    if (lines <= FUNCTION_LINES_MAX || (source.test && isGroup(node))) return undefined
    const message = `${nameOf(node, ancestors)} has ${lines} lines: split it, a function has at most ${FUNCTION_LINES_MAX}`
    found.push({ file: source.path, line, rule: "function-size", message })
    return false
  })
  return found
}

/** A function that groups tests, for `describe` or for one conformance suite, is as long as they are many. */
function isGroup(node: Node): boolean {
  const body = child(node, "body")
  const steps = body?.type === "BlockStatement" ? nodes(body["body"]).flatMap((step) => child(step, "expression") ?? []) : [body]
  return steps.some((step) => /^(describe|suite|layer|it|test)(\.|$)/.test(calledIn(step) ?? ""))
}

/** `layer(a)("b", c)` calls layer. */
function calledIn(step: Node | undefined): string | undefined {
  if (step?.type !== "CallExpression") return undefined
  let callee = child(step, "callee")
  while (callee?.type === "CallExpression") callee = child(callee, "callee")
  return member(callee)
}

function nameOf(node: Node, ancestors: ReadonlyArray<Node>): string {
  const own = identifier(node["id"] as Node)
  if (own !== undefined) return own
  for (const ancestor of ancestors.toReversed()) {
    if (/^(MethodDefinition|Property|PropertyDefinition)$/.test(ancestor.type)) return identifier(ancestor["key"] as Node) ?? "a method"
    if (ancestor.type === "VariableDeclarator") return identifier(ancestor["id"] as Node) ?? "a function"
  }
  return "a function"
}
