/**
 * Sentences that begin with "What" and ask nothing, as in `What waits is written later`: a reader takes the clause for a question
 * first. A noun says it at first sight: `Ratings that wait are written later`. Read are comments, documents without their headings
 * and code, and the texts of programs, of which titles, without a full stop, may stay.
 */
import { type Node, visit } from "../syntax.ts"
import type { Finding, Source, TextFile, Tree } from "../Tree.ts"

/** A released migration never changes. */
const RELEASED: ReadonlySet<string> = new Set(
  ["0003_audit", "0044_kept_lists"].map((name) => `packages/server/src/database/migrations/${name}.ts`)
)

/** Stands for each character that is no prose: a marker, a tag, code. No sentence goes on behind it. */
const BREAK = "\0"
/** From its first word to its end: a full stop, another mark, or a break. */
const SENTENCE = /(?<=(?:^|\0|[.!?][)"”*]*\s)[\s("“*]*)What\s+([a-z]\w*|`)[^\0]*?(?:[.!?](?=[)"”*]*(?:[\s\0]|$))|(?=\0)|$)/g

interface Prose {
  /** As long as in its file. */
  readonly text: string
  readonly start: number
  /** Whether titles may be in it. */
  readonly titles: boolean
}

export function* headless(tree: Tree): Iterable<Finding> {
  const sources = new Map(tree.sources.map((source) => [source.path, source]))
  for (const file of tree.files) {
    if (!/\bWhat\b/.test(file.text) || RELEASED.has(file.path)) continue
    const source = sources.get(file.path)
    for (const { start, text, titles } of source === undefined ? proseOf(file) : proseIn(source))
      for (const { 0: sentence, 1: word, index } of text.matchAll(SENTENCE)) {
        if (sentence.endsWith("?") || (titles && !sentence.endsWith("."))) continue
        const line = file.text.slice(0, start + index).split("\n").length
        const message = `"What ${word}" begins a sentence: begin it with a noun that says what is meant`
        yield { file: file.path, line, rule: "headless", message }
      }
  }
}

const broken = (text: string) => text.replace(/[^\n]/g, BREAK)
const blank = (text: string) => text.replace(/\S/g, " ")
/** An empty line ends a sentence, and so does the mark of an item. */
const inParts = (text: string) => text.replace(/\n(?=[ \t]*\n)|^[ \t]*(?:[-*+]|\d+\.)[ \t]/gm, (found) => BREAK.repeat(found.length))

const proseIn = (source: Source): ReadonlyArray<Prose> =>
  source.generated ? [] : [...commentsOf(source), ...(source.test ? [] : literalsOf(source))]

/** Comments to the end of a line that follow each other are one. */
function commentsOf({ comments, text }: Source): ReadonlyArray<Prose> {
  const spans: Array<{ readonly start: number; end: number }> = []
  for (const { start, value } of comments) {
    const isLine = text.startsWith("//", start)
    const last = spans.at(-1)
    const end = start + value.length + (isLine ? 2 : 4)
    if (isLine && last !== undefined && text.startsWith("//", last.start) && /^\n[ \t]*$/.test(text.slice(last.end, start))) last.end = end
    else spans.push({ start, end })
  }
  return spans.map(({ end, start }) => ({ start, text: commentText(text.slice(start, end)), titles: false }))
}

const commentText = (text: string) =>
  inParts(text.replace(/\*+\/$|^#!.*/g, broken).replace(/^[ \t]*(?:\/\/+|\/?\*+|#+|"""|--)/gm, blank)).replace(/`[^`\n]*`/g, inBackticks)
/** Code in them may hold full stops. */
const inBackticks = (code: string) => `\`${"x".repeat(code.length - 2)}\``

function literalsOf({ root, text }: Source): ReadonlyArray<Prose> {
  const found: Array<Prose> = []
  visit(root, (node: Node) => {
    if (node.type !== "TemplateElement" && !(node.type === "Literal" && typeof node["value"] === "string")) return undefined
    const written = text.slice(node.start, node.end).replace(/^["'`]|["'`]$|<[^>]*>|\\n/g, broken)
    found.push({ start: node.start, text: written, titles: true })
    return undefined
  })
  return found
}

const COMMENTS: ReadonlyArray<readonly [path: RegExp, comment: RegExp]> = [
  [/\.py$/, /(?:^[ \t]*#.*\n?)+|"""[\s\S]*?"""/gm],
  [/\.css$/, /\/\*[\s\S]*?\*\//g],
  [/\.proto$/, /(?:^[ \t]*\/\/.*\n?)+/gm],
  [/\.(?:sh|bash|conf|ya?ml|toml)$|^(?:scripts|\.ci)\/[^.]+$|Dockerfile$/, /(?:^[ \t]*#.*\n?)+/gm]
]

function proseOf({ path, text }: TextFile): ReadonlyArray<Prose> {
  if (path.endsWith(".md")) return [{ start: 0, text: documentText(text), titles: false }]
  const comment = COMMENTS.find(([of]) => of.test(path))?.[1]
  if (comment === undefined) return []
  return [...text.matchAll(comment)].map(({ 0: found, index }) => ({ start: index, text: commentText(found), titles: false }))
}

const documentText = (text: string) => inParts(text.replace(/^```[\s\S]*?^```|^#+ .*|\|/gm, broken)).replace(/`[^`\n]*`/g, inBackticks)
