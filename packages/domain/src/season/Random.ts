/**
 * The season's random numbers: each is a hash of the season and the number of earlier draws, so that a season
 * restored from its rows continues where the lost one stopped. Ids are UUIDv7 made from the same numbers.
 */
import { chaCha20 } from "./ChaCha20.ts"

/** A season with its counter; `draws` is stored in the head row. */
export interface Source {
  readonly hash: number
  draws: number
}

/** A well-mixed 32-bit hash of a 32-bit number. */
export const mix = (x: number): number => {
  let t = Math.imul(x ^ (x >>> 15), x | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return (t ^ (t >>> 14)) >>> 0
}

/** FNV-1a over the text's UTF-16 units. */
export const hashText = (text: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h >>> 0
}

/** The next uint32. */
export const drawUint32 = (source: Source): number => mix(Math.imul(source.hash, 0x2c1b3c6d) ^ Math.imul(++source.draws, 0x6d2b79f5))

/** The next number in [0, 1). */
export const draw = (source: Source): number => drawUint32(source) / 4294967296

/** 64 hexadecimal digits that nobody outside knows; null in a season whose actor has none yet, and in simulations. */
interface Secretive extends Source {
  readonly secret: string | null
}

/**
 * The seed of the season's n-th match, from its secret. The other numbers follow from the season's id and each other, which
 * everybody can see: with them one could train a model for the matches to come.
 */
export const seedOf = (source: Secretive, n: number): number => {
  const { secret } = source
  if (secret === null) return drawUint32(source)
  const key = Array.from({ length: 8 }, (_, i) => Number.parseInt(secret.slice(8 * i, 8 * (i + 1)), 16))
  return chaCha20(key, n)
}

const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, "0")

/** A UUIDv7 of this time: its 74 free bits are 32 of the running number `n` of the season and 42 of its generator. */
export const uuidOf = (source: Source, now: number, n: number): string => {
  const time = timeOf(now)
  const a = drawUint32(source)
  const b = drawUint32(source)
  const high = hex(0x7000 | (a & 0xfff), 4)
  const low = hex(0x8000 | ((a >>> 12) & 0x3fff), 4)
  return `${time}-${high}-${low}-${hex(b >>> 16, 4)}${hex(n >>> 0, 8)}`
}

/** A batch makes hundreds of ids at one time. */
let last = { now: 0, time: "00000000-0000" }
const timeOf = (now: number): string => {
  if (last.now === now) return last.time
  const time = hex(now, 12)
  last = { now, time: `${time.slice(0, 8)}-${time.slice(8)}` }
  return last.time
}
