/**
 * Whether the nodes that run know this one as a node, before it joins them. One with secrets of its own would be given seasons, and no other
 * node could ask for them then: every request there that concerns such a season would be 503.
 */

import * as http from "node:http"
import * as https from "node:https"
import { Effect, type Redacted } from "effect"
import type { NodeTls } from "../config/nodeTls.ts"
import { refuse } from "../config/StartRefused.ts"
import type { Address } from "../config/variables.ts"
import { nodesCredential, UNKNOWN } from "./credential.ts"
import { runningBeside } from "./Lookout.ts"
import * as NodeAddress from "./nodeAddress.ts"
import { NODES_PATH } from "./Peers.ts"

/** One that has not answered by then, or has died since, says nothing about the secrets. */
const ANSWER_TIMEOUT_MS = 3_000

/** The status of its answer; undefined where none came. */
const statusAt = (address: string, authorization: string, tls: NodeTls | undefined) =>
  Effect.callback<number | undefined>((resume) => {
    const to = {
      agent: false,
      ...NodeAddress.read(address),
      path: NODES_PATH,
      headers: { authorization },
      timeout: ANSWER_TIMEOUT_MS
    } as const
    const request = tls === undefined ? http.request(to) : https.request({ ...to, ...tls })
    const say = (status: number | undefined) => {
      request.destroy()
      resume(Effect.succeed(status))
    }
    request.on("response", ({ statusCode }) => say(statusCode))
    request.on("timeout", () => say(undefined))
    request.on("error", () => say(undefined))
    request.end()
    return Effect.sync(() => request.destroy())
  })

interface Own {
  readonly node: Address
  readonly secret: Redacted.Redacted
  readonly tls: NodeTls | undefined
}

/** The nodes that run and have other secrets, in a sentence; undefined where there are none. */
export const strangerTo = Effect.fnUntraced(function* ({ node, secret, tls }: Own) {
  const authorization = nodesCredential(secret)
  const others = yield* runningBeside(NodeAddress.written(node))
  const statuses = yield* Effect.forEach(others, (address) => statusAt(address, authorization, tls), { concurrency: "unbounded" })
  const refusing = others.filter((_, n) => statuses[n] === UNKNOWN)
  return refusing.length === 0
    ? undefined
    : `AGON_DATA: its secrets are not those of the nodes that run (${refusing.join(", ")}); copy the files of AGON_DATA/secrets from one of these`
})

/** Refuses the start of such a node. */
export const knownToOthers = (own: Own) =>
  Effect.flatMap(strangerTo(own), (reason) => (reason === undefined ? Effect.void : Effect.fail(refuse(reason))))
