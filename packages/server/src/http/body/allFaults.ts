/**
 * All faults of a refused part of a request. Effect's decoders stop at the first fault, since only then they run as compiled code, which
 * makes an answer from memory 1.05 times cheaper (test/bench/README.md#reads). A part that they refuse is decoded a second time, by an
 * interpreter that goes on to the end.
 */

import { Result, Schema, type SchemaIssue } from "effect"

/** The faults of the value, where `first` is the first of them. */
export type AllFaults = (value: unknown, first: SchemaIssue.Issue) => SchemaIssue.Issue

/** The input in a fault shows which of several forms was meant. */
const OPTIONS = { errors: "all", reportInput: true } as const

/** Made once for each operation. */
export const allFaultsOf = (schema: Schema.Constraint): AllFaults => {
  const decode = Schema.decodeUnknownResult(schema as Schema.Decoder<unknown>, OPTIONS)
  return (value, first) => Result.match(decode(value), { onFailure: ({ issue }) => issue, onSuccess: () => first })
}
