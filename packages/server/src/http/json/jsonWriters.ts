/**
 * A schema's writer, made once from its AST: a function that checks a value and writes its JSON in one go, where Effect's encoder makes
 * a checked copy of the value and `JSON.stringify` reads that. The bytes are the same, and so is what is refused. Nodes that no answer
 * of the API has, or that change the value, are encoded by Effect in their place.
 *
 * Writers are closures rather than generated source: they can be read and stepped through, and generated source
 * is an eighth faster (test/bench/README.md#reads).
 */

import { Exit, Schema, SchemaAST } from "effect"
import { type Piece, pieceOf, putBrackets, putComma, putNumber, putPiece, putString, putText } from "./jsonBytes.ts"

/** Writes `value` at `at` and gives the place behind it, or `INVALID` for a value that the schema does not have. */
export type Writer = (value: unknown, at: number) => number

const INVALID = -1

const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

/** Undefined where Effect has to encode the node. */
export const writerOf = (ast: SchemaAST.AST): Writer | undefined => {
  if (ast.encoding !== undefined || ("encodingChecks" in ast && ast.encodingChecks !== undefined)) return undefined
  if (SchemaAST.isString(ast)) return checked(ast, writeString)
  if (SchemaAST.isNumber(ast)) return numberWriter(ast)
  if (SchemaAST.isArrays(ast)) return listWriter(ast)
  if (ast.checks !== undefined) return undefined // they may see more of an object than is written
  if (SchemaAST.isBoolean(ast)) return writeBoolean
  if (SchemaAST.isNull(ast)) return writeNull
  if (SchemaAST.isLiteral(ast)) return literalWriter([ast])
  if (SchemaAST.isObjects(ast)) return ast.indexSignatures.length === 0 ? objectWriter(ast) : recordWriter(ast)
  return SchemaAST.isUnion(ast) ? unionWriter(ast) : undefined
}

/** The writer of a part, if need be by Effect. */
const partWriter = (ast: SchemaAST.AST): Writer => {
  const own = writerOf(ast)
  if (own !== undefined) return own
  const encode = Schema.encodeUnknownExit(Schema.make<Schema.Codec<unknown>>(ast))
  return (value, at) => {
    const encoded = encode(value)
    const text = Exit.isSuccess(encoded) ? JSON.stringify(encoded.value) : undefined
    return text === undefined ? INVALID : putText(text, at)
  }
}

const TRUE = pieceOf("true")
const FALSE = pieceOf("false")
const NULL = pieceOf("null")

const writeString: Writer = (value, at) => (typeof value === "string" ? putString(value, at) : INVALID)
const writeInteger: Writer = (value, at) => (Number.isSafeInteger(value) ? putNumber(value as number, at) : INVALID)
const writeFinite: Writer = (value, at) => (Number.isFinite(value) ? putNumber(value as number, at) : INVALID)
const writeBoolean: Writer = (value, at) => (value === true ? putPiece(TRUE, at) : value === false ? putPiece(FALSE, at) : INVALID)
const writeNull: Writer = (value, at) => (value === null ? putPiece(NULL, at) : INVALID)

type Scalar = SchemaAST.String | SchemaAST.Number
type Check = SchemaAST.Check<any>

const IS_INTEGER = "effect/schema/isInt"
const IS_FINITE = "effect/schema/isFinite"
const nameOf = ({ annotations }: Check) => (annotations?.["representation"] as { readonly id?: string } | undefined)?.id

/** A number without these checks may be none that JSON has. */
const numberWriter = (ast: SchemaAST.Number): Writer | undefined => {
  const names = ast.checks?.map(nameOf) ?? []
  const write = names.includes(IS_INTEGER) ? writeInteger : names.includes(IS_FINITE) ? writeFinite : undefined
  const others = ast.checks?.filter((check) => nameOf(check) !== IS_INTEGER && nameOf(check) !== IS_FINITE)
  return write === undefined ? undefined : checked(ast, write, others)
}

const checked = (ast: Scalar | SchemaAST.Arrays, write: Writer, checks: ReadonlyArray<Check> | undefined = ast.checks): Writer => {
  if (checks === undefined || checks.length === 0) return write
  return (value, at) => {
    const end = write(value, at)
    return end >= 0 && checks.every((check) => passes(check, value, ast)) ? end : INVALID
  }
}

const passes = (check: Check, value: unknown, ast: SchemaAST.AST): boolean =>
  check._tag === "Filter" ? check.run(value, ast, {}) === undefined : check.checks.every((one) => passes(one, value, ast))

const isScalar = (ast: SchemaAST.AST) => SchemaAST.isString(ast) || SchemaAST.isNumber(ast)

