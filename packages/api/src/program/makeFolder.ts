/**
 * Folders that a setting or an argument names. Node's own recursive `mkdir` tries for ever under /proc, where no folder can be made although
 * the one above is there.
 */
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Makes a folder, and those above it that are missing, one at a time. Throws Node's error where one cannot be made, and where the path is
 * a file.
 */
export const makeFolder = (path: string, mode = 0o777): void => {
  if (isFolder(path)) return
  const above = dirname(path)
  if (!existsSync(above) && above !== path) makeFolder(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!isFolder(path)) throw error // else another process has made it meanwhile
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
