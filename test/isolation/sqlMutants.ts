/**
 * Mutants of SQL text, made from the statements that a run was seen to send: each condition of each of them
 * dropped in turn, each part of a commit freed of its fence, each lock left out. A statement that is new is
 * mutated as soon as a run sends it.
 *
 * A commit is one statement of many parts, which come together in many ways: a mutant changes
 * one part, wherever it occurs.
 */

export interface SqlMutant {
  readonly name: string
  readonly apply: (text: string) => string
}

interface Span {
  readonly from: number
  readonly to: number
}

/** Words, quoted strings, and single signs, with their depth in parentheses. */
interface Token extends Span {
  readonly text: string
  readonly depth: number
}

const TOKEN = /'(?:[^']|'')*'|[A-Za-z_][A-Za-z_0-9]*|\S/g

const tokensOf = (text: string): ReadonlyArray<Token> => {
  let depth = 0
  return [...text.matchAll(TOKEN)].map((match) => {
    const [word] = match
    if (word === ")") depth--
    const token = { text: word, depth, from: match.index, to: match.index + word.length }
    if (word === "(") depth++
    return token
  })
}

/** Words that end a list of conditions, at its own depth. */
const ENDS = new Set([
  "WHERE",
  "ON",
  "ORDER",
  "GROUP",
  "RETURNING",
  "LIMIT",
  "UNION",
  "JOIN",
  "LEFT",
  "CROSS",
  "FOR",
  "OFFSET",
  "SELECT",
  ","
])

/** The conditions of a text that are joined by AND and OR, inner ones too, in the order in which they begin. */
export const conditionsOf = (text: string): ReadonlyArray<Span> => {
  const tokens = tokensOf(text)
  const found: Array<Span> = []
  for (const [i, { depth, text: word }] of tokens.entries()) {
    const begins = word === "WHERE" || (word === "ON" && tokens[i + 1]?.text !== "CONFLICT")
    if (begins) found.push(...listFrom(tokens, i + 1, depth))
  }
  return found.sort((a, b) => a.from - b.from)
}

const listFrom = (tokens: ReadonlyArray<Token>, first: number, depth: number): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let from = first
  const close = (to: number) => {
    if (to > from) found.push({ from: tokens[from]!.from, to: tokens[to - 1]!.to }, ...groupIn(tokens, from, to))
    from = to + 1
  }
  for (let i = first; i <= tokens.length; i++) {
    const token = tokens[i]
    if (token === undefined || token.depth < depth || (token.depth === depth && ENDS.has(token.text))) {
      close(i)
      return found
    }
    if (token.depth === depth && (token.text === "AND" || token.text === "OR")) close(i)
  }
  return found
}

/** The conditions of a group in parentheses, which is a condition too. */
const groupIn = (tokens: ReadonlyArray<Token>, from: number, to: number): ReadonlyArray<Span> => {
  const { depth, text } = tokens[from]!
  const closes = tokens.findIndex((token, i) => i > from && token.text === ")" && token.depth === depth)
  if (text !== "(" || closes !== to - 1) return []
  const inner = listFrom(tokens, from + 1, depth + 1)
  return inner.length > 1 ? inner : []
}

/** The fence, its parts and what is left of a commit; of any other statement the whole. */
export const piecesOf = (text: string): ReadonlyArray<Span> => {
  if (!text.startsWith("WITH f AS (")) return [{ from: 0, to: text.length }]
  const tokens = tokensOf(text)
  const pieces: Array<Span> = []
  for (const [i, { depth, text: word, to }] of tokens.entries()) {
    if (word !== "(" || depth !== 0 || tokens[i - 1]?.text !== "AS") continue
    const end = tokens.find((token, j) => j > i && token.text === ")" && token.depth === 0)!
    pieces.push({ from: to, to: end.from })
  }
  return pieces
}

/** The same for a part wherever its parameters stand. */
const normal = (piece: string): string => {
  const least = Math.min(...[...piece.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
  return piece.replace(/\$(\d+)/g, (_, n: string) => `?${Number(n) - least + 1}`)
}

const replaced = (text: string, { from, to }: Span, by: string): string => text.slice(0, from) + by + text.slice(to)
/**
 * A condition that always holds. It is still there, since PostgreSQL refuses a statement
 * whose parameter is used nowhere.
 */
const always = (text: string, span: Span): string => replaced(text, span, `(${text.slice(span.from, span.to)} OR TRUE)`)
const short = (text: string): string => text.replace(/\s+/g, " ").trim()

const UNFENCED = "(SELECT id AS season_id, game FROM season WHERE id = $1) f"
const FENCE = /\b(FROM|USING) f\b/
const LOCK = /\bFOR (NO KEY )?UPDATE\b( OF \w+)?( SKIP LOCKED)?/

const WRITE = /\b(UPDATE [a-z]\w*|INSERT INTO \w+|DELETE FROM \w+)/

/** `UPDATE board`, `INSERT INTO live`, `SELECT … FROM rating`. */
const titleOf = (piece: string): string => {
  const found = WRITE.exec(piece)
  const write = found?.index === 0 || piece.startsWith("WITH") ? found?.[0] : undefined
  return write ?? `SELECT ${short(piece).slice(7, 40)}… FROM ${/\bFROM (\w+)/.exec(piece)?.[1] ?? "?"}`
}

interface Change {
  readonly what: string
  readonly of: (piece: string) => string
}

/** Each condition dropped. */
export const conditionsDropped = (piece: string): ReadonlyArray<Change> =>
  conditionsOf(piece).map(({ from, to }, i) => ({
    what: `without ${short(piece.slice(from, to))}`,
    of: (text: string) => always(text, conditionsOf(text)[i]!)
  }))

const changesOf = (piece: string): ReadonlyArray<Change> => {
  const dropped = conditionsDropped(piece)
  const fence = FENCE.test(piece)
    ? [{ what: "without the fence", of: (text: string) => text.replace(FENCE, (_, from: string) => `${from} ${UNFENCED}`) }]
    : []
  const lock = LOCK.test(piece) ? [{ what: "without its lock", of: (text: string) => text.replace(LOCK, "") }] : []
  return [...dropped, ...fence, ...lock]
}

/** Every mutant of these texts, each once; of several that would be called the same each has its number. */
export const mutantsOf = (texts: Iterable<string>, changes = changesOf): ReadonlyArray<SqlMutant> => {
  const pieces = new Set([...texts].flatMap((text) => piecesOf(text).map(({ from, to }) => normal(text.slice(from, to)))))
  const named = new Map<string, number>()
  const nameOf = (name: string): string => {
    const n = (named.get(name) ?? 0) + 1
    named.set(name, n)
    return n === 1 ? name : `${name} (${n})`
  }
  const replacing = (piece: string, of: Change["of"]) => (text: string) =>
    piecesOf(text).reduceRight((whole, span) => {
      const own = whole.slice(span.from, span.to)
      return normal(own) === piece ? replaced(whole, span, of(own)) : whole
    }, text)
  return [...pieces].flatMap((piece) =>
    changes(piece).map(({ of, what }) => ({ name: nameOf(`${titleOf(piece)} ${what}`), apply: replacing(piece, of) }))
  )
}
