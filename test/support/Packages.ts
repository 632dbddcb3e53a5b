/** Packages that a script of this checkout makes, packed for an installation elsewhere. */
import { execFile, execFileSync } from "node:child_process"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "../..")

/** The machine's own Node, where it has one that the packages take; else the one that runs the tests. */
export const machinesNode: string =
  (process.env["PATH"] ?? "")
    .split(":")
    .map((folder) => join(folder, "node"))
    .filter((node) => !node.includes("node_modules") && existsSync(node))
    .find((node) => {
      const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" })
      const [major = 0, minor = 0] = version.split(".").map(Number)
      return major > 20 || (major === 20 && minor >= 12)
    }) ?? process.execPath

/** In a process that knows nothing of this checkout's environment. Answers what it prints. */
export const step = (folder: string, program: string, ...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      npm_config_cache: join(folder, "cache"),
      npm_config_update_notifier: "false"
    }
    execFile(program, [...args], { cwd: folder, env }, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(`${error.message}${out}${err}`))
    )
  })

/** The file of the package that a script of `scripts/` makes. */
export const packed = async (folder: string, script: string): Promise<string> => {
  await step(folder, process.execPath, join(ROOT, "scripts", script), join(folder, "made"))
  await step(folder, "npm", "pack", "./made", "--pack-destination", ".", "--silent")
  rmSync(join(folder, "made"), { recursive: true })
  const file = readdirSync(folder).find((name) => name.endsWith(".tgz"))
  if (file === undefined) throw new Error("npm pack made no file")
  return join(folder, file)
}
