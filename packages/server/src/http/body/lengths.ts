/**
 * Finds lists in a body that are longer than their schema allows, before any item is decoded. A schema checks a list's length only after
 * it has decoded all items, so a list a thousand times too long costs a thousand times as much. For a union the bound of any form
 * applies, since no two forms use a list's name for different things.
 */

import type { FieldErrors } from "@agon/api/Problem.ts"
import { itemsMax, takes } from "@agon/api/takes.ts"
import { type Schema, SchemaAST } from "effect"

/** The first list that is too long, or no fault. */
export type FindOverlong = (body: unknown) => FieldErrors

/** Made once for each operation; undefined where its body has no lists. */
export const overlongIn = (schemas: ReadonlyArray<Schema.Constraint>): FindOverlong | undefined => {
  const asts = schemas.map(({ ast }) => ast).filter((ast) => holdsLists(ast))
  return asts.length === 0 ? undefined : (body) => firstFound(asts, (ast) => overlong(ast, body, "")) ?? []
}

const holdsLists = (ast: SchemaAST.AST): boolean => ast._tag === "Arrays" || partsOf(ast).some(holdsLists)

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  if (SchemaAST.isUnion(ast)) return ast.types
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ type }) => type) : []
}

const overlong = (ast: SchemaAST.AST, value: unknown, path: string): FieldErrors | undefined => {
  if (SchemaAST.isUnion(ast)) return firstFound(ast.types, (type) => overlong(type, value, path))
  if (SchemaAST.isArrays(ast)) return Array.isArray(value) ? overlongList(ast, value, path) : undefined
  if (!SchemaAST.isObjects(ast) || typeof value !== "object" || value === null) return undefined
  return firstFound(ast.propertySignatures, ({ name, type }) =>
    Object.hasOwn(value, name) ? overlong(type, (value as Record<PropertyKey, unknown>)[name], under(path, String(name))) : undefined
  )
}

const overlongList = (ast: SchemaAST.Arrays, list: ReadonlyArray<unknown>, path: string): FieldErrors | undefined => {
  const most = itemsMax(ast)
  if (most !== undefined && list.length > most) return [{ path, message: `takes ${takes(ast)}, not ${list.length}` }]
  const [item] = ast.rest
  if (item === undefined || !holdsLists(item)) return undefined
  return firstFound(list.keys(), (i) => overlong(item, list[i], under(path, String(i))))
}

const under = (path: string, key: string) => (path === "" ? key : `${path}.${key}`)

const firstFound = <A, B>(all: Iterable<A>, find: (one: A) => B | undefined): B | undefined => {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}
