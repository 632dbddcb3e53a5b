/**
 * Asks of another node's seasons, with the nodes' credential: for what is asked so often that the cluster's messages would cost more than
 * the work. They share one connection to each node (AskConnection.ts); a request of its own took both nodes ten times the CPU.
 *
 *   ask ──▶ the connection, dialled where there is none ──▶ its answer, or away
 *    ├─ longer than a frame, or the node has refused the upgrade in the last seconds, as an earlier release does ─▶ a POST of its own
 *    └─ was waiting when the connection ended ─▶ a POST of its own
 */

import * as http from "node:http"
import * as https from "node:https"
import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { seldom } from "@agon/api/program/seldom.ts"
import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import type { NodeTls } from "../config/nodeTls.ts"
import type { Address } from "../config/variables.ts"
import { AskConnection, type Call } from "./AskConnection.ts"
import { ANSWER_BYTES_MAX, ASK_BYTES_MAX, type PeerAnswer } from "./AskServer.ts"
import { nodesCredential } from "./credential.ts"
import { isLonger } from "./FrameReader.ts"
import * as NodeAddress from "./nodeAddress.ts"

/** Where other nodes ask, at AGON_NODE and with the nodes' credential: by POST, or by an upgrade for many asks. */
export const ASKS_PATH = "/nodes/asks"

/** The other node did not answer; whether it has done what it was asked is unknown. */
export class PeerAway extends Schema.TaggedError<PeerAway>()("PeerAway", { address: Schema.String, reason: Schema.String }) {}

interface Link {
  /** This node's address for the others, `host:port`. */
  readonly self: string
  /** Asks the node at `host:port`. Interrupted, the ask is given up. */
  readonly ask: (address: string, text: string) => Effect.Effect<PeerAnswer, PeerAway>
}

/** Undefined where there is a single node. */
export class PeerLink extends Context.Reference<Link | undefined>("agon/PeerLink", { defaultValue: () => undefined }) {
  static readonly layerOf = (node: Address, secret: Redacted.Redacted, tls: NodeTls | undefined): Layer.Layer<never> =>
    Layer.effect(PeerLink, makeLink(NodeAddress.written(node), nodesCredential(secret), tls))
}

/** Connections to one node for asks that go alone; further ones wait for one of them. */
const SOCKETS_MAX = 128
/** So long a node that has refused the upgrade is not asked for it again. */
const REFUSED_MS = 10_000
const NODES_MAX = 1_024

const makeLink = Effect.fnUntraced(function* (self: string, authorization: string, tls: NodeTls | undefined) {
  const post = posting(yield* agentOf(tls), tls !== undefined, authorization)
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const told = seldom("the connection to another node was closed")
  const refused_ms = new CappedMap<string, number>(NODES_MAX)
  const connections = new Map<string, AskConnection>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const connection of connections.values()) connection.close()
    })
  )

  const dialled = (address: string): AskConnection => {
    const connection = new AskConnection({ address, path: ASKS_PATH, authorization, tls }, ({ broken, refused }) => {
      if (connections.get(address) === connection) connections.delete(address)
      if (refused) refused_ms.set(address, performance.now())
      if (broken !== undefined) fork(told({ reason: broken, fields: { node: address, reason: broken } }))
    })
    connections.set(address, connection)
    return connection
  }
  const goesAlone = (address: string, text: string) =>
    performance.now() - (refused_ms.get(address) ?? Number.NEGATIVE_INFINITY) < REFUSED_MS || isLonger(text, ASK_BYTES_MAX)

  return {
    self,
    ask: (address: string, text: string) =>
      Effect.callback<PeerAnswer, PeerAway>((resume) => {
        const answered = (answer: PeerAnswer) => resume(Effect.succeed(answer))
        const away = (reason: string) => resume(Effect.fail(new PeerAway({ address, reason })))
        let giveUp = () => {}
        const alone = () => {
          giveUp = post(address, { text, answered, away })
        }
        if (goesAlone(address, text)) alone()
        else giveUp = (connections.get(address) ?? dialled(address)).add({ text, answered, away, alone })
        return Effect.sync(() => giveUp())
      })
  }
})

const agentOf = (tls: NodeTls | undefined) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const kept = { keepAlive: true, maxSockets: SOCKETS_MAX }
      return tls === undefined ? new http.Agent(kept) : new https.Agent({ ...kept, ...tls })
    }),
    (agent) => Effect.sync(() => agent.destroy())
  )

/** Asks by a request of its own; returns how it is given up. */
const posting = (agent: http.Agent, secure: boolean, authorization: string) => (address: string, asked: Omit<Call, "alone">) => {
  const away = ({ message }: Error) => asked.away(message)
  const body = Buffer.from(asked.text)
  const headers = { authorization, "content-type": "application/json", "content-length": body.length }
  const at = { ...NodeAddress.read(address), path: ASKS_PATH }
  const request = (secure ? https : http).request({ agent, ...at, method: "POST", headers }, (response) => {
    let text = ""
    response.setEncoding("utf8")
    response.on("data", (chunk: string) => {
      text += chunk
      if (text.length > ANSWER_BYTES_MAX) response.destroy(new Error("its answer is longer than any that a node gives"))
    })
    response.on("end", () => asked.answered({ status: response.statusCode!, text }))
    response.on("error", away)
  })
  request.on("error", away)
  request.end(body)
  return () => {
    request.destroy()
  }
}
