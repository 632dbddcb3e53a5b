/**
 * The sandbox processes of a test, looked at from outside through /proc. Linux alone;
 * not used by anything but tests.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

const readProcess = (name: string) => {
  try {
    const status = readFileSync(`/proc/${name}/status`, "utf8")
    const [program, ...args] = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
    const peak_mb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024
    const addresses_gb = Number(/VmSize:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_048_576
    const sandbox = program === process.execPath && args.some((arg) => arg.endsWith("sandbox/src/main.ts"))
    return [{ pid: Number(name), parent: Number(/PPid:\s+(\d+)/.exec(status)![1]), peak_mb, addresses_gb, sandbox }]
  } catch {
    return []
  }
}

/**
 * The sandbox processes below this one, whatever stands between, with the most that each has had resident and
 * the addresses it has set aside.
 */
export const sandboxProcesses = () => {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess)
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]))
  const isBelow = (pid: number | undefined): boolean => pid !== undefined && (pid === process.pid || isBelow(parents.get(pid)))
  return all.filter(({ pid, sandbox }) => sandbox && isBelow(pid))
}

/**
 * How much of the processor a process and all its threads have used, in seconds; the
 * kernel counts it in hundredths.
 */
export const cpuOf_s = (pid: number): number => {
  const [, fields] = /^\d+ \(.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!
  const [user, system] = fields!.split(" ").slice(11, 13).map(Number)
  return (user! + system!) / 100
}

/**
 * The files and sockets that a process holds open at this moment: paths, and `socket:[7]` and
 * the like with their numbers.
 */
export const openIn = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

/** Internet sockets in the network that the process lives in, its own or the machine's. */
export const internetSocketsNear = (pid: number): number =>
  ["tcp", "tcp6", "udp", "udp6", "raw"]
    .map((kind) => readFileSync(`/proc/${pid}/net/${kind}`, "utf8").trim().split("\n").length - 1)
    .reduce((sum, count) => sum + count, 0)
