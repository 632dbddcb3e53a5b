/** The addresses that the service listens on, and those of the programs that it asks. */

import { connect } from "node:net"
import { Effect } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import type { Address } from "../config/variables.ts"
import { codeAt } from "../http/connection/listening.ts"
import { about, type Finding } from "./Finding.ts"

const ANSWER_TIMEOUT_MS = 5_000

const ports = about("ports")
const peers = about("others")

/** Each address is free, or a service of ours answers there. */
export const checkPorts = ({ host, metrics, node, port }: SettingsShape): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.promise(async () => {
    const own = port === 0 ? undefined : { host, port }
    return (await Promise.all([free(own, "PORT"), free(metrics?.address, "AGON_METRICS", metrics?.asked), freeForNodes(node, own)])).flat()
  })

/** The finding about an address where no program listens; undefined where one does. */
const notTaken = async (address: Address, variable: string): Promise<Finding | undefined> => {
  const code = await codeAt(address)
  const at = `${variable}: ${textOf(address)}`
  if (code === undefined) return ports.fine(`${at} is free`)
  return code === "EADDRINUSE"
    ? undefined
    : ports.broken(`${at} cannot be listened on (${code}); use an address of this machine, from 1024 on where not root`)
}

/** `asked`: the service does not start without it. Where it was not asked for, the service starts without metrics. */
const free = async (address: Address | undefined, variable: string, asked = true): Promise<ReadonlyArray<Finding>> => {
  if (address === undefined) return []
  const at = textOf(address)
  const found = await notTaken(address, variable)
  if (found !== undefined) return [found]
  if (await answers(address, "/healthz"))
    return [ports.fine(`${variable}: a service answers at ${at}; where that is not this one, choose another port`)]
  return asked
    ? [ports.broken(`${variable}: another program listens on ${at}; stop it or choose another port`)]
    : [ports.mend(`${variable}: another program listens on ${at}, so there is no /metrics; choose another port, or off`)]
}

/** Nobody but nodes is answered there, so it is this node's where its service answers. */
const freeForNodes = async (node: Address | undefined, own: Address | undefined): Promise<ReadonlyArray<Finding>> => {
  if (node === undefined) return []
  const found = await notTaken(node, "AGON_NODE")
  if (found !== undefined) return [found]
  return own !== undefined && (await answers(own, "/healthz"))
    ? [ports.fine(`AGON_NODE: ${textOf(node)} is listened on, as by the service that runs`)]
    : [ports.broken(`AGON_NODE: another program listens on ${textOf(node)}; stop it or choose another port`)]
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

/** The collector and a site elsewhere take connections. The service works without them, but not as it should. */
export const checkOthers = ({ otlp_url, site }: SettingsShape) =>
  Effect.promise(() =>
    Promise.all([
      reached(otlp_url === undefined ? undefined : addressOf(otlp_url), "OTLP_URL", "spans and metrics are lost"),
      reached(typeof site === "string" ? undefined : site, "AGON_SITE", "visitors get no pages")
    ]).then((found) => found.flat())
  )

const addressOf = (url: string): Address => {
  const { hostname, port, protocol } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) }
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

export const textOf = ({ host, port }: Address) => `${host.includes(":") ? `[${host}]` : host}:${port}`
