/** Steps on files that the store of objects is made of. */
import * as fs from "node:fs/promises"
import { dirname } from "node:path"

/** Such as `ENOENT`. */
export const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : String(cause))

const absent = (cause: unknown): undefined => {
  if (codeOf(cause) !== "ENOENT") throw cause
}

export const absentIsUndefined = <A>(run: () => Promise<A>): Promise<A | undefined> => run().catch(absent)

/** Whether there was such a file. `fs.rm` would look at it first, in a step of its own. */
export const unlinked = (path: string): Promise<boolean> =>
  fs.unlink(path).then(
    () => true,
    (cause) => absent(cause) ?? false
  )

/** Writes a new file. Flushed, it survives a power cut as soon as the directory that holds it is flushed too. */
export const writeNew = async (path: string, bytes: Uint8Array, flushed: boolean): Promise<void> => {
  const handle = await fs.open(path, "wx", 0o600)
  try {
    await handle.writeFile(bytes)
    if (flushed) await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The bytes of a file that nobody changes; undefined where there is no such file. */
export const wholeFile = async (path: string, max_bytes: number): Promise<Uint8Array<ArrayBuffer> | "too_large" | undefined> => {
  const handle = await absentIsUndefined(() => fs.open(path, "r"))
  if (handle === undefined) return undefined
  try {
    const found = await handle.stat()
    if (!found.isFile()) return undefined
    if (found.size > max_bytes) return "too_large"
    const bytes = new Uint8Array(found.size)
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, at, bytes.length - at, at)
      if (bytesRead === 0) throw new Error("a stored file has become shorter")
      at += bytesRead
    }
    return bytes
  } finally {
    await handle.close()
  }
}

/** A rename or a new entry survives a power cut only once the directory that holds it is flushed. */
export const flushDirectory = async (path: string): Promise<void> => {
  const handle = await fs.open(path, "r")
  await handle.sync().finally(() => handle.close())
}

export const makeDirectories = async (path: string): Promise<void> => {
  const first = await fs.mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushDirectory(dirname(made))
}

/** Makes the directories where there are none yet, which the first file in each finds out. */
export const renamed = (from: string, to: string): Promise<void> =>
  fs.rename(from, to).catch(async (cause) => {
    absent(cause)
    await makeDirectories(dirname(to))
    await fs.rename(from, to)
  })

/** A hard link, or a copy on a file system without them. */
export const pinned = async (from: string, to: string): Promise<true> => {
  await fs.link(from, to).catch((cause) => {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"].includes(codeOf(cause))) throw cause
    return fs.copyFile(from, to)
  })
  return true
}
