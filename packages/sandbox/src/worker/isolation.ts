/**
 * How the sandbox's process is cut off from the machine. The strongest kind that the machine permits is taken:
 *
 *   bubblewrap   own network, process, mount, ipc and user namespaces, a read-only file system of just the code, no capabilities
 *   unshare      own network and ipc namespaces
 *   process      a plain process
 *
 * Under each of them Node's permission model denies files outside the code, child processes and native add-ons, and the
 * environment is empty. None of this is what holds a model: WebAssembly is. It is what remains if that should fail.
 */
import { spawnSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { wasmPath } from "./Runtime.ts"

export type Isolation = "bubblewrap" | "unshare" | "process"

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const PLACES = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"]
const PROBE_MS = 5_000
const SCRIPT_HEAP_MB = 512

const find = (name: string): string | null => PLACES.map((place) => join(place, name)).find((path) => existsSync(path)) ?? null

const permits = (command: string, args: ReadonlyArray<string>): boolean =>
  spawnSync(command, [...args, find("true") ?? "/bin/true"], { env: {}, stdio: "ignore", timeout: PROBE_MS }).status === 0

/** The folder of package `name` that holds `file`. */
const packageOf = (file: string, name: string) => {
  const mark = join(sep, "node_modules", name, sep)
  return file.slice(0, file.lastIndexOf(mark) + mark.length)
}

/** All that the process may read: this package and those it imports, by their names and by where these links lead. */
const readablePaths = (): ReadonlyArray<string> => {
  const own = fileURLToPath(new URL("../../", import.meta.url))
  const runtime = packageOf(wasmPath, "onnxruntime-web")
  const links = ["@agon/engine", "@agon/onnx"].map((name) => join(dirname(runtime), name))
  const siblings = links.map((link) => join(realpathSync(link), sep))
  const protobuf = packageOf(createRequire(join(siblings[1]!, "src", "Model.ts")).resolve("@bufbuild/protobuf"), "@bufbuild/protobuf")
  return [own, runtime, protobuf, ...siblings, ...links.map((link) => join(link, sep))]
}

const unshareArgs: ReadonlyArray<ReadonlyArray<string>> = [
  ["--net", "--ipc", "--"],
  ["--user", "--map-root-user", "--net", "--ipc", "--"]
]

const bubblewrapArgs = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
  ...["/usr", "/bin", "/lib", "/lib64", ...paths].flatMap((path) => ["--ro-bind-try", path, path]),
  "--"
]

/** Asks the machine by trying; costs a few milliseconds, so it is asked once per service. */
export const strongestIsolation = (): Isolation => {
  const bwrap = find("bwrap")
  if (bwrap !== null && permits(bwrap, bubblewrapArgs([]))) return "bubblewrap"
  const unshare = find("unshare")
  if (unshare !== null && unshareArgs.some((args) => permits(unshare, args))) return "unshare"
  return "process"
}

const nodeArgs = (readable: ReadonlyArray<string>, entry: string): ReadonlyArray<string> => [
  "--no-warnings",
  "--permission",
  "--allow-worker",
  ...readable.map((path) => `--allow-fs-read=${path}`),
  "--disallow-code-generation-from-strings",
  "--no-addons",
  `--max-old-space-size=${SCRIPT_HEAP_MB}`,
  entry
]

export const commandUnder = (isolation: Isolation, entry: string): Command => {
  const readable = readablePaths()
  const node = nodeArgs(readable, entry)
  if (isolation === "bubblewrap") {
    return { command: find("bwrap")!, args: [...bubblewrapArgs([dirname(process.execPath), ...readable]), process.execPath, ...node] }
  }
  if (isolation === "unshare") {
    const unshare = find("unshare")!
    const args = unshareArgs.find((candidate) => permits(unshare, candidate)) ?? unshareArgs[0]!
    return { command: unshare, args: [...args, process.execPath, ...node] }
  }
  return { command: process.execPath, args: node }
}
