/**
 * Debian's nginx (scripts/apt-packages.txt) with scripts/nginx.conf, in which only addresses and the
 * certificate's place are replaced: on free loopback ports, with a directory of its own, stopped by
 * process id. Beside TLS it listens without, for runners and visitors that would not believe a certificate
 * which was made for the test.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../support/freePort.ts"

const PROGRAM = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"].find(existsSync)
const EXAMPLE = join(import.meta.dirname, "../../scripts/nginx.conf")
const EXAMPLE_NODES = ["10.0.0.5:8080", "10.0.0.6:8080", "10.0.0.7:8080"]

const OPENSSL = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"].find(existsSync)
const EXAMPLE_CERTIFICATES = "/etc/nginx/agon/"
const EXAMPLE_CACHE = "/var/cache/agon-nginx "
const EXAMPLE_SITE = "10.0.0.9 site;"
/** Whence a site asks for its visitors. */
export const SITE = "127.0.0.9"

/** Why there is no nginx on this machine, or undefined where there is one. */
export const missingNginx = (): string | undefined =>
  PROGRAM === undefined || OPENSSL === undefined ? "no nginx or no openssl installed (see scripts/apt-packages.txt)" : undefined

export interface Nginx {
  readonly origin: string
  readonly port: number
  /** Where it speaks TLS, and the certificate that it shows there. */
  readonly tls_port: number
  readonly certificate: () => string
  /** Where it only sends on to TLS. */
  readonly redirect_port: number
  readonly start: (nodes: ReadonlyArray<string>) => Promise<void>
  /** Its process, or the master of its workers. */
  readonly pid: () => number
  /** Its complaints. */
  readonly complaints: () => string
  readonly stop: () => Promise<void>
}

/** For a crowd: more connections, and worker processes beneath a master. */
export interface Size {
  readonly connections: number
  readonly workers: number
}
const SMALL: Size = { connections: 4_096, workers: 0 }

export const make = async (size: Size = SMALL): Promise<Nginx> => {
  const [port, tls_port, redirect_port] = [await freePort(), await freePort(), await freePort()]
  const directory = mkdtempSync(join(tmpdir(), "agon-nginx-"))
  let child: ChildProcess | undefined
  let ended: Promise<void> = Promise.resolve()
  const start = async (nodes: ReadonlyArray<string>) => {
    mkdirSync(join(directory, "temp"))
    writeFileSync(join(directory, "agon.conf"), siteOf({ port, tls_port, redirect_port }, directory, nodes))
    makeCertificate(directory)
    writeFileSync(join(directory, "nginx.conf"), mainOf(size))
    // In front, so that it ends with this process; without a master its pid is the one that serves.
    child = spawn(PROGRAM!, ["-p", directory, "-c", "nginx.conf", "-e", "error.log"], { stdio: ["ignore", "ignore", "inherit"] })
    ended = new Promise((resolve) => child!.on("close", () => resolve()))
  }
  const stop = async () => {
    child?.kill(size.workers > 0 ? "SIGTERM" : "SIGKILL") // a master that is told to stop stops its workers
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  const complaints = () => (existsSync(join(directory, "error.log")) ? readFileSync(join(directory, "error.log"), "utf8") : "")
  const certificate = () => readFileSync(join(directory, "fullchain.pem"), "utf8")
  return { origin: `http://127.0.0.1:${port}`, port, tls_port, redirect_port, certificate, pid: () => child!.pid!, start, stop, complaints }
}

/** Of nobody, for a day. */
const makeCertificate = (directory: string) => {
  const key = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=agon.example"]
  const files = ["-addext", "subjectAltName=DNS:agon.example", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
  execFileSync(OPENSSL!, ["req", ...key, ...files], { cwd: directory, stdio: "ignore" })
}

const mainOf = ({ connections, workers }: Size) => `daemon off;
${workers > 0 ? `${process.getuid?.() === 0 ? "user root;\n" : ""}worker_processes ${workers};` : "master_process off;"}
pid nginx.pid;
error_log error.log warn;
events { worker_connections ${connections}; }
http {
  access_log off;
  sendfile on;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path temp/${name};`).join("\n  ")}
  include agon.conf;
}
`

/** The example with the addresses of these nodes; fails where it does not name them as it did. */
const siteOf = (
  { port, redirect_port, tls_port }: Pick<Nginx, "port" | "tls_port" | "redirect_port">,
  directory: string,
  nodes: ReadonlyArray<string>
) => {
  const replaced = (text: string, from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`scripts/nginx.conf does not hold ${from}`)
    return text.replaceAll(from, to)
  }
  let site = replaced(readFileSync(EXAMPLE, "utf8"), "listen 80;", `listen 127.0.0.1:${redirect_port};`)
  site = replaced(site, "listen 443 ssl backlog=4096;", `listen 127.0.0.1:${tls_port} ssl;\n  listen 127.0.0.1:${port} backlog=4096;`)
  site = replaced(site, EXAMPLE_CERTIFICATES, `${directory}/`)
  site = replaced(site, EXAMPLE_CACHE, `${directory}/cache `)
  site = replaced(site, EXAMPLE_SITE, `${SITE} site;`)
  EXAMPLE_NODES.forEach((example, i) => {
    const line = `  server ${example} max_fails=1 fail_timeout=2s;\n`
    site = replaced(site, line, nodes[i] === undefined ? "" : line.replace(example, nodes[i]))
  })
  return site
}
