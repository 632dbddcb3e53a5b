import { createHash } from "node:crypto"
import { Effect, Stream } from "effect"

/** Counts and hashes bytes as they pass; `take` says whether they are still within `max_bytes`. */
export const contentMeter = (max_bytes: number) => {
  const hash = createHash("sha256")
  let bytes = 0
  return {
    take: (chunk: Uint8Array): boolean => {
      bytes += chunk.byteLength
      if (bytes > max_bytes) return false
      hash.update(chunk)
      return true
    },
    bytes: (): number => bytes,
    sha256: (): string => hash.digest("hex")
  }
}

/** Reads a stream to its end, or until it is too large. Memory: one chunk. */
export const measure = Effect.fnUntraced(function* <E>(content: Stream.Stream<Uint8Array, E>, max_bytes: number) {
  const meter = contentMeter(max_bytes)
  const overflow = yield* content.pipe(
    Stream.map(meter.take),
    Stream.filter((fits) => !fits),
    Stream.runHead
  )
  return overflow._tag === "Some" ? ("too_large" as const) : { bytes: meter.bytes(), sha256: meter.sha256() }
})
