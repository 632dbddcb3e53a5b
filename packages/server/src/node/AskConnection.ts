/**
 * This node's connection to another, over which it asks that node's seasons: an upgrade of a request to the nodes' port.
 *
 *   dialling ──101──▶ open ──idle, closed or broken──▶ over: asks under way have failed
 *      │               └──an ask was given up and nothing was heard since it was sent──▶ retired: over once no ask is under way
 *      └─any other answer, or none─▶ over: the asks that wait go by requests of their own
 *
 * Asks wait while it is dialled, while as many are under way as may be, and while the other node does not read.
 */
import * as http from "node:http"
import * as https from "node:https"
import type { Socket } from "node:net"
import type { NodeTls } from "../config/nodeTls.ts"
import { ANSWER_BYTES_MAX, type PeerAnswer } from "./AskServer.ts"
import { type Frame, ID_COUNT } from "./FrameReader.ts"
import { FRAMES, FrameSocket } from "./FrameSocket.ts"
import * as NodeAddress from "./nodeAddress.ts"

/** Asks under way at one node; further ones wait. */
const CALLS_MAX = 256
/** From the beginning until the upgrade. */
const DIAL_MS = 3_000
const LIMITS = { text_bytes_max: ANSWER_BYTES_MAX, idle_ms: 30_000 }

export interface Call {
  readonly text: string
  readonly answered: (answer: PeerAnswer) => void
  /** The node did not answer; whether it has done what it was asked is unknown. */
  readonly away: (reason: string) => void
  /** It was never sent, and goes by a request of its own. */
  readonly alone: () => void
}

interface Target {
  readonly address: string
  readonly path: string
  readonly authorization: string
  readonly tls: NodeTls | undefined
}

/** How a connection came to be over: `refused` where something listens there that does not upgrade. */
interface Over {
  readonly refused: boolean
  /** The fault in the other side's bytes, which no node sends; undefined where there is none. */
  readonly broken: string | undefined
}

interface Asked extends Call {
  /** Absent while it waits. */
  id?: number
  sent_ms?: number
}

export class AskConnection {
  readonly #over: (how: Over) => void
  readonly #dialled: http.ClientRequest
  readonly #waiting = new Set<Asked>()
  readonly #sent = new Map<number, Asked>()
  #frames: FrameSocket | undefined
  #next_id = 0
  #heard_ms = 0
  #isOver = false

  /** `over` is told once that no further ask may be added. */
  constructor(target: Target, over: (how: Over) => void) {
    this.#over = over
    this.#dialled = dial(target)
    this.#dialled.on("upgrade", (_response, socket, head) => this.#open(socket as Socket, head))
    this.#dialled.on("response", (response) => {
      response.destroy()
      this.#end({ refused: true, broken: undefined })
    })
    // Hung up once there was a connection: a node of an earlier release does so.
    this.#dialled.on("error", ({ code }: NodeJS.ErrnoException) => this.#end({ refused: code === "ECONNRESET", broken: undefined }))
  }

  /** Returns how the ask is given up. */
  add(call: Call): () => void {
    const asked: Asked = { ...call }
    this.#waiting.add(asked)
    this.#send()
    return () => this.#giveUp(asked)
  }

  close(): void {
    this.#dialled.destroy()
    this.#frames?.destroy()
  }

  #open(socket: Socket, head: Buffer): void {
    this.#frames = new FrameSocket(socket, LIMITS, {
      heard: (frame) => this.#heard(frame),
      drained: () => this.#send(),
      closed: (broken) => this.#end({ refused: false, broken })
    })
    this.#frames.begin(head)
    this.#send()
  }

  #send(): void {
    for (const asked of this.#waiting) {
      if (this.#frames === undefined || this.#sent.size >= CALLS_MAX || this.#frames.isCongested) return
      this.#waiting.delete(asked)
      asked.id = this.#next_id
      asked.sent_ms = performance.now()
      this.#next_id = (this.#next_id + 1) % ID_COUNT
      this.#sent.set(asked.id, asked)
      this.#frames.send({ id: asked.id, status: 0, text: asked.text })
    }
  }

  #heard({ id, status, text }: Frame): void {
    if (status === 0) return this.#frames!.break("it sent an ask where answers are sent")
    this.#heard_ms = performance.now()
    const asked = this.#sent.get(id)
    if (asked === undefined) return // it was given up
    this.#sent.delete(id)
    asked.answered({ status, text })
    this.#goOn()
  }

  #giveUp(asked: Asked): void {
    this.#waiting.delete(asked)
    if (asked.id === undefined || !this.#sent.delete(asked.id)) return
    if (this.#heard_ms < asked.sent_ms!) this.#retire({ refused: false, broken: undefined })
    this.#goOn()
  }

  #goOn(): void {
    if (!this.#isOver) this.#send()
    else if (this.#sent.size === 0) this.close()
  }

  /** No ask is added any more; those that were not sent go alone. */
  #retire(how: Over): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#over(how)
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const asked of waiting) asked.alone()
  }

  #end(how: Over): void {
    this.#retire(how)
    const sent = [...this.#sent.values()]
    this.#sent.clear()
    for (const asked of sent) asked.away("the connection to it has ended")
  }
}

const dial = ({ address, authorization, path, tls }: Target): http.ClientRequest => {
  const headers = { authorization, connection: "Upgrade", upgrade: FRAMES }
  // `setTimeout` of the request would begin once there is a connection, which the system gives up after two minutes.
  const to = { agent: false, ...NodeAddress.read(address), path, headers, timeout: DIAL_MS } as const
  const dialled = tls === undefined ? http.request(to) : https.request({ ...to, ...tls })
  // With an error of its own: without one the request would say that it was hung up, as by an earlier release.
  dialled.on("timeout", () => dialled.destroy(new Error("there was no connection in time")))
  dialled.end()
  return dialled
}
