/**
 * A file of this machine that is written compressed, a chunk at a time: memory holds one chunk. It is
 * deleted when the scope ends.
 */

import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import * as fs from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createZstdCompress } from "node:zlib"
import { Clock, Effect, Schema } from "effect"

/** The disk is full or does not answer. */
export class FileNotWritten extends Schema.TaggedError<FileNotWritten>()("FileNotWritten", { detail: Schema.String }) {}

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new FileNotWritten({ detail: cause instanceof Error ? cause.message : String(cause) }) })

export type ZstdFile = ReturnType<typeof open>

const open = (path: string) => {
  const zstd = createZstdCompress()
  const hash = createHash("sha256")
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 })
  const written = { bytes: 0 }
  const measured = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      written.bytes += chunk.byteLength
      yield chunk
    }
  }
  const done = pipeline(zstd, measured, file)
  // A write whose stream is destroyed meanwhile may never be called back.
  const broken: { by?: Error; tell?: (error: Error) => void } = {}
  done.catch((error: Error) => {
    broken.by = error
    broken.tell?.(error)
  })
  const write = (chunk: Uint8Array | string) =>
    new Promise<void>((resolve, reject) => {
      if (broken.by !== undefined) return reject(broken.by)
      broken.tell = reject
      zstd.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  return {
    path,
    /** One after the other. */
    write: (chunk: Uint8Array | string) => attempt(() => write(chunk)),
    /** Size and hash of the whole file. */
    end: attempt(async () => {
      zstd.end()
      await done
      return { path, bytes: written.bytes, sha256: hash.digest("hex") }
    }),
    close: async () => {
      zstd.destroy()
      await done.catch(() => undefined)
      await fs.rm(path, { force: true }).catch(() => undefined)
    }
  }
}

/** A file that somebody still needs is marked as changed this often, also while it is written no more. */
const MARKED_EVERY = "5 minutes"
const LEFT_MS = 3_600_000

const marked = (path: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.ignore(attempt(() => fs.utimes(path, now / 1_000, now / 1_000))))

/** Makes the directory, and removes what killed processes have left in it. Nodes may share it. */
export const tidied = (directory: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    attempt(async () => {
      await fs.mkdir(directory, { recursive: true, mode: 0o700 })
      for (const name of await fs.readdir(directory)) {
        const found = await fs.stat(join(directory, name)).catch(() => undefined) // another node removes it
        if (found !== undefined && found.mtimeMs < now - LEFT_MS) await fs.rm(join(directory, name), { force: true })
      }
    })
  )

export const make = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => open(path)),
    ({ close }) => Effect.promise(close)
  ).pipe(Effect.tap(Effect.forkScoped(Effect.forever(Effect.delay(marked(path), MARKED_EVERY)))))
