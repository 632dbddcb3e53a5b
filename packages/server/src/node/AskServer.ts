/**
 * Answers the asks of other nodes on connections that were upgraded from the nodes' port: asks are answered as they come, many at a time,
 * each with its own id.
 *
 *   open ──asks──▶ answered ──▶ …        the node stops ──▶ parting: asks under way are answered, further ones sent
 *     │                                                     elsewhere, then it is closed
 *     └─ bytes that no node sends ─▶ closed, with a line in the log
 *
 * Nothing more is read while too many asks are under way, or while the other node does not read its answers.
 */
import type { Socket } from "node:net"
import { seldom } from "@agon/api/program/seldom.ts"
import { Effect, type Fiber } from "effect"
import { type Frame, isLonger } from "./FrameReader.ts"
import { FrameSocket } from "./FrameSocket.ts"

export interface PeerAnswer {
  readonly status: number
  readonly text: string
}

/** Answers an ask; undefined where no node would ask so. */
export type AnswerAsk = (text: string) => Effect.Effect<PeerAnswer | undefined>

/** An ask holds what a runner said in a body of 1 MiB; the text of its replays may take six times as much here. */
export const ASK_BYTES_MAX = 16 * 1024 * 1024
/** The work of as many matches as one ask may hold is some 100 kB. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024
/** Asks of one connection that are under way: more than the other side sends, which gives some up. */
export const ASKS_MAX = 1_024
/** The other side closes an idle connection sooner, so that no ask meets its end. */
const LIMITS = { text_bytes_max: ASK_BYTES_MAX, idle_ms: 60_000 }
/** From the parting on; whoever asks gives up by then. */
const PARTING_MS = 3_000

/** The season is not, or not any more, on this node: whoever asks looks for it elsewhere. */
export const NOT_HERE: PeerAnswer = { status: 404, text: "" }
const FAILED: PeerAnswer = { status: 500, text: "" }

export interface AskServer {
  /** Answers on this connection from now on; `head` came with the upgrade already. */
  readonly take: (socket: Socket, head: Buffer) => unknown
  /** The node stops: every connection is closed once its asks are answered, and none is taken from now on. */
  readonly part: () => void
}

export const makeAskServer = (answer: AnswerAsk): Effect.Effect<AskServer> =>
  Effect.map(Effect.context<never>(), (context) => {
    const fork = Effect.runForkWith(context)
    const told = seldom("a connection of another node was closed")
    const connections = new Set<Connection>()
    let isParting = false
    return {
      take: (socket, head) => {
        if (isParting) return socket.destroy()
        const from = `${socket.remoteAddress}`
        const ended = (reason: string | undefined) => {
          connections.delete(connection)
          if (reason !== undefined) fork(told({ reason, fields: { from, reason } }))
        }
        const connection = new Connection(socket, head, (text) => fork(answer(text)), ended)
        connections.add(connection)
      },
      part: () => {
        isParting = true
        for (const connection of connections) connection.part()
      }
    }
  })

type Answered = Fiber.Fiber<PeerAnswer | undefined>

class Connection {
  readonly #frames: FrameSocket
  readonly #answer: (text: string) => Answered
  readonly #underWay = new Set<Answered>()
  #parting = false

  constructor(socket: Socket, head: Buffer, answer: (text: string) => Answered, ended: (reason: string | undefined) => void) {
    this.#answer = answer
    this.#frames = new FrameSocket(socket, LIMITS, {
      heard: (frame) => this.#heard(frame),
      drained: () => this.#goOn(),
      closed: (broken) => {
        for (const fiber of this.#underWay) fiber.interruptUnsafe()
        ended(broken)
      }
    })
    this.#frames.begin(head)
  }

  #heard({ id, status, text }: Frame): void {
    if (status !== 0) return this.#frames.break("it sent an answer where asks are sent")
    if (this.#parting) return this.#frames.send({ id, ...NOT_HERE })
    const fiber = this.#answer(text)
    this.#underWay.add(fiber)
    fiber.addObserver((exit) => {
      this.#underWay.delete(fiber)
      const answered = exit._tag === "Success" ? exit.value : FAILED
      if (answered === undefined) return this.#frames.break("it sent an ask that no node sends")
      this.#frames.send({ id, ...(isLonger(answered.text, ANSWER_BYTES_MAX) ? FAILED : answered) })
      if (this.#parting) this.#endIfDone()
      else this.#goOn()
    })
    if (this.#isFull) this.#frames.pause()
  }

  get #isFull(): boolean {
    return this.#underWay.size >= ASKS_MAX || this.#frames.isCongested
  }

  #goOn(): void {
    if (!this.#isFull) this.#frames.resume()
  }

  part(): void {
    this.#parting = true
    setTimeout(() => this.#frames.destroy(), PARTING_MS).unref()
    this.#endIfDone()
  }

  #endIfDone(): void {
    if (this.#underWay.size === 0) this.#frames.end()
  }
}
