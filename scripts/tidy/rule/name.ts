/** A file is named for what it holds; folders are the features, the same in every package. */
import { features, infrastructure } from "../floorPlan.ts"
import type { Finding, Tree } from "../Tree.ts"

const hollow = new Set(["util", "utils", "common", "helper", "helpers", "manager", "managers"])

export function* names(tree: Tree): Iterable<Finding> {
  for (const { path } of tree.sources) {
    const word = hollowWord(path)
    if (word === undefined) continue
    yield { file: path, line: 1, rule: "name", message: `"${word}" says nothing: name the file for what it holds` }
  }
  const folders = new Map<string, string>()
  for (const { path } of tree.files) {
    const parts = path.match(/^packages\/[^/]+\/src\/(.*)\/[^/]+$/)?.[1]?.split("/") ?? []
    parts.forEach((_, depth) => {
      const folder = `${path.split("/").slice(0, 3).join("/")}/${parts.slice(0, depth + 1).join("/")}`
      if (!folders.has(folder)) folders.set(folder, path)
    })
  }
  const games = tree.files.flatMap(({ path }) => path.match(/^packages\/engine\/src\/([^/]+)\/game\.ts$/)?.[1] ?? [])
  for (const [folder, file] of folders) {
    const message = folderRefusal(folder, games)
    if (message !== undefined) yield { file, line: 1, rule: "folder", message }
  }
}

/** The words of `SeasonUtils` are season and utils, whatever follows the first dot; `Live` is refused only as an ending. */
function hollowWord(path: string): string | undefined {
  const stem = (path.split("/").at(-1) ?? "").replace(/\..*$/, "")
  const words = stem.split(/[-_]|(?<=[a-z0-9])(?=[A-Z])/)
  const folderWords = path.split("/").slice(0, -1)
  return [...folderWords, ...words].find((word) => hollow.has(word.toLowerCase())) ?? (/[a-z0-9]Live$/.test(stem) ? "Live" : undefined)
}

/** Any package may have a folder for one of the engine's games. */
function folderRefusal(folder: string, games: ReadonlyArray<string>): string | undefined {
  const [, owner = "", , top = "", ...nested] = folder.split("/")
  const allowed = [...features, ...(infrastructure[owner] ?? []), ...games, "testing"]
  if (nested.length === 0) {
    return allowed.includes(top)
      ? undefined
      : `folder ${folder} is neither a feature nor infrastructure of ${owner} (${allowed.join(", ")})`
  }
  const name = nested.at(-1) ?? ""
  if (/^[a-z][a-z0-9-]*$/.test(name) && (allowed.includes(name) || name === "migrations" || !/[^s]s$/.test(name))) return undefined
  return `folder ${folder}: a folder's name is lower-case and singular`
}
