/** A function fits a screen and a file is one idea. */
import { identifier, member, type Node, visit } from "../syntax.ts"
import { type Finding, isGenerated, type Source, type Tree } from "../Tree.ts"

export const aimedLines = 200
const fileLines = 500
const functionLines = 70

export const lineCount = (text: string) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

export function* sizes(tree: Tree): Iterable<Finding> {
  for (const { path, text } of tree.files) {
    if (!isCode(path) || isGenerated(path) || /(^|\/)migrations?\//.test(path)) continue
    const lines = lineCount(text)
    if (lines <= fileLines) continue
    yield { file: path, line: fileLines + 1, rule: "file-size", message: `${lines} lines: split it, a file has at most ${fileLines}` }
  }
  for (const source of tree.sources) if (!source.generated) yield* functions(source)
}

const isCode = (path: string) => /\.([mc]?[jt]sx?|sql|sh|proto|css|html)$/.test(path) || /^(scripts|\.ci)\/[^.]+$/.test(path)

/** Only the outermost function that is too long is named; what is inside it moves with it. */
function functions(source: Source): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  visit(source.root, (node, ancestors) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return undefined
    const line = source.lineOf(node.start)
    const lines = source.lineOf(node.end) - line + 1
    if (lines <= functionLines || (source.test && isGroup(node, ancestors.at(-1)))) return undefined
    const message = `${nameOf(node, ancestors)} has ${lines} lines: split it, a function has at most ${functionLines}`
    found.push({ file: source.path, line, rule: "function-size", message })
    return false
  })
  return found
}

/** The callback of `describe` or `layer` groups tests; it is as long as they are many. */
function isGroup(node: Node, call: Node | undefined): boolean {
  if (call?.type !== "CallExpression" || call["callee"] === node) return false
  let callee = call["callee"] as Node
  while (callee.type === "CallExpression") callee = callee["callee"] as Node
  return /(^|\.)(describe|suite|layer)(\.|$)/.test(member(callee) ?? "")
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
