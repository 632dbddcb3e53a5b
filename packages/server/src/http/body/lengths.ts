/**
 * Finds lists in a body that are longer than their schema allows, before any item is decoded. A schema checks a list's length only after
 * it has decoded all items, so a list a thousand times too long costs a thousand times as much. For a union the bound of any form
 * applies, since no two forms use a list's name for different things.
 */

import type { FieldErrors } from "@agon/api/Problem.ts"
import { itemsMax, takes } from "@agon/api/takes.ts"
import { type Schema, SchemaAST } from "effect"

type Fault = FieldErrors[number]
type Look = (value: unknown) => Fault | undefined

/** The first list that is too long, or no fault. */
export type FindOverlong = (body: unknown) => FieldErrors

/** Made once for each operation; undefined where its body has no lists. */
export const overlongIn = (schemas: ReadonlyArray<Schema.Constraint>): FindOverlong | undefined => {
  const look = lookOfAny(schemas.map(({ ast }) => ast))
  if (look === undefined) return undefined
  return (body) => {
    const fault = look(body)
    return fault === undefined ? [] : [fault]
  }
}

/** Looks only where lists can be; undefined where there can be none. */
const lookOf = (ast: SchemaAST.AST): Look | undefined => {
  if (SchemaAST.isUnion(ast)) return lookOfAny(ast.types)
  if (SchemaAST.isArrays(ast)) return lookOfList(ast)
  return SchemaAST.isObjects(ast) ? lookOfObject(ast) : undefined
}

const lookOfAny = (asts: ReadonlyArray<SchemaAST.AST>): Look | undefined => {
  const looks = asts.flatMap((ast) => lookOf(ast) ?? [])
  if (looks.length < 2) return looks[0]
  return (value) => {
    for (const look of looks) {
      const fault = look(value)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

const lookOfList = (ast: SchemaAST.Arrays): Look => {
  const most = itemsMax(ast) ?? Number.POSITIVE_INFINITY
  const [item] = ast.rest
  const look = item === undefined ? undefined : lookOf(item)
  return (list) => {
    if (!Array.isArray(list)) return undefined
    if (list.length > most) return { path: "", message: `takes ${takes(ast)}, not ${list.length}` }
    if (look === undefined) return undefined
    for (let i = 0; i < list.length; i++) {
      const fault = look(list[i])
      if (fault !== undefined) return under(String(i), fault)
    }
    return undefined
  }
}

const lookOfObject = ({ propertySignatures }: SchemaAST.Objects): Look | undefined => {
  const parts = propertySignatures.flatMap(({ name, type }) => {
    const look = lookOf(type)
    return look === undefined ? [] : [{ name: String(name), look }]
  })
  if (parts.length === 0) return undefined
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined
    for (const { look, name } of parts) {
      const fault = Object.hasOwn(value, name) ? look((value as Record<string, unknown>)[name]) : undefined
      if (fault !== undefined) return under(name, fault)
    }
    return undefined
  }
}

const under = (key: string, { message, path }: Fault): Fault => ({ path: path === "" ? key : `${key}.${path}`, message })
