/**
 * Whether the nodes that run know this one as a node, before it joins them. One with secrets of its own, or that speaks TLS where they do not
 * or by another authority, would be given seasons, and no other node could ask for them then: every request there that concerns such a
 * season would be 503.
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

/** One that has not answered by then says nothing about secrets and certificates. */
const ANSWER_TIMEOUT_MS = 3_000
/** Nobody is there any more, or there is no way to it now. */
const GONE: ReadonlyArray<string | undefined> = [
  "ECONNREFUSED",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENOTFOUND",
  "EAI_AGAIN"
]
/** After that a node that broke a request off because it ends has ended. */
const AGAIN_AFTER = "1 second"

interface Own {
  readonly node: Address
  readonly secret: Redacted.Redacted
  readonly tls: NodeTls | undefined
}

/** The status of its answer, or the error where there is a listener that does not answer; undefined where nobody says anything. */
const answerOf = (address: string, { secret, tls }: Own) =>
  Effect.callback<number | string | undefined>((resume) => {
    const headers = { authorization: nodesCredential(secret) }
    const to = { agent: false, ...NodeAddress.read(address), path: NODES_PATH, headers, timeout: ANSWER_TIMEOUT_MS } as const
    const request = tls === undefined ? http.request(to) : https.request({ ...to, ...tls })
    const say = (answer: number | string | undefined) => {
      request.destroy()
      resume(Effect.succeed(answer))
    }
    request.on("response", ({ statusCode }) => say(statusCode))
    request.on("timeout", () => say(undefined))
    request.on("error", ({ code, message }: NodeJS.ErrnoException) => say(GONE.includes(code) ? undefined : (code ?? message)))
    request.end()
    return Effect.sync(() => request.destroy())
  })

const settled = Effect.fnUntraced(function* (address: string, own: Own) {
  const answer = yield* answerOf(address, own)
  return typeof answer === "string" ? yield* Effect.delay(answerOf(address, own), AGAIN_AFTER) : answer
})

/** Why the nodes that run could not speak to this one, in a sentence; undefined where they could. */
export const strangerTo = Effect.fnUntraced(function* (own: Own) {
  const others = yield* runningBeside(NodeAddress.written(own.node))
  const answers = yield* Effect.forEach(others, (address) => settled(address, own), { concurrency: "unbounded" })
  const refusing = others.filter((_, n) => answers[n] === UNKNOWN)
  if (refusing.length > 0)
    return `AGON_DATA: its secrets are not those of the nodes that run (${refusing.join(", ")}); copy the files of AGON_DATA/secrets from one of these`
  const broken = answers.findIndex((answer) => typeof answer === "string")
  if (broken === -1) return undefined
  return (
    `AGON_NODE_CERT: the node that runs at ${others[broken]} and this one do not understand each other (${answers[broken]}); ` +
    "all nodes have certificates of one authority, or none has"
  )
})

/** Refuses the start of such a node. */
export const knownToOthers = (own: Own) =>
  Effect.flatMap(strangerTo(own), (reason) => (reason === undefined ? Effect.void : Effect.fail(refuse(reason))))
