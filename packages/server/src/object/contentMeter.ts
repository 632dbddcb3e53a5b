import { createHash } from "node:crypto"
import { Effect, Stream } from "effect"

type ContentMeter = ReturnType<typeof contentMeter>

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

/** Passes each chunk to `use` while the content is within its limit; false once it is over. Memory: one chunk. */
export const meterInto = <E, E2 = never>(
  meter: ContentMeter,
  content: Stream.Stream<Uint8Array, E>,
  use: (chunk: Uint8Array) => Effect.Effect<unknown, E2>
): Effect.Effect<boolean, E | E2> =>
  content.pipe(
    Stream.mapEffect((chunk) => (meter.take(chunk) ? Effect.as(use(chunk), true) : Effect.succeed(false))),
    Stream.takeUntil((fits) => !fits),
    Stream.runFold(
      () => true,
      (_, fits) => fits
    )
  )

/** Reads a stream to its end, or until it is too large. */
export const measure = Effect.fnUntraced(function* <E>(content: Stream.Stream<Uint8Array, E>, max_bytes: number) {
  const meter = contentMeter(max_bytes)
  const fits = yield* meterInto(meter, content, () => Effect.void)
  return fits ? { bytes: meter.bytes(), sha256: meter.sha256() } : ("too_large" as const)
})

/** The bytes of a stream in memory. */
export const collect = Effect.fnUntraced(function* <E>(content: Stream.Stream<Uint8Array, E>, max_bytes: number) {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  const taken = Stream.takeWhile(content, (chunk) => (bytes += chunk.byteLength) <= max_bytes)
  yield* Stream.runForEach(taken, (chunk) => Effect.sync(() => chunks.push(chunk)))
  return bytes <= max_bytes ? new Uint8Array(Buffer.concat(chunks)) : ("too_large" as const)
})
