/**
 * The values that a schema accepts, in words for error messages: "text of 1 to 100 characters", "a
 * whole number of at least 1".
 */
import type { SchemaAST } from "effect"

type Check = SchemaAST.Check<any>

/** The arguments of a check: lengths and bounds by name. */
interface Bounds {
  readonly [bound: string]: unknown
}

const flat = (checks: ReadonlyArray<Check> | undefined): ReadonlyArray<Check> =>
  (checks ?? []).flatMap((check) => (check._tag === "FilterGroup" ? flat(check.checks) : [check]))

const representationOf = (check: Check) =>
  check.annotations?.["representation"] as { readonly id: string; readonly payload?: Bounds } | undefined

/** The bounds of all checks together. */
const boundsOf = (ast: SchemaAST.AST): Bounds => Object.assign({}, ...flat(ast.checks).map((check) => representationOf(check)?.payload))

/** The maximum length of a list, if its schema has one. */
export const itemsMax = (ast: SchemaAST.AST): number | undefined => {
  const { maxLength, maximum } = boundsOf(ast)
  const most = maxLength ?? maximum
  return typeof most === "number" ? most : undefined
}

/** The check's own description in words, if it has one. */
const saidBy = (check: Check): string | undefined => {
  const expected = check.annotations?.expected
  const id = representationOf(check)?.id
  return typeof expected === "string" && (id === undefined || id === "effect/schema/isPattern") && !/^a string matching/.test(expected)
    ? expected
    : undefined
}

export const takes = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
      return textOf(ast)
    case "Number":
      return numberOf(ast)
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Arrays":
      return listOf(ast)
    case "Objects":
      return "an object"
    case "Union":
      return unionOf(ast.types)
    default:
      return "another value"
  }
}

const textOf = (ast: SchemaAST.AST): string => {
  const said = flat(ast.checks).flatMap((check) => saidBy(check) ?? [])
  if (said.length > 0) return said.map((one) => (/^\d/.test(one) ? `text of ${one}` : one)).join(", ")
  const { maxLength, maximum, minLength, minimum } = boundsOf(ast)
  const span = spanOf(minLength ?? minimum, maxLength ?? maximum)
  return span === undefined ? "text" : `text of ${span} characters`
}

const numberOf = (ast: SchemaAST.AST): string => {
  const whole = flat(ast.checks).some((check) => representationOf(check)?.id === "effect/schema/isInt")
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = boundsOf(ast)
  const least = minimum ?? (typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : undefined)
  const most = maximum ?? (typeof exclusiveMaximum === "number" && whole ? exclusiveMaximum - 1 : exclusiveMaximum)
  const span = spanOf(least, most)
  return `${whole ? "a whole number" : "a number"}${span === undefined ? "" : /^\d|^-/.test(span) ? ` from ${span}` : ` of ${span}`}`
}

const listOf = (ast: SchemaAST.AST): string => {
  const { maxLength, maximum, minLength, minimum } = boundsOf(ast)
  const span = spanOf(minLength ?? minimum, maxLength ?? maximum)
  return span === undefined ? "a list" : `a list of ${span} items`
}

const spanOf = (least: unknown, most: unknown): string | undefined => {
  if (typeof least === "number" && typeof most === "number") return least === most ? `${least}` : `${least} to ${most}`
  if (typeof most === "number") return `at most ${most}`
  return typeof least === "number" ? `at least ${least}` : undefined
}

/** The literal field that distinguishes forms, and its values in words. */
export const wordOfForms = (types: ReadonlyArray<SchemaAST.AST>): { readonly name: PropertyKey; readonly values: string } | undefined => {
  const words = types.map((type) =>
    type._tag === "Objects" ? type.propertySignatures.find((member) => member.type._tag === "Literal") : undefined
  )
  const [first] = words
  if (first === undefined || words.some((word) => word?.name !== first.name)) return undefined
  return { name: first.name, values: unionOf(words.map((word) => word!.type)) }
}

/** Forms that one literal field distinguishes: "an object whose kind is one of ...". */
const formsOf = (types: ReadonlyArray<SchemaAST.AST>): string | undefined => {
  const word = types.length < 2 ? undefined : wordOfForms(types)
  return word && `an object whose ${String(word.name)} is ${word.values}`
}

/** Literals are listed; the members of any other union are described in turn. */
const unionOf = (types: ReadonlyArray<SchemaAST.AST>): string => {
  const forms = formsOf(types)
  if (forms !== undefined) return forms
  const said = [...new Set(types.filter(({ _tag }) => _tag !== "Undefined").map(takes))]
  if (types.every(({ _tag }) => _tag === "Literal") && said.length > 2) return `one of ${said.join(", ")}`
  return said.join(" or ")
}
