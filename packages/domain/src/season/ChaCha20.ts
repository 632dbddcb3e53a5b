/** The block function of ChaCha20 (RFC 8439), without a nonce: numbers that nobody foretells without the key. */

/** "expand 32-byte k" */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const
const DOUBLE_ROUNDS = 10

const rotated = (x: number, bits: number): number => (x << bits) | (x >>> (32 - bits))

const quarter = (s: Int32Array, a: number, b: number, c: number, d: number): void => {
  s[a] = s[a]! + s[b]!
  s[d] = rotated(s[d]! ^ s[a]!, 16)
  s[c] = s[c]! + s[d]!
  s[b] = rotated(s[b]! ^ s[c]!, 12)
  s[a] = s[a]! + s[b]!
  s[d] = rotated(s[d]! ^ s[a]!, 8)
  s[c] = s[c]! + s[d]!
  s[b] = rotated(s[b]! ^ s[c]!, 7)
}

/** The first word of a block, a uint32. `key`: eight words; `counter`: a uint32. */
export const chaCha20 = (key: ReadonlyArray<number>, counter: number): number => {
  const s = Int32Array.of(...CONSTANTS, ...key, counter, 0, 0, 0)
  for (let round = 0; round < DOUBLE_ROUNDS; round++) {
    for (let i = 0; i < 4; i++) quarter(s, i, 4 + i, 8 + i, 12 + i)
    for (let i = 0; i < 4; i++) quarter(s, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4))
  }
  return (s[0]! + CONSTANTS[0]) >>> 0
}
