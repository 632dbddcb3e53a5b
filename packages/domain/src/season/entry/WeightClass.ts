/** Finds the weight class of a version and checks its memory (docs/contract.md#weight-classes). */
import type { WeightClass } from "../Rules.ts"

/** The smallest class that holds `size_bytes` (weights plus manifest); none if even the largest is too small. */
export const classOf = (classes: ReadonlyArray<WeightClass>, size_bytes: number): WeightClass | undefined =>
  classes.find((each) => size_bytes <= each.max_bytes)

export interface Memory {
  readonly flat: number // float32 numbers
  readonly cell: number // float32 numbers a cell of the board
}

const BYTES = 4 // of a float32

export const memoryBytes = (memory: Memory, cells: number): number => BYTES * (memory.flat + memory.cell * cells)

/** The cell counts of boards on which the memory exceeds the class's limit. */
export const overOn = (memory: Memory, allowed: WeightClass, cells: ReadonlyArray<number>): ReadonlyArray<number> =>
  cells.filter((n) => memoryBytes(memory, n) > allowed.memory_flat_bytes + allowed.memory_cell_bytes * n)
