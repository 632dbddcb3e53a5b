/**
 * One request on a kept connection, by node's own client: `fetch` would cost this
 * machine more than the service does.
 */
import { Agent, request } from "node:http"

export interface Answer {
  /** 0 where the connection was refused or broken off. */
  readonly status: number
  readonly text: string
}

export interface Asked {
  readonly method: "GET" | "POST" | "PUT"
  readonly port: number
  readonly path: string
  readonly localAddress: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

const TIMEOUT_MS = 70_000
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity, scheduling: "lifo" })

export const ask = ({ body, headers = {}, ...to }: Asked): Promise<Answer> =>
  new Promise((resolve) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const asked = request({ agent, host: "127.0.0.1", timeout: TIMEOUT_MS, ...to, headers: { ...headers, ...length } }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode!, text }))
      response.on("error", () => resolve({ status: 0, text: "" }))
    })
    asked.on("timeout", () => asked.destroy())
    asked.on("error", ({ code = "" }: Error & { readonly code?: string }) => resolve({ status: 0, text: code }))
    asked.end(body)
  })

/** Ends every connection, those that wait included. */
export const hangUp = () => agent.destroy()
