/** Which weight class a version is of, and whether its memory fits (docs/contract.md#weight-classes). */
import type { WeightClass } from "../Rules.ts"

/** The smallest class that holds `size_bytes` (weights plus manifest); none where even the largest is too small. */
export const classOf = (classes: ReadonlyArray<WeightClass>, size_bytes: number): WeightClass | undefined =>
  classes.find((each) => size_bytes <= each.max_bytes)

export interface Memory {
  readonly flat: number // float32 numbers
  readonly cell: number // float32 numbers a cell of the board
}

const BYTES = 4 // of a float32

export const memoryBytes = (memory: Memory, cells: number): number => BYTES * (memory.flat + memory.cell * cells)

/** The boards' cell counts on which the memory is over what the class allows. */
export const overOn = (memory: Memory, allowed: WeightClass, cells: ReadonlyArray<number>): ReadonlyArray<number> =>
  cells.filter((n) => memoryBytes(memory, n) > allowed.memory_flat_bytes + allowed.memory_cell_bytes * n)
