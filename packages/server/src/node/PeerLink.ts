/**
 * Requests to another node over node's own client and kept connections, with the nodes' credential: for what is asked so often that the
 * cluster's messages would cost more than the work.
 */

import * as http from "node:http"
import * as https from "node:https"
import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import type { NodeTls } from "../config/nodeTls.ts"
import type { Address } from "../config/variables.ts"
import { nodesCredential } from "./credential.ts"

/** The other node did not answer; whether it has done what it was asked is unknown. */
export class PeerAway extends Schema.TaggedError<PeerAway>()("PeerAway", { address: Schema.String, reason: Schema.String }) {}

export interface PeerAnswer {
  readonly status: number
  readonly text: string
}

interface Link {
  /** This node's address for the others, `host:port`. */
  readonly self: string
  /** Sends JSON to the node at `host:port`. Interrupted, the request is given up. */
  readonly post: (address: string, path: string, json: string) => Effect.Effect<PeerAnswer, PeerAway>
}

/** Undefined where there is a single node. */
export class PeerLink extends Context.Reference<Link | undefined>("agon/PeerLink", { defaultValue: () => undefined }) {
  static readonly layerOf = (node: Address, secret: Redacted.Redacted, tls: NodeTls | undefined): Layer.Layer<never> =>
    Layer.effect(
      PeerLink,
      Effect.map(agentOf(tls), (agent) => ({
        self: `${node.host}:${node.port}`,
        post: posting(agent, tls !== undefined, nodesCredential(secret))
      }))
    )
}

/** Connections to one node; further requests wait for one of them. */
const SOCKETS_MAX = 128
/** In UTF-16 units. The work of as many matches as one ask may hold is some 100 kB. */
const ANSWER_MAX = 32 * 1024 * 1024

const agentOf = (tls: NodeTls | undefined) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const kept = { keepAlive: true, maxSockets: SOCKETS_MAX }
      return tls === undefined ? new http.Agent(kept) : new https.Agent({ ...kept, ...tls })
    }),
    (agent) => Effect.sync(() => agent.destroy())
  )

const posting =
  (agent: http.Agent, secure: boolean, authorization: string): Link["post"] =>
  (address, path, json) =>
    Effect.callback((resume) => {
      const away = ({ message }: Error) => resume(Effect.fail(new PeerAway({ address, reason: message })))
      const colon = address.lastIndexOf(":")
      const body = Buffer.from(json)
      const headers = { authorization, "content-type": "application/json", "content-length": body.length }
      const to = { agent, host: address.slice(0, colon), port: Number(address.slice(colon + 1)), path, method: "POST", headers }
      const asked = (secure ? https : http).request(to, (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
          if (text.length > ANSWER_MAX) response.destroy(new Error("its answer is longer than any that a node gives"))
        })
        response.on("end", () => resume(Effect.succeed({ status: response.statusCode!, text })))
        response.on("error", away)
      })
      asked.on("error", away)
      asked.end(body)
      return Effect.sync(() => asked.destroy())
    })
