/**
 * Fills the free part of an instance's heap with pseudo-random numbers of both signs and every size.
 * Memory that a kernel leaves unwritten, or reads before writing, then differs between two instances
 * that were filled differently.
 */
import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import type { OrtModule } from "./Runtime.ts"

/**
 * How many blocks of which size are allocated, filled and freed. Together they cover the large and
 * the small blocks of tensors.
 */
const BLOCKS: ReadonlyArray<readonly [bytes: number, count: number]> = [
  [4_194_304, 1],
  [1_048_576, 2],
  [262_144, 4],
  [65_536, 8],
  [4_096, 32],
  [512, 64],
  [64, 128]
]

const PATTERN_BYTES = 65_536

const patternOf = (seed: number): Uint8Array => {
  const draw = new Mulberry32(seed)
  return new Uint8Array(Uint32Array.from({ length: PATTERN_BYTES / 4 }, () => draw.next()).buffer)
}

/** Equal seeds fill with equal bytes. A block that cannot be allocated is skipped. */
export const poison = (ort: OrtModule, seed: number): void => {
  const pattern = patternOf(seed)
  const taken: Array<number> = []
  for (const [bytes, count] of BLOCKS)
    for (let block = 0; block < count; block++) {
      const pointer = ort._malloc(bytes) >>> 0
      if (pointer === 0) continue
      taken.push(pointer)
      for (let at = 0; at < bytes; at += PATTERN_BYTES)
        ort.HEAPU8.set(pattern.subarray(0, Math.min(PATTERN_BYTES, bytes - at)), pointer + at)
    }
  for (const pointer of taken) ort._free(pointer)
}
