/**
 * A real Redis for tests, Debian's redis-server (scripts/apt-packages.txt), on a free loopback port, with nothing on
 * disk. A test may kill it, bring it up again on its port, halt it and let it go on. The server hangs on a pipe of this
 * process: however the tests end, kill -9 included, the pipe closes and a little shell kills it by its id.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { Context, Effect, Layer, Redacted } from "effect"
import { freePort } from "./freePort.ts"

export interface RedisShape {
  readonly url: Redacted.Redacted
  /** One command without blanks in its arguments, and the first line of the answer. */
  readonly ask: (command: string) => Effect.Effect<string>
  /** SIGKILL, and returns when it is gone. */
  readonly kill: Effect.Effect<void>
  /** A new process on the same port, when it answers; does nothing where one runs. */
  readonly start: Effect.Effect<void>
  /** SIGSTOP: connections stay, and nothing answers. */
  readonly halt: Effect.Effect<void>
  readonly goOn: Effect.Effect<void>
}

export class Redis extends Context.Service<Redis, RedisShape>()("agon/test/Redis") {
  static readonly layer = Layer.effect(
    Redis,
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(() => Server.started()),
        (server) => Effect.promise(() => server.kill())
      ),
      (server) =>
        Redis.of({
          url: Redacted.make(`redis://127.0.0.1:${server.port}`),
          ask: (command) => Effect.promise(() => ask(server.port, command)),
          kill: Effect.promise(() => server.kill()),
          start: Effect.promise(() => server.start()),
          halt: Effect.sync(() => server.signal("SIGSTOP")),
          goOn: Effect.sync(() => server.signal("SIGCONT"))
        })
    )
  )
}

const PROGRAM = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"].find(existsSync)
const START_TIMEOUT_MS = 20_000

/** Why there is no Redis on this machine, or undefined where there is one. */
export const missingRedis = (): string | undefined =>
  PROGRAM === undefined ? "no redis-server installed (see scripts/apt-packages.txt)" : undefined

/** Prints the server's id, and kills it when the pipe on its own standard input closes. */
const GUARD = '"$@" </dev/null >/dev/null & server=$!; echo $server; trap "" INT TERM HUP; cat >/dev/null; kill -KILL $server; wait $server'

class Server {
  readonly port: number
  #running: { readonly pid: number; readonly end: () => Promise<void> } | undefined

  constructor(port: number) {
    this.port = port
  }

  static async started() {
    const server = new Server(await freePort())
    await server.start()
    return server
  }

  async start() {
    if (this.#running !== undefined) return
    const options = ["--port", String(this.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", tmpdir()]
    // Detached: an interrupt typed at the terminal must not reach the server before the tests have ended.
    const child = spawn("sh", ["-c", GUARD, "sh", PROGRAM!, ...options], { detached: true, stdio: ["pipe", "pipe", "ignore"] })
    child.stdin.on("error", () => undefined)
    const ended = new Promise<void>((done) => child.on("close", () => done()))
    const pid = await new Promise<number>((done) => child.stdout.once("data", (line) => done(Number(line))))
    const end = () => {
      child.stdin.end()
      return ended
    }
    this.#running = { pid, end }
    await this.#answering()
  }

  async kill() {
    const running = this.#running
    this.#running = undefined
    await running?.end()
  }

  signal(name: "SIGSTOP" | "SIGCONT") {
    process.kill(this.#running!.pid, name)
  }

  async #answering() {
    for (let waited_ms = 0; waited_ms < START_TIMEOUT_MS; waited_ms += 20) {
      if ((await ask(this.port, "PING").catch(() => "")) === "+PONG") return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`Redis did not start within ${START_TIMEOUT_MS} ms`)
  }
}

const ask = (port: number, command: string) =>
  new Promise<string>((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\n`))
    let text = ""
    socket.on("error", fail)
    socket.on("close", () => fail(new Error(`Redis closed the connection at ${command}`)))
    socket.on("data", (chunk) => {
      text += String(chunk)
      if (!text.includes("\r\n")) return
      done(text.slice(0, text.indexOf("\r\n")))
      socket.destroy()
    })
  })
