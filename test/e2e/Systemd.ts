/**
 * A real systemd (Debian's package) with the units of deploy/systemd and no others, in namespaces of its own
 * (systemd.sh): the checkout lies in /opt/agon, read-only, the units' variables and data lie on a layer that
 * is lost with it. Its network is the machine's.
 */
import { execFile, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import * as Program from "./Program.ts"
import { familyOf } from "./Service.ts"

const ROOT = join(import.meta.dirname, "../..")
const PROGRAM = "/lib/systemd/systemd"
/** The first steps of systemd.sh, which other machines may not permit. */
const TRY = `cd "$1" && mkdir c l && mount -t cgroup2 cgroup c && mount -t tmpfs tmpfs l && mkdir l/u l/w l/r &&
  mount -t overlay -o lowerdir=/,upperdir=l/u,workdir=l/w overlay l/r`

/** Why no systemd runs here, or undefined where one does. */
export const missingSystemd = (): string | undefined => {
  if (!existsSync(PROGRAM)) return "no systemd installed (see scripts/apt-packages.txt)"
  if (process.getuid?.() !== 0) return "only root starts a systemd"
  const directory = mkdtempSync(join(tmpdir(), "agon-systemd-"))
  try {
    const { stderr } = spawnSync("unshare", ["--mount", "sh", "-c", TRY, "sh", directory], { encoding: "utf8" })
    return stderr === "" ? undefined : `this machine lets nobody mount what a systemd needs: ${stderr.trim()}`
  } finally {
    rmSync(directory, { recursive: true })
  }
}

export interface Systemd {
  /** The command's output, within; `succeeds` is false where it fails. */
  readonly run: (...command: ReadonlyArray<string>) => Promise<{ readonly succeeds: boolean; readonly said: string }>
  /** Writes /etc/agon/NAME.env, as an operator does. */
  readonly configure: (name: string, variables: Readonly<Record<string, string>>) => Promise<void>
  readonly property: (unit: string, name: string) => Promise<string>
  /** The output of the unit's processes. */
  readonly log: (unit: string) => Promise<string>
  /** The unit's main process as the machine sees it. */
  readonly mainPid: (unit: string) => Promise<number>
  readonly end: () => Promise<void>
}

/** Its state once it is up. */
export const start = async (): Promise<Systemd> => {
  const directory = mkdtempSync(join(tmpdir(), "agon-systemd-"))
  const script = Program.launch("bash", [join(import.meta.dirname, "systemd.sh"), basename(directory), directory, ROOT], {})
  const first = () => familyOf(script).find(({ command }) => command.startsWith(PROGRAM))
  const end = async () => {
    const pid = first()?.pid
    if (pid !== undefined) process.kill(pid, "SIGKILL") // and the kernel ends everybody of its namespace
    await script.ended
    rmSync(directory, { recursive: true, force: true })
  }
  const run = (...command: ReadonlyArray<string>) =>
    new Promise<{ readonly succeeds: boolean; readonly said: string }>((resolve) => {
      const into = ["--target", String(first()?.pid ?? 0), "--mount", "--pid", "--ipc", "--uts", "--cgroup", "--root", "--wd=/"]
      execFile("nsenter", [...into, ...command], { encoding: "utf8" }, (error, out, err) =>
        resolve({ succeeds: error === null, said: (out + err).trim() })
      )
    })
  const property = async (unit: string, name: string) => (await run("systemctl", "show", "--value", "--property", name, unit)).said
  try {
    await eventuallyAsync("a systemd that runs", async () => {
      if (script.over()) throw new Hopeless(`systemd ended: ${script.log()}`)
      return first() !== undefined && (await run("systemctl", "is-active", "agon-test.target")).said === "active"
    })
  } catch (cause) {
    await end()
    throw cause
  }
  return {
    run,
    configure: async (name, variables) => {
      const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}`)
      await run("sh", "-c", `umask 077; printf '%s\\n' "$@" > /etc/agon/${name}.env`, "sh", ...lines)
    },
    property,
    log: async (unit) => (await run("cat", `/run/${unit}.log`)).said,
    mainPid: async (unit) => {
      const inner = await property(unit, "MainPID")
      const found = familyOf(script).find(({ pid }) => new RegExp(`^NSpid:.*\\t${inner}$`, "m").test(statusOf(pid)))
      if (found === undefined) throw new Error(`${unit} has no process ${inner}`)
      return found.pid
    },
    end
  }
}

/** The kernel's status of a process; empty where it has ended. */
export const statusOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8")
  } catch {
    return ""
  }
}
