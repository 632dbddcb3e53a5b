/**
 * How the sandbox's process is cut off from the machine. The strongest kind that the machine permits is taken:
 *
 *   bubblewrap   own network, process, mount, ipc and user namespaces, a read-only file system of just the code, no capabilities
 *   unshare      own network and ipc namespaces
 *   process      a plain process
 *
 * Under each of them Node's permission model denies files outside the code, child processes and native add-ons, and the
 * environment is empty. WebAssembly is the barrier that holds a model; this is the second one, should that fail.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join, sep } from "node:path"
import { type Code, findCode } from "../places.ts"

export type Isolation = "bubblewrap" | "unshare" | "process"

export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
}

const PLACES = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"]
const PROBE_MS = 5_000
const SCRIPT_HEAP_MB = 512

const find = (name: string): string | null => PLACES.map((place) => join(place, name)).find((path) => existsSync(path)) ?? null

/** No answer in time is no refusal: the machine is busy, and the start of the first process will tell. */
export const permits = (command: string, args: ReadonlyArray<string>, timeout = PROBE_MS): boolean => {
  const { error, status } = spawnSync(command, [...args, find("true") ?? "/bin/true"], { env: {}, stdio: "ignore", timeout })
  return status === 0 || (error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT"
}

const unshareArgs: ReadonlyArray<ReadonlyArray<string>> = [
  ["--net", "--ipc", "--"],
  ["--user", "--map-root-user", "--net", "--ipc", "--"]
]

const bubblewrapArgs = ({ own, folders, links }: Code): ReadonlyArray<string> => [
  ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
  ...["/usr", "/bin", "/lib", "/lib64", ...folders].flatMap((path) => ["--ro-bind-try", path, path]),
  ...links.flatMap(({ link, target }) => ["--symlink", target, link]),
  ...["--chdir", own, "--"]
]

/** The kinds that the machine permits, strongest first. Each is tried, which takes a few milliseconds. */
export const permittedIsolations = (): readonly [Isolation, ...ReadonlyArray<Isolation>] => {
  const bwrap = find("bwrap")
  const unshare = find("unshare")
  const kinds: [Isolation, ...Array<Isolation>] = ["process"]
  if (unshare !== null && unshareArgs.some((args) => permits(unshare, args))) kinds.unshift("unshare")
  if (bwrap !== null && permits(bwrap, bubblewrapArgs({ own: "/", folders: [], links: [] }))) kinds.unshift("bubblewrap")
  return kinds
}

const nodeArgs = ({ folders, links }: Code, entry: string): ReadonlyArray<string> => [
  "--no-warnings",
  "--permission",
  "--allow-worker",
  ...[...folders, ...links.map(({ link }) => link)].map((path) => `--allow-fs-read=${join(path, sep)}`),
  "--disallow-code-generation-from-strings",
  "--no-addons",
  // Instances of a finished match are freed before the next one.
  "--expose-gc",
  `--max-old-space-size=${SCRIPT_HEAP_MB}`,
  entry
]

export const commandUnder = (isolation: Isolation, entry: string): Command => {
  const code = findCode()
  const node = [process.execPath, ...nodeArgs(code, entry)]
  if (isolation === "bubblewrap") {
    const folders = [dirname(process.execPath), ...code.folders]
    return { command: find("bwrap")!, args: [...bubblewrapArgs({ ...code, folders }), ...node], cwd: code.own }
  }
  if (isolation === "unshare") {
    const unshare = find("unshare")!
    const args = unshareArgs.find((candidate) => permits(unshare, candidate)) ?? unshareArgs[0]!
    return { command: unshare, args: [...args, ...node], cwd: code.own }
  }
  return { command: process.execPath, args: node.slice(1), cwd: code.own }
}
