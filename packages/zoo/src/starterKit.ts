/** The starter kit, the Markdown of docs/: its texts by the names of their files, without the ending. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const FOLDER = join(import.meta.dirname, "../docs")

export const readStarterKit = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(FOLDER).flatMap((name) =>
      name.endsWith(".md") ? [[name.slice(0, -".md".length), readFileSync(join(FOLDER, name), "utf8")] as const] : []
    )
  )
