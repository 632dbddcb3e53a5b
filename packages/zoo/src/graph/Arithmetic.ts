/**
 * The plain operators, as functions, so that a model's policy reads as a formula.
 * Numbers stand for scalar constants.
 */
import type { Graph, Value } from "./Graph.ts"

export type Term = Value | number

const value = (g: Graph, term: Term): Value => (typeof term === "number" ? g.float(term) : term)

export const add = (g: Graph, a: Term, b: Term): Value => g.node("Add", [value(g, a), value(g, b)])
export const sub = (g: Graph, a: Term, b: Term): Value => g.node("Sub", [value(g, a), value(g, b)])
export const mul = (g: Graph, a: Term, b: Term): Value => g.node("Mul", [value(g, a), value(g, b)])
export const max = (g: Graph, a: Term, b: Term): Value => g.node("Max", [value(g, a), value(g, b)])
export const min = (g: Graph, a: Term, b: Term): Value => g.node("Min", [value(g, a), value(g, b)])
export const clip = (g: Graph, a: Value, low: number, high: number): Value => g.node("Clip", [a, g.float(low), g.float(high)])
export const relu = (g: Graph, a: Value): Value => g.node("Relu", [a])

/** Adds up many values of one shape in one node. */
export const sum = (g: Graph, terms: ReadonlyArray<Value>): Value => (terms.length === 1 ? terms[0]! : g.node("Sum", terms))

/** The fractional part, in [0, 1). */
export const fraction = (g: Graph, a: Value): Value => sub(g, a, g.node("Floor", [a]))

export const concat = (g: Graph, parts: ReadonlyArray<Value>, axis: number): Value => g.node("Concat", parts, { axis })
export const slice = (g: Graph, a: Value, from: number, to: number, axis: number): Value =>
  g.node("Slice", [a, g.ints([from]), g.ints([to]), g.ints([axis])])

/** [N,C,H,W] to [N,C]. */
export const total = (g: Graph, map: Value): Value => g.node("ReduceSum", [map, g.ints([2, 3])], { keepdims: 0 })
/** [N,C,H,W] to [N,C]. */
export const highest = (g: Graph, map: Value): Value => g.node("ReduceMax", [map], { axes: [2, 3], keepdims: 0 })

/** A kernel of K x K over `channels[out][in]`, padded with zeros so that the board keeps its size. */
export const conv = (g: Graph, map: Value, kernel: Float32Array, shape: readonly [number, number, number, number], group = 1): Value => {
  const margin = (shape[3] - 1) / 2
  return g.node("Conv", [map, g.floats(kernel, shape)], { pads: [margin, margin, margin, margin], ...(group > 1 ? { group } : {}) })
}
