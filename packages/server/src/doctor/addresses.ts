/** The addresses that the service listens on, and those of the programs that it asks. */

import { connect } from "node:net"
import { Effect, Redacted } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import type { Address } from "../config/variables.ts"
import { codeAt } from "../http/connection/listening.ts"
import { about, type Finding } from "./Finding.ts"

const ANSWER_TIMEOUT_MS = 5_000

const ports = about("ports")
const peers = about("others")

/** Each address is free, or a service of ours answers there. */
export const checkPorts = ({ host, metrics, node, port }: SettingsShape) =>
  Effect.promise(() =>
    Promise.all([
      free(port === 0 ? undefined : { host, port }, "PORT", "/healthz"),
      free(metrics?.address, "AGON_METRICS", "/healthz", metrics?.asked),
      free(node, "AGON_NODE", undefined)
    ]).then((found) => found.flat())
  )

/** `asked`: the service does not start without it. Where it was not asked for, the service starts without metrics. */
const free = async (
  address: Address | undefined,
  variable: string,
  path: string | undefined,
  asked = true
): Promise<ReadonlyArray<Finding>> => {
  if (address === undefined) return []
  const at = textOf(address)
  const code = await codeAt(address)
  if (code === undefined) return [ports.fine(`${variable}: ${at} is free`)]
  if (code !== "EADDRINUSE")
    return [ports.broken(`${variable}: ${at} cannot be listened on (${code}); use an address of this machine, from 1024 on where not root`)]
  if (path !== undefined && (await answers(address, path))) return [ports.fine(`${variable}: a service answers at ${at}`)]
  if (!asked) return [ports.mend(`${variable}: another program listens on ${at}, so there is no /metrics; choose another port, or off`)]
  return path === undefined
    ? [ports.mend(`${variable}: another program listens on ${at}; where that is not this node, choose another port`)]
    : [ports.broken(`${variable}: another program listens on ${at}; stop it or choose another port`)]
}

const answers = async (address: Address, path: string) => {
  try {
    const response = await fetch(`http://${textOf(address)}${path}`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

/** Redis, the collector and a site elsewhere take connections. The service works without them, but not as it should. */
export const checkOthers = ({ otlp_url, redis_url, site }: SettingsShape) =>
  Effect.promise(() =>
    Promise.all([
      reached(redis_url && addressOf(Redacted.value(redis_url), 6379), "REDIS_URL", "each node counts rate limits by itself"),
      reached(otlp_url === undefined ? undefined : addressOf(otlp_url, 80), "OTLP_URL", "spans and metrics are lost"),
      reached(typeof site === "string" ? undefined : site, "AGON_SITE", "visitors get no pages")
    ]).then((found) => found.flat())
  )

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }

const addressOf = (url: string, otherwise: number): Address => {
  const { hostname, port, protocol } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? (DEFAULT_PORTS[protocol] ?? otherwise) : Number(port) }
}

const reached = async (address: Address | undefined, variable: string, without: string): Promise<ReadonlyArray<Finding>> => {
  if (address === undefined) return []
  const code = await connecting(address)
  return code === undefined
    ? [peers.fine(`${variable}: ${textOf(address)} answers`)]
    : [peers.mend(`${variable}: ${textOf(address)} does not answer (${code}), so ${without}; start it or mend the address`)]
}

const connecting = ({ host, port }: Address) =>
  new Promise<string | undefined>((done) => {
    const socket = connect({ host, port, timeout: ANSWER_TIMEOUT_MS })
    const end = (code: string | undefined) => {
      socket.destroy()
      done(code)
    }
    socket.on("connect", () => end(undefined))
    socket.on("timeout", () => end("ETIMEDOUT"))
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })

const textOf = ({ host, port }: Address) => `${host.includes(":") ? `[${host}]` : host}:${port}`
