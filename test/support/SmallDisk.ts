/**
 * A file system of a few megabytes that a test may fill. Mounting one takes root on Linux; elsewhere its
 * tests say that they did not run.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const mount = (directory: string, bytes: number) =>
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0777`, "tmpfs", directory], { stdio: "pipe" })

/** Lazily, since whoever had a file open there may still be closing it. */
const unmount = (directory: string) => execFileSync("umount", ["-l", directory], { stdio: "pipe" })

const make = (bytes: number) => {
  const directory = mkdtempSync(join(tmpdir(), "agon-small-disk-"))
  try {
    mount(directory, bytes)
  } catch (cause) {
    rmSync(directory, { recursive: true })
    throw cause
  }
  return directory
}

const remove = (directory: string) => {
  unmount(directory)
  rmSync(directory, { recursive: true, force: true })
}

const canMount = () => {
  try {
    remove(make(1 << 20))
    return true
  } catch {
    return false
  }
}

export const hasSmallDisks = canMount()

/** Its directory; gone with the scope. */
export const smallDisk = (bytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => make(bytes)),
    (directory) => Effect.sync(() => remove(directory))
  )

/** Takes what is free but for so many bytes, with a file beside everything else; answers its path. */
export const fill = (directory: string, but_bytes = 0): string => {
  const { bavail, bsize } = statfsSync(directory)
  const path = join(directory, "filler")
  try {
    writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - but_bytes)))
  } catch (error) {
    // A write under way took some of it meanwhile: the disk is as full as it gets.
    if (but_bytes > 0 || (error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
  return path
}
