/**
 * Exit status 0 if no program of this checkout runs; 1 if one does, after one sentence on standard error that says what to
 * stop. npm empties node_modules before it fills it: a program that runs from there then lacks modules that it has not loaded.
 * A program is a Node or a Postgres of node_modules, a Node of the system with one of our programs, or a shell that is
 * about to become one, and sees this checkout where we see it: a container's /opt/agon is not that of an image being built.
 * The build may see the machine's own service at that path, and not be allowed to look at its folders. But a checkout that is
 * copied into an image has no packages yet, and nothing is taken from where there is nothing.
 * Plain JavaScript, as installed.mjs is. Where the system has no /proc nothing is found.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

const root = realpathSync(resolve(process.argv[2] ?? resolve(dirname(fileURLToPath(import.meta.url)), "..")))
const hasModules = existsSync(join(root, "node_modules"))
const modules = hasModules ? realpathSync(join(root, "node_modules")) : join(root, "node_modules")
const BECOME_PROGRAMS = ["start", "site", "runner"].map((name) => join(root, "scripts", name))
/** Where bash holds the script that it reads. */
const SCRIPT = "fd/255"

function processes() {
  if (!existsSync("/proc/self/exe")) return new Map()
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return new Map(ids.map((id) => [id, { parent: parentOf(id), words: wordsOf(id), runs: runs(id) }]))
}

function runs(id) {
  return namesOurs(id) && seesOurs(id)
}

/** Whether the process has the same folder at our path as we have; processes of other roots may have another. */
function seesOurs(id) {
  const [own, its] = [folderAt(root), folderAt(`/proc/${id}/root${root}`)]
  return its === undefined || its === own
}

function folderAt(path) {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch (error) {
    return error.code === "ENOENT" ? "none" : undefined // it has ended and has no folder, or is another user's
  }
}

function namesOurs(id) {
  const words = wordsOf(id)
  const program = (linkOf(id, "exe") ?? words[0] ?? "").replace(/ \(deleted\)$/, "") // another user's link is not ours to read
  const name = basename(program)
  if (program.startsWith(modules + sep) && (name === "node" || name === "postgres")) return true
  if (name === "node" && words.slice(1).some((word) => word.startsWith(join(root, "packages") + sep))) return true
  return BECOME_PROGRAMS.includes(linkOf(id, SCRIPT))
}

function linkOf(id, name) {
  try {
    return readlinkSync(`/proc/${id}/${name}`)
  } catch {
    return undefined // it has ended, or is another user's
  }
}

function textOf(id, name) {
  try {
    return readFileSync(`/proc/${id}/${name}`, "utf8")
  } catch {
    return ""
  }
}

const wordsOf = (id) =>
  textOf(id, "cmdline")
    .split("\0")
    .filter((word) => word !== "")
const parentOf = (id) => /^PPid:\s*(\d+)$/m.exec(textOf(id, "status"))?.[1]

/** Programs that nobody of ours started, which end what they started. Not those that this installation is a part of. */
function toStop() {
  const all = processes()
  const ancestors = new Set()
  for (let id = String(process.pid); id !== undefined && !ancestors.has(id); id = all.get(id)?.parent) ancestors.add(id)
  const running = [...all].filter(([id, { runs }]) => runs && !ancestors.has(id))
  const ids = new Set(running.map(([id]) => id))
  return running.filter(([, { parent }]) => !ids.has(parent))
}

const found = (hasModules ? toStop() : []).map(([id, { words }]) => {
  const named = words.slice(1).find((word) => !word.startsWith("-")) ?? words[0] ?? "?"
  return `process ${id} (${named.startsWith(root + sep) ? named.slice(root.length + 1) : named})`
})
if (found.length > 0) {
  const more = found.length > 5 ? `, and ${found.length - 5} more` : ""
  console.error(
    `scripts/install would take the packages of ${root} from under what runs: stop ${found.slice(0, 5).join(", ")}${more} first`
  )
  process.exitCode = 1
}
