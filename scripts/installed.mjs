/**
 * Exit status 0 if node_modules holds all packages of package-lock.json (with --running: all but development ones), 1 if
 * not. Plain JavaScript, since it runs on the system's Node before ours is installed: from 20.0 on, whose modules are not told
 * their folder. It compares the contents of the two lock files and not their times, so that a checkout which only touches
 * package-lock.json needs no installation and no network. For the same reason it makes a missing link to a workspace itself,
 * where the workspace is here.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const given = process.argv.slice(2)
const running = given.includes("--running")
const root = resolve(given.find((word) => !word.startsWith("--")) ?? resolve(dirname(fileURLToPath(import.meta.url)), ".."))
const read = (path) => JSON.parse(readFileSync(resolve(root, path), "utf8")).packages ?? {}

function missing() {
  if (!existsSync(resolve(root, "node_modules/.package-lock.json"))) return ["everything"]
  const asked = read("package-lock.json")
  const held = read("node_modules/.package-lock.json")
  return Object.entries(asked).flatMap(([path, { dev, version, link, optional, resolved }]) => {
    // Workspaces are here because the checkout is; a package for other machines is optional and may stay away.
    if (!path.includes("node_modules/") || (running && dev)) return []
    if (link && isLinked(path, resolved, asked[resolved])) return []
    const own = held[path]
    if (own === undefined) return optional || isOfAnOptional(asked, path) ? [] : [path]
    const same = link ? own.link === true && own.resolved === resolved : own.version === version
    return same && existsSync(resolve(root, path)) ? [] : [path]
  })
}

/** Whether the link leads to the workspace, after it was made where there is none. npm alone makes a workspace's commands. */
function isLinked(path, resolved, { bin } = {}) {
  const [place, target] = [resolve(root, path), relative(dirname(path), resolved)]
  try {
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined && bin === undefined && existsSync(resolve(root, resolved))) {
      mkdirSync(dirname(place), { recursive: true })
      symlinkSync(target, place)
    }
    return readlinkSync(place) === target
  } catch {
    return false // something else is there, or we may not write
  }
}

/** A dependency of a package for another machine is not always marked optional itself; its own folder tells. */
function isOfAnOptional(asked, path) {
  const owner = path.slice(0, path.lastIndexOf("/node_modules/"))
  return owner !== path && asked[owner]?.optional === true
}

const paths = missing()
if (paths.length > 0)
  console.log(`not installed: ${paths.slice(0, 5).join(", ")}${paths.length > 5 ? `, and ${paths.length - 5} more` : ""}`)
process.exitCode = paths.length === 0 ? 0 : 1
