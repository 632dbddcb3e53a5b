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

interface Code {
  /** Folders that hold what the process runs, links resolved. */
  readonly folders: ReadonlyArray<string>
  /** The names under which they import each other. */
  readonly links: ReadonlyArray<{ readonly link: string; readonly target: string }>
}

/** All that the process may read: this package and those it imports. */
const findCode = (): Code => {
  const own = fileURLToPath(new URL("../../", import.meta.url))
  const runtime = packageOf(wasmPath, "onnxruntime-web")
  const links = ["@agon/engine", "@agon/onnx"].map((name) => {
    const link = join(dirname(runtime), name)
    return { link, target: realpathSync(link) }
  })
  const onnx = createRequire(join(links[1]!.target, "src", "Model.ts"))
  const protobuf = packageOf(onnx.resolve("@bufbuild/protobuf"), "@bufbuild/protobuf")
  return { folders: [own, runtime, protobuf, ...links.map(({ target }) => join(target, sep))], links }
}

const unshareArgs: ReadonlyArray<ReadonlyArray<string>> = [
  ["--net", "--ipc", "--"],
  ["--user", "--map-root-user", "--net", "--ipc", "--"]
]

const bubblewrapArgs = ({ folders, links }: Code): ReadonlyArray<string> => [
  ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
  ...["/usr", "/bin", "/lib", "/lib64", ...folders].flatMap((path) => ["--ro-bind-try", path, path]),
  ...links.flatMap(({ link, target }) => ["--symlink", target, link]),
  ...["--chdir", "/", "--"]
]

/** The kinds that the machine permits, strongest first; asks it by trying, for a few milliseconds each. */
export const permittedIsolations = (): ReadonlyArray<Isolation> => {
  const bwrap = find("bwrap")
  const unshare = find("unshare")
  const kinds: Array<Isolation> = []
  if (bwrap !== null && permits(bwrap, bubblewrapArgs({ folders: [], links: [] }))) kinds.push("bubblewrap")
  if (unshare !== null && unshareArgs.some((args) => permits(unshare, args))) kinds.push("unshare")
  return [...kinds, "process"]
}

const nodeArgs = ({ folders, links }: Code, entry: string): ReadonlyArray<string> => [
  "--no-warnings",
  "--permission",
  "--allow-worker",
  ...[...folders, ...links.map(({ link }) => join(link, sep))].map((path) => `--allow-fs-read=${path}`),
  "--disallow-code-generation-from-strings",
  "--no-addons",
  `--max-old-space-size=${SCRIPT_HEAP_MB}`,
  entry
]

export const commandUnder = (isolation: Isolation, entry: string): Command => {
  const code = findCode()
  const node = [process.execPath, ...nodeArgs(code, entry)]
  if (isolation === "bubblewrap") {
    const folders = [dirname(process.execPath), ...code.folders]
    return { command: find("bwrap")!, args: [...bubblewrapArgs({ ...code, folders }), ...node] }
  }
  if (isolation === "unshare") {
    const unshare = find("unshare")!
    const args = unshareArgs.find((candidate) => permits(unshare, candidate)) ?? unshareArgs[0]!
    return { command: unshare, args: [...args, ...node] }
  }
  return { command: process.execPath, args: node.slice(1) }
}
