/** A value as the JSON text that its schema says. */

import type { Schema } from "effect"
import { textOf } from "./jsonBytes.ts"
import { writerOf } from "./jsonWriters.ts"

/**
 * The text that `JSON.stringify` gives of the value as Effect encodes it, or undefined for a value that the schema refuses: its fault is
 * for Effect's encoder to say. There is no function where nothing of the schema can be written (jsonWriters.ts).
 */
export const jsonTextOf = ({ ast }: Schema.Constraint): ((value: unknown) => string | undefined) | undefined => {
  const write = writerOf(ast)
  return write === undefined ? undefined : (value) => textOf((at) => write(value, at))
}
