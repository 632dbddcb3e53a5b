/**
 * SHA-256 (FIPS 180-4) wherever the engine runs. Node's own is used where there is one. A browser's is asynchronous, and absent from
 * pages without TLS, so there it is computed here.
 */
import { moduleOfNode } from "./node.ts"

interface Crypto {
  readonly hash: (algorithm: string, bytes: string | Uint8Array, encoding: "hex") => string
}

const crypto = moduleOfNode<Crypto>("node:crypto")

/** 64 lower-case hex digits; a string is hashed as UTF-8. */
export const sha256Hex = (bytes: string | Uint8Array): string =>
  crypto === undefined ? computedSha256Hex(bytes) : crypto.hash("sha256", bytes, "hex")

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8

/**
 * The constants of the standard: the first 32 bits of the fractions of roots of the first primes, square roots for the start and cube
 * roots for the rounds. Exact integers give them in a quarter of the bytes that a page would load as a table.
 */
const fractions = (primes: ReadonlyArray<bigint>, degree: bigint): Int32Array =>
  Int32Array.from(primes, (prime) => Number(BigInt.asIntN(32, wholeRoot(prime << (32n * degree), degree))))

/** By Newton's method from above. */
const wholeRoot = (of: bigint, degree: bigint): bigint => {
  let root = 1n << 40n
  for (let next = root - 1n; next < root; next = ((degree - 1n) * root + of / root ** (degree - 1n)) / degree) root = next
  return root
}

const tables = () => {
  const primes: Array<bigint> = []
  for (let candidate = 2n; primes.length < 64; candidate++) if (primes.every((prime) => candidate % prime !== 0n)) primes.push(candidate)
  return { start: fractions(primes.slice(0, 8), 2n), rounds: fractions(primes, 3n) }
}

/** Made when they are first needed: never where Node hashes. */
let made: ReturnType<typeof tables> | undefined

/** The same without Node. */
export const computedSha256Hex = (input: string | Uint8Array): string => {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES)
  const padded = new Uint8Array(blocks * BLOCK_BYTES)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - LENGTH_BYTES, BigInt(bytes.length) * 8n)
  made ??= tables()
  const { rounds, start } = made
  const hash = start.slice()
  const schedule = new Int32Array(rounds.length)
  for (let block = 0; block < blocks; block++) {
    for (let at = 0; at < 16; at++) schedule[at] = view.getInt32(block * BLOCK_BYTES + at * 4)
    compress(hash, schedule, rounds)
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}

/** One block, whose sixteen words stand at the front of `schedule`; the names are those of the standard. */
const compress = (hash: Int32Array, schedule: Int32Array, rounds: Int32Array): void => {
  for (let at = 16; at < schedule.length; at++) {
    const x = schedule[at - 15]!
    const y = schedule[at - 2]!
    const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)
    const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10)
    schedule[at] = schedule[at - 16]! + s0 + schedule[at - 7]! + s1
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number]
  for (let at = 0; at < schedule.length; at++) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const first = (h + s1 + ((e & f) ^ (~e & g)) + rounds[at]! + schedule[at]!) | 0
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) hash[at] = hash[at]! + word
}

/** Rotated to the right. */
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))
