/**
 * A restore that root runs would leave files that the service's user may not read: its secrets, and the objects where they lie in a
 * directory. They are given to whom `AGON_DATA` belongs. The embedded database is that user's already.
 */
import * as fs from "node:fs/promises"
import { join } from "node:path"
import { files } from "./Manifest.ts"

/** Does nothing where another user than root runs it, or `AGON_DATA` is root's own. */
export const handOver = (directory: string) =>
  files(directory, async () => {
    const { gid, uid } = await fs.stat(directory)
    if (process.getuid?.() !== 0 || uid === 0) return
    for (const { name } of await fs.readdir(directory, { withFileTypes: true }))
      if (name !== "postgres") await give(join(directory, name), { uid, gid })
  })

/** Root's alone: others' things in it stay as they are. A link is given, not its target. */
const give = async (path: string, to: { readonly uid: number; readonly gid: number }): Promise<void> => {
  const found = await fs.lstat(path)
  if (found.isDirectory()) for await (const { name } of await fs.opendir(path)) await give(join(path, name), to)
  if (found.uid === 0) await fs.lchown(path, to.uid, to.gid)
}