/** Lists of one kind of items. A check of the whole list sees its items as they are written only where they are scalars. */
const listWriter = (ast: SchemaAST.Arrays): Writer | undefined => {
  const [item] = ast.rest
  if (item === undefined || ast.rest.length > 1 || ast.elements.length > 0) return undefined
  if (ast.checks !== undefined && !isScalar(item)) return undefined
  const write = partWriter(item)
  return checked(ast, (value, at) => {
    if (!Array.isArray(value)) return INVALID
    let p = at
    for (let i = 0; i < value.length; i++) {
      p = write(value[i], putComma(p))
      if (p < 0) return INVALID
    }
    return putBrackets(OPEN_LIST, CLOSE_LIST, at, p)
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value)

interface Field {
  readonly key: string
  readonly optional: boolean
  /** `,"key":` */
  readonly name: Piece
  readonly write: Writer
}

/** Objects list keys like 7 first, wherever they were set, and `__proto__` is none of their keys. */
const isPlainKey = (key: PropertyKey): key is string => typeof key === "string" && !/^\d/.test(key) && key !== "__proto__"

const objectWriter = (ast: SchemaAST.Objects): Writer | undefined => {
  const { propertySignatures: properties } = ast
  // An empty object's schema has every value; a transformed property may be optional on one side alone.
  if (properties.length === 0 || properties.some(({ name, type }) => !isPlainKey(name) || type.encoding !== undefined)) return undefined
  const fields = properties.map(
    ({ name, type }): Field => ({
      key: String(name),
      optional: SchemaAST.isOptional(type),
      name: pieceOf(`,${JSON.stringify(name)}:`),
      write: partWriter(type)
    })
  )
  return (value, at) => {
    if (!isRecord(value)) return INVALID
    // The keys of most objects come in the schema's order, and V8 reads them several times faster so than by name.
    const count = fields.length
    let p = at
    let i = 0
    for (const key in value) {
      if (i === count) return writeByName(fields, value, at)
      const field = fields[i++]!
      if (field.key !== key) return writeByName(fields, value, at)
      p = field.write(value[key], putPiece(field.name, p))
      if (p < 0) return INVALID
    }
    return i === count ? putBrackets(OPEN_OBJECT, CLOSE_OBJECT, at, p) : writeByName(fields, value, at)
  }
}

const writeByName = (fields: ReadonlyArray<Field>, value: Record<string, unknown>, at: number) => {
  let p = at
  for (let i = 0; i < fields.length; i++) {
    const { key, name, optional, write } = fields[i]!
    if (optional && !(key in value)) continue
    p = write(value[key], putPiece(name, p))
    if (p < 0) return INVALID
  }
  return putBrackets(OPEN_OBJECT, CLOSE_OBJECT, at, p)
}

const COLON = pieceOf(":")

/** Objects of any keys. */
const recordWriter = (ast: SchemaAST.Objects): Writer | undefined => {
  const [signature, ...others] = ast.indexSignatures
  if (others.length > 0 || ast.propertySignatures.length > 0) return undefined
  const { parameter, type } = signature!
  if (!SchemaAST.isString(parameter) || parameter.checks !== undefined || parameter.encoding !== undefined) return undefined
  const write = partWriter(type)
  return (value, at) => {
    if (!isRecord(value)) return INVALID
    let p = at
    for (const key of Object.keys(value)) {
      p = write(value[key], putPiece(COLON, putString(key, putComma(p))))
      if (p < 0) return INVALID
    }
    return putBrackets(OPEN_OBJECT, CLOSE_OBJECT, at, p)
  }
}

const literalWriter = (literals: ReadonlyArray<SchemaAST.Literal>): Writer | undefined => {
  if (literals.some(({ literal }) => typeof literal === "bigint")) return undefined
  const pieces = new Map<unknown, Piece>(literals.map(({ literal }) => [literal, pieceOf(JSON.stringify(literal))]))
  return (value, at) => {
    const piece = pieces.get(value)
    return piece === undefined ? INVALID : putPiece(piece, at)
  }
}

/** The first member that has the value. */
const unionWriter = (ast: SchemaAST.Union): Writer | undefined => {
  if (ast.options?.mode === "oneOf") return undefined
  const { types } = ast
  const literals = types.filter(SchemaAST.isLiteral)
  if (literals.length === types.length && types.every(({ encoding }) => encoding === undefined)) return literalWriter(literals)
  const writers = types.map(partWriter)
  const [first, second] = types
  if (types.length === 2 && SchemaAST.isNull(second!) && second.encoding === undefined) return orNull(writers[0]!)
  if (types.length === 2 && SchemaAST.isNull(first!) && first.encoding === undefined) return orNull(writers[1]!)
  return (value, at) => {
    for (let i = 0; i < writers.length; i++) {
      const end = writers[i]!(value, at)
      if (end >= 0) return end
    }
    return INVALID
  }
}

const orNull =
  (write: Writer): Writer =>
  (value, at) =>
    value === null ? putPiece(NULL, at) : write(value, at)
