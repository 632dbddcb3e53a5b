/**
 * Compressed files of lines, each of which is a JSON value. A batch of lines is a gzip member of its
 * own, so memory holds one batch.
 */

import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import * as fs from "node:fs/promises"
import { pipeline } from "node:stream"
import { promisify } from "node:util"
import { createGunzip, gzip } from "node:zlib"
import { Effect, Stream } from "effect"
import { files } from "./Manifest.ts"

const compressed = promisify(gzip)

/** A new file of lines for as long as the scope lasts; `end` flushes it and answers the hash of its bytes. */
export const writeLines = (path: string) =>
  Effect.map(
    Effect.acquireRelease(
      files(path, () => fs.open(path, "wx", 0o600)),
      (handle) => Effect.promise(() => handle.close().catch(() => undefined))
    ),
    (handle) => {
      const hash = createHash("sha256")
      const append = async (text: string) => {
        const member = await compressed(text)
        hash.update(member)
        await handle.writeFile(member)
      }
      return {
        write: (values: ReadonlyArray<unknown>) => files(path, () => append(values.map((value) => `${JSON.stringify(value)}\n`).join(""))),
        end: files(path, async () => {
          await append("") // an empty file would not be a compressed one
          await handle.sync()
          return hash.digest("hex")
        })
      }
    }
  )

/** The values in batches of at most so many, and of few characters. */
export const readLines = <A>(path: string, batch: number) => Stream.fromAsyncIterable(batches<A>(path, batch), (cause) => cause as Error)

const BATCH_CHARACTERS = 4_000_000

async function* batches<A>(path: string, batch: number): AsyncGenerator<ReadonlyArray<A>> {
  const text = pipeline(createReadStream(path), createGunzip(), () => undefined).setEncoding("utf8")
  let rest = ""
  let values: Array<A> = []
  let characters = 0
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      values.push(JSON.parse(line) as A)
      characters += line.length
      if (values.length < batch && characters < BATCH_CHARACTERS) continue
      yield values
      values = []
      characters = 0
    }
  }
  if (values.length > 0) yield values
}
