/**
 * Describes the faults of a request in sentences that a person can act on: the place, and the values accepted
 * there. A list is represented by its first faulty item, a union by the form nearest to the value, and at
 * most ten faults are reported. The tree of issues is walked only that far: a body with thousands of faults
 * has thousands of branches, which are not formatted.
 */

import { SchemaIssue } from "effect"
import { type FieldErrors, InvalidRequest } from "./Problem.ts"
import { takes, wordOfForms } from "./takes.ts"

type Fault = FieldErrors[number]

/** The most faults reported; a person corrects no more before trying again. */
const FAULTS_MAX = 10
/** The faults that the `detail` of a refusal repeats. */
const SAID_MAX = 3

export const fieldErrors = (issue: SchemaIssue.Issue): FieldErrors => firstOf(faultsIn(issue, []))

const firstOf = (faults: Iterable<Fault>): ReadonlyArray<Fault> => {
  const found = new Map<string, Fault>()
  for (const fault of faults) {
    if (!found.has(fault.path)) found.set(fault.path, fault)
    if (found.size >= FAULTS_MAX) break
  }
  return [...found.values()]
}

const ANY_TEXT = "takes text"

type Path = ReadonlyArray<PropertyKey>

const at = (path: Path, message: string): Fault => ({ path: path.map(String).join("."), message })

function* faultsIn(issue: SchemaIssue.Issue, path: Path): Generator<Fault> {
  switch (issue._tag) {
    case "Pointer":
      return yield* faultsIn(issue.issue, [...path, ...issue.path])
    case "Encoding":
      // In a query everything arrives as text; the useful message is that it has to be a number.
      for (const fault of faultsIn(issue.issue, path))
        yield fault.message === ANY_TEXT ? { ...fault, message: `takes ${takes(issue.ast)}` } : fault
      return
    case "Filter":
      return yield* faultsIn(issue.issue, path)
    case "Composite":
      return yield* faultsOfParts(issue, path)
    case "AnyOf":
      return yield* issue.issues.length === 0 ? [ofNoForm(issue, path)] : nearest(issue.issues, path)
    default:
      yield at(path, wordsOf(issue))
  }
}

/**
 * The first fault of a list, the faults of all members of an object; a violated bound is reported with
 * all that the schema accepts.
 */
function* faultsOfParts({ ast, issues }: SchemaIssue.Composite, path: Path): Generator<Fault> {
  for (const part of ast._tag === "Arrays" ? issues.slice(0, 1) : issues) {
    const missing = part._tag === "Pointer" && part.issue._tag === "MissingKey" ? part.path[0] : undefined
    const member = ast._tag === "Objects" ? ast.propertySignatures.find(({ name }) => name === missing) : undefined
    if (missing !== undefined && member !== undefined) yield at([...path, missing], `is missing: it takes ${takes(member.type)}`)
    else if (part._tag === "Filter" && saysNothing(part.issue)) yield at(path, `takes ${takes(ast)}`)
    else yield* faultsIn(part, path)
  }
}

const saysNothing = (issue: SchemaIssue.Issue) => issue._tag === "InvalidValue" && typeof issue.annotations?.message !== "string"

/** A value that none of the forms is tried on: its place is the literal that tells them apart, where it is an object. */
const ofNoForm = ({ ast, ...issue }: SchemaIssue.AnyOf, path: Path): Fault => {
  const forms = ast._tag === "Union" ? ast.types : []
  const word = wordOfForms(forms)
  const { input } = issue as { readonly input?: unknown }
  if (word === undefined || typeof input !== "object" || input === null || Array.isArray(input)) return at(path, `takes ${takes(ast)}`)
  const accepted = `takes ${word.values}`
  if (Object.hasOwn(input, word.name)) return at([...path, word.name], accepted)
  return forms.length === 1 ? at([...path, word.name], `is missing: it ${accepted}`) : at(path, `takes ${takes(ast)}`)
}

/**
 * The nearest of several forms: a body with the seats of a match gets the faults of these seats, not the
 * fields that a failure needs.
 */
const nearest = (forms: ReadonlyArray<SchemaIssue.Issue>, path: Path): ReadonlyArray<Fault> => {
  const most = Math.max(...forms.map(namedOf))
  const tries = forms.filter((form) => namedOf(form) === most).map((form) => firstOf(faultsIn(form, path)))
  const fewest = Math.min(...tries.map(({ length }) => length))
  return tries.filter(({ length }) => length === fewest).flat()
}

/** How many members of the form the value has, right or wrong. */
const namedOf = (form: SchemaIssue.Issue): number => {
  if (form._tag !== "Composite" || form.ast._tag !== "Objects" || !SchemaIssue.hasInput(form)) return 0
  const { input } = form
  if (typeof input !== "object" || input === null) return 0
  return form.ast.propertySignatures.filter(({ name }) => Object.hasOwn(input, name)).length
}

const wordsOf = (issue: SchemaIssue.Leaf): string => {
  switch (issue._tag) {
    case "MissingKey":
      return "is missing"
    case "UnexpectedKey":
      return "is not known here"
    case "InvalidType":
      return `takes ${takes(issue.ast)}`
    case "InvalidValue":
      return typeof issue.annotations?.message === "string" ? capital(issue.annotations.message) : "takes another value"
    default:
      return "takes another value"
  }
}

/** Begins a sentence. */
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A wrong format comes first: in a file of another kind, such as another game's board, it is why the rest is missing. */
const formatFirst = (errors: FieldErrors): FieldErrors =>
  errors.toSorted((a, b) => Number(b.path === "format") - Number(a.path === "format"))

/** One sentence or a few for `detail`: the field in words, then its accepted values. `noun` names the whole. */
export const sentencesOf = (errors: FieldErrors, noun = "body"): string => {
  const said = formatFirst(errors)
    .slice(0, SAID_MAX)
    .map((fault) => sentenceOf(fault, noun))
  const more = errors.length - said.length
  return [...said, ...(more > 0 ? [`${more} more ${more === 1 ? "is" : "are"} wrong.`] : [])].join(" ")
}

/** The refusal that names these faults. */
export const invalidRequest = (errors: FieldErrors, noun?: string) => new InvalidRequest({ detail: sentencesOf(errors, noun), errors })

const sentenceOf = ({ message, path }: Fault, noun: string): string => {
  const place = path === "" ? `The ${noun}` : placeOf(path)
  const said = message.replace(/^It (?=takes|must)/, "").replace(/\.$/, "")
  // A text that starts with a capital is a sentence of its own.
  return /^[A-Z]/.test(said) ? `${place}: ${said}.` : `${place} ${said}.`
}

/** `results.3.seats.0.score` is "score of item 1 of seats of item 4 of results". */
const placeOf = (path: string): string => {
  const words = path
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".", 12)
    .map((key) => (/^\d+$/.test(key) ? `item ${Number(key) + 1}` : key))
  return words.toReversed().join(" of ")
}
