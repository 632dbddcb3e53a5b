/**
 * Visitors who read through every outage, each from an address of its own and within its rate,
 * and what they were answered.
 */
import { Agent, type RequestOptions, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"

export interface Got {
  readonly status: number
  readonly text: string
}

const TIMEOUT_MS = 30_000

/** One request from an address of the loopback network; 0 where the connection was refused or broken off. */
export const get = (url: string, localAddress: string, options: RequestOptions = {}): Promise<Got> =>
  new Promise((resolve) => {
    const asked = request(url, { localAddress, timeout: TIMEOUT_MS, ...options }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode!, text }))
      response.on("error", () => resolve({ status: 0, text }))
    })
    asked.on("timeout", () => asked.destroy())
    asked.on("error", () => resolve({ status: 0, text: "" }))
    asked.end()
  })

const VISITORS = 3
const EVERY_MS = 60

export class Load {
  /** How often each answer was given: its status and, where it is no success, what it says. */
  readonly answers = new Map<string, number>()
  private readonly asking: Promise<unknown>
  private over = false

  constructor(origin: string, paths: ReadonlyArray<string>) {
    this.asking = Promise.all(Array.from({ length: VISITORS }, (_, i) => this.visit(origin, paths, `127.0.1.${i + 1}`)))
  }

  private async visit(origin: string, paths: ReadonlyArray<string>, address: string) {
    const agent = new Agent({ keepAlive: true })
    for (let n = 0; !this.over; n++) {
      const { status, text } = await get(`${origin}${paths[n % paths.length]!}`, address, { agent })
      const answer = status === 200 ? "200" : `${status} ${/"detail":"([^"]*)"/.exec(text)?.[1] ?? text}`
      this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1)
      await pause(EVERY_MS)
    }
    agent.destroy()
  }

  get total(): number {
    return [...this.answers.values()].reduce((sum, n) => sum + n, 0)
  }

  async stop(): Promise<void> {
    this.over = true
    await this.asking
  }
}
