/**
 * Stands in for the sandbox's program in tests, as if a model had broken out of WebAssembly: tries
 * what the isolation is to forbid and tells its parent what came of each. The parent sends the
 * port of a listener of its own.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { Worker } from "node:worker_threads"

export type ProbeAnswer = Readonly<Record<string, string>>

const attempt = (act: () => unknown): string => {
  try {
    return `done: ${String(act()).slice(0, 40)}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

const dial = (port: number, host: string) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port, host })
    socket.on("connect", () => resolve("done"))
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })

/** Threads of the process are under the same rules, or they are no rules. */
const inThread = (path: string) =>
  new Promise<string>((resolve) => {
    const code = `import { readFileSync } from "node:fs"; readFileSync(${JSON.stringify(path)}); process.exit(7)`
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
    thread.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    thread.on("exit", (code) => resolve(code === 7 ? "done" : `exit ${code}`))
  })

process.on("message", async ({ port, secret }: { readonly port: number; readonly secret: string }) => {
  process.send!({
    ownCode: attempt(() => readFileSync(import.meta.filename).length),
    passwords: attempt(() => readFileSync("/etc/passwd")),
    environment: attempt(() => readFileSync("/proc/self/environ")),
    neighbours: attempt(() => readdirSync("/proc")),
    secret: attempt(() => readFileSync(secret)),
    secretInThread: await inThread(secret),
    write: attempt(() => writeFileSync("/tmp/agon-probe", "x")),
    overwrite: attempt(() => writeFileSync(import.meta.filename, "x")),
    program: attempt(() => execFileSync("/bin/true")),
    evaluate: attempt(() => new Function("return 1")()),
    addOn: attempt(() => process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6")),
    network: await dial(port, "127.0.0.1")
  } satisfies ProbeAnswer)
})
process.on("disconnect", () => process.exit(0))
