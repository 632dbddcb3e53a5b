/** The weight classes of the demonstration season: every one of them holds models of the zoo. */
export interface WeightClass {
  readonly class: "nano" | "micro" | "mini" | "small" | "large" | "open"
  readonly max_bytes: number
  readonly memory_flat_bytes: number
  readonly memory_cell_bytes: number
}

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

export const demoWeightClasses: ReadonlyArray<WeightClass> = [
  { class: "nano", max_bytes: 16 * kibibyte, memory_flat_bytes: 64, memory_cell_bytes: 4 },
  { class: "micro", max_bytes: 64 * kibibyte, memory_flat_bytes: 256, memory_cell_bytes: 8 },
  { class: "mini", max_bytes: 256 * kibibyte, memory_flat_bytes: 1 * kibibyte, memory_cell_bytes: 16 },
  { class: "small", max_bytes: 1 * mebibyte, memory_flat_bytes: 4 * kibibyte, memory_cell_bytes: 32 },
  { class: "large", max_bytes: 4 * mebibyte, memory_flat_bytes: 16 * kibibyte, memory_cell_bytes: 64 },
  { class: "open", max_bytes: 16 * mebibyte, memory_flat_bytes: 64 * kibibyte, memory_cell_bytes: 128 }
]
