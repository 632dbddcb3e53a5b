/**
 * The process under attack (host.ts) as a test has it: requests to it, a health probe beside
 * them, and what they cost it.
 */
import { type ChildProcess, fork } from "node:child_process"
import { Agent, type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import type { Attack } from "./attacks.ts"
import type { Figures, Target, Told } from "./host.ts"

export interface Said {
  readonly status: number
  readonly bytes: number
  readonly start: string
}

const HOST = join(import.meta.dirname, "host.ts")
const SAID_CHARACTERS_MAX = 400

export class Attacked {
  private readonly child: ChildProcess
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 })
  port = 0
  targets: ReadonlyArray<Target> = []
  errors = ""

  private constructor() {
    this.child = fork(HOST, [], { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "pipe", "ipc"] })
    this.child.stderr!.on("data", (chunk) => (this.errors += chunk))
  }

  static async started(): Promise<Attacked> {
    const attacked = new Attacked()
    const up = await attacked.told("up")
    attacked.port = up.port
    attacked.targets = up.targets
    return attacked
  }

  async stop() {
    this.agent.destroy()
    const ended = new Promise((resolve) => this.child.on("exit", resolve)) // a database that outlives it by a moment has its errors too
    this.child.disconnect()
    await ended
  }

  private told<T extends Told["told"]>(what: T): Promise<Extract<Told, { told: T }>> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`the service under attack ended: ${this.errors}`))
      const hear = (told: Told) => {
        if (told.told !== what) return
        this.child.off("message", hear).off("exit", ended)
        resolve(told as Extract<Told, { told: T }>)
      }
      this.child.on("message", hear).on("exit", ended)
    })
  }

  private asks(what: "begin" | "end" | "weigh") {
    this.child.send(what)
  }

  /** Memory of the service that it could not let go of. */
  async weight(): Promise<number> {
    this.asks("weigh")
    return (await this.told("figures")).held_bytes
  }

  /** The answer, and what it cost between the first byte and the last. */
  async measured<A>(act: () => Promise<A>): Promise<readonly [A, Figures]> {
    this.asks("begin")
    await this.told("begun")
    const outcome = await act()
    this.asks("end")
    return [outcome, await this.told("figures")]
  }

  send({ body, chunked, headers, method, path }: Pick<Attack, "body" | "chunked" | "headers" | "method" | "path">): Promise<Said> {
    return new Promise((resolve, reject) => {
      const length = body === undefined || chunked === true ? {} : { "content-length": Buffer.byteLength(body) }
      const options = { host: "127.0.0.1", port: this.port, agent: this.agent, method, path, headers: { ...headers, ...length } }
      let answered = false
      const asked = request(options, (response) => {
        answered = true
        resolve(read(response))
      })
      // A refusal may close the connection on what is still being sent.
      asked.on("error", (error) => (answered ? undefined : reject(error)))
      asked.end(body)
    })
  }

  /** How long a stranger waits for /healthz, in milliseconds. */
  async probe(): Promise<number> {
    const began = performance.now()
    const { status } = await this.send({ method: "GET", path: "/healthz", headers: {} })
    if (status !== 200) throw new Error(`/healthz answered ${status}`)
    return performance.now() - began
  }
}

const read = (response: IncomingMessage): Promise<Said> =>
  new Promise((resolve) => {
    let [bytes, start] = [0, ""]
    const done = () => resolve({ status: response.statusCode!, bytes, start })
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (start.length < SAID_CHARACTERS_MAX) start += chunk.toString().slice(0, SAID_CHARACTERS_MAX)
    })
    response.on("end", done).on("error", done)
  })
