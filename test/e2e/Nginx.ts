/**
 * Debian's nginx (scripts/apt-packages.txt) with scripts/nginx.conf, in which only addresses are replaced: on a free
 * loopback port, with a directory of its own, stopped by process id.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../support/freePort.ts"

const PROGRAM = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"].find(existsSync)
const EXAMPLE = join(import.meta.dirname, "../../scripts/nginx.conf")
const EXAMPLE_NODES = ["10.0.0.5:8080", "10.0.0.6:8080", "10.0.0.7:8080"]

/** Why there is no nginx on this machine, or undefined where there is one. */
export const missingNginx = (): string | undefined =>
  PROGRAM === undefined ? "no nginx installed (see scripts/apt-packages.txt)" : undefined

export interface Nginx {
  readonly origin: string
  readonly port: number
  readonly start: (nodes: ReadonlyArray<string>) => Promise<void>
  /** What it had to complain of. */
  readonly complaints: () => string
  readonly stop: () => Promise<void>
}

export const make = async (): Promise<Nginx> => {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), "agon-nginx-"))
  let child: ChildProcess | undefined
  let ended: Promise<void> = Promise.resolve()
  const start = async (nodes: ReadonlyArray<string>) => {
    mkdirSync(join(directory, "temp"))
    writeFileSync(join(directory, "agon.conf"), siteOf(port, nodes))
    writeFileSync(join(directory, "nginx.conf"), main)
    // In front, so that it ends with this process; without a master its pid is the one that serves.
    child = spawn(PROGRAM!, ["-p", directory, "-c", "nginx.conf", "-e", "error.log"], { stdio: ["ignore", "ignore", "inherit"] })
    ended = new Promise((resolve) => child!.on("close", () => resolve()))
  }
  const stop = async () => {
    child?.kill("SIGKILL")
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  const complaints = () => (existsSync(join(directory, "error.log")) ? readFileSync(join(directory, "error.log"), "utf8") : "")
  return { origin: `http://127.0.0.1:${port}`, port, start, stop, complaints }
}

const main = `daemon off;
master_process off;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 512; }
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path temp/${name};`).join("\n  ")}
  include agon.conf;
}
`

/** The example with the addresses of these nodes; fails where it does not name them as it did. */
const siteOf = (port: number, nodes: ReadonlyArray<string>) => {
  const replaced = (text: string, from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`scripts/nginx.conf does not hold ${from}`)
    return text.replaceAll(from, to)
  }
  let site = replaced(readFileSync(EXAMPLE, "utf8"), "listen 80;", `listen 127.0.0.1:${port};`)
  EXAMPLE_NODES.forEach((example, i) => {
    const line = `  server ${example} max_fails=1 fail_timeout=2s;\n`
    site = replaced(site, line, nodes[i] === undefined ? "" : line.replace(example, nodes[i]))
  })
  return site
}
