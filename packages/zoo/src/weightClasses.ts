/** The weight classes of the demonstration season: every one of them holds models of the zoo. */
export interface WeightClass {
  readonly class: "nano" | "micro" | "mini" | "small" | "large" | "open"
  readonly max_bytes: number
  readonly memory_flat_bytes: number
  readonly memory_cell_bytes: number
}

const KIB = 1024
const MIB = 1024 * KIB

export const demoWeightClasses: ReadonlyArray<WeightClass> = [
  { class: "nano", max_bytes: 16 * KIB, memory_flat_bytes: 64, memory_cell_bytes: 4 },
  { class: "micro", max_bytes: 64 * KIB, memory_flat_bytes: 256, memory_cell_bytes: 8 },
  { class: "mini", max_bytes: 256 * KIB, memory_flat_bytes: 1 * KIB, memory_cell_bytes: 16 },
  { class: "small", max_bytes: 1 * MIB, memory_flat_bytes: 4 * KIB, memory_cell_bytes: 32 },
  { class: "large", max_bytes: 4 * MIB, memory_flat_bytes: 16 * KIB, memory_cell_bytes: 64 },
  { class: "open", max_bytes: 16 * MIB, memory_flat_bytes: 64 * KIB, memory_cell_bytes: 128 }
]
