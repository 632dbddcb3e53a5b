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

/** How a process is started under one kind. */
export interface Command {
  readonly isolation: Isolation
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

/** Of two kinds of machine: where the runner is root, and where it may have a user namespace. */
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

interface Candidate {
  readonly isPermitted: () => boolean
  readonly command: Command
}

/** The strongest first. */
const candidatesFor = (entry: string): ReadonlyArray<Candidate> => {
  const code = findCode()
  const args = nodeArgs(code, entry)
  const node = [process.execPath, ...args]
  const [bwrap, unshare] = [find("bwrap"), find("unshare")]
  const plain: Candidate = { isPermitted: () => true, command: { isolation: "process", command: process.execPath, args, cwd: code.own } }
  const candidates: Array<Candidate> = []
  if (bwrap !== null) {
    const own = bubblewrapArgs({ ...code, folders: [dirname(process.execPath), ...code.folders] })
    candidates.push({
      isPermitted: () => permits(bwrap, bubblewrapArgs({ own: "/", folders: [], links: [] })),
      command: { isolation: "bubblewrap", command: bwrap, args: [...own, ...node], cwd: code.own }
    })
  }
  if (unshare !== null)
    for (const own of unshareArgs)
      candidates.push({
        isPermitted: () => permits(unshare, own),
        command: { isolation: "unshare", command: unshare, args: [...own, ...node], cwd: code.own }
      })
  return [...candidates, plain]
}

/**
 * The ways to start `entry` that the machine permits, strongest first; those of the `wanted` kind if one is named, permitted
 * or not. To be asked once: each way is tried, which blocks for a few milliseconds, and for seconds on a busy machine.
 */
export const commandsFor = (entry: string, wanted?: Isolation): readonly [Command, ...ReadonlyArray<Command>] => {
  const candidates = candidatesFor(entry)
  const taken = candidates.filter(({ command, isPermitted }) => (wanted === undefined ? isPermitted() : command.isolation === wanted))
  const [first, ...others] = taken.map(({ command }) => command)
  if (first === undefined) throw new Error(`the program for the isolation ${wanted} is not installed`)
  return [first, ...others]
}
