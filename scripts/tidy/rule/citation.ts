/**
 * Citations of the documents: `docs/contract.md#boards` names a file of `docs/` and a heading in it, wherever
 * it stands. Between Markdown files the links that lead to files of the repository, and to headings of
 * Markdown files, must lead somewhere too. Pages that the repository does not have are not cited.
 */
import { posix } from "node:path"
import type { Finding, TextFile, Tree } from "../Tree.ts"

const CITATION = /\bdocs\/([\w-]+\.md)(?:#([\w-]+))?/g
/** The target of `[text](target)` without a title; addresses of the web are not ours to check. */
const LINK = /\]\(([^)\s]+)\)/g
const FENCE = /^```[\s\S]*?^```/gm
/** Pages that were written before `docs/`. The brackets keep this file from citing them. */
const ELSEWHERE = /\bDECISION[S]\b|\bhttp-api(?:\.m[d]\b| \d)|\bGAME[S]\.md\b|\bDESIGN(?:\.m[d]\b| section)/
const INLINE = /`[^`\n]*`/g

export function* citations(tree: Tree): Iterable<Finding> {
  const headings = new Map(tree.files.filter(isMarkdown).map((file) => [file.path, headingsOf(file)]))
  const isHeading = (path: string, heading: string) => headings.get(path)?.includes(heading) ?? true
  for (const file of tree.files) {
    yield* repeated(file, headings.get(file.path) ?? [])
    yield* elsewhere(file)
    const found = isMarkdown(file) ? [...cited(file), ...linked(file)] : cited(file)
    for (const { heading, line, path } of found) {
      const message = !exists(tree.paths, path)
        ? `${path} is not in the repository`
        : heading === undefined || isHeading(path, heading)
          ? undefined
          : `${path} has no heading #${heading}`
      if (message !== undefined) yield { file: file.path, line, rule: "citation", message }
    }
  }
}

function* elsewhere({ path, text }: TextFile): Iterable<Finding> {
  if (!ELSEWHERE.test(text)) return
  for (const { line, row } of rowsOf(text)) {
    const found = row.match(ELSEWHERE)?.[0]
    const message = `"${found}" is not in the repository: cite a heading of docs/, such as docs/contract.md#boards`
    if (found !== undefined) yield { file: path, line, rule: "citation", message }
  }
}

interface Target {
  readonly path: string
  readonly heading: string | undefined
  readonly line: number
}

const isMarkdown = ({ path }: TextFile) => path.endsWith(".md")

const exists = (paths: ReadonlySet<string>, path: string) =>
  paths.has(path) || path === "." || [...paths].some((each) => each.startsWith(`${path.replace(/\/$/, "")}/`))

/** In Markdown a link to a file of `docs/` is found as a link, and is relative. */
const cited = (file: TextFile): ReadonlyArray<Target> =>
  rowsOf(isMarkdown(file) ? file.text.replace(LINK, "]") : file.text).flatMap(({ line, row }) =>
    [...row.matchAll(CITATION)].map(([, name, heading]) => ({ path: `docs/${name}`, heading, line }))
  )

const linked = ({ path: from, text }: TextFile): ReadonlyArray<Target> =>
  rowsOf(withoutCode(text)).flatMap(({ line, row }) =>
    [...row.matchAll(LINK)].flatMap(([, target = ""]) => {
      if (/^[a-z]+:|^\//.test(target)) return []
      const [path = "", heading] = target.split("#")
      return [{ path: path === "" ? from : posix.join(posix.dirname(from), path), heading, line }]
    })
  )

const rowsOf = (text: string) => text.split("\n").map((row, at) => ({ row, line: at + 1 }))

/** The content of a fence is an example; its lines stay, so that the others keep their numbers. */
const withoutFences = (text: string) => text.replace(FENCE, (block) => block.replace(/[^\n]/g, ""))
const withoutCode = (text: string) => withoutFences(text).replace(INLINE, "``")

const headingsOf = ({ text }: TextFile): ReadonlyArray<string> =>
  [...withoutFences(text).matchAll(/^#+ +(.+?) *$/gm)].map(([, title = ""]) => slugOf(title))

/** As GitHub makes it: lower case, without punctuation, a hyphen for each blank. */
const slugOf = (title: string) =>
  title
    .replace(/`/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")

/** Which of two headings a link means would depend on their order. */
function* repeated({ path, text }: TextFile, headings: ReadonlyArray<string>): Iterable<Finding> {
  if (!path.startsWith("docs/")) return
  const again = headings.filter((heading, at) => headings.indexOf(heading) !== at)
  for (const heading of again) {
    const line = rowsOf(text).findLast(({ row }) => row.startsWith("#") && slugOf(row.replace(/^#+ +/, "").trim()) === heading)?.line ?? 1
    yield { file: path, line, rule: "citation", message: `has two headings #${heading}` }
  }
}
