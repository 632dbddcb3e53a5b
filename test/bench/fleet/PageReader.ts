/**
 * A visitor's connection, which asks for one page at a time, compressed as browsers do, and does not look at it. Written on the socket, since 5,000 pages a
 * second by node's own client take more than a core, which the service is to have.
 */
import { connect, type Socket } from "node:net"

const HEAD_END = "\r\n\r\n"

export class PageReader {
  readonly #from: { readonly host: string; readonly port: number; readonly localAddress: string }
  #socket: Socket | undefined
  #head: Buffer = Buffer.alloc(0)
  /** Bytes of the body that have not come; undefined within the head. */
  #left: number | undefined
  #status = 0
  #answered: ((status: number) => void) | undefined

  constructor(port: number, localAddress: string) {
    this.#from = { host: "127.0.0.1", port, localAddress }
  }

  /** The status, 0 where the connection was refused or broken off. */
  read(path: string): Promise<number> {
    this.#socket ??= this.#connected()
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: agon.example\r\nAccept-Encoding: gzip, br\r\n\r\n`)
    return new Promise((resolve) => {
      this.#answered = resolve
    })
  }

  end(): void {
    this.#socket?.destroy()
  }

  #connected(): Socket {
    const socket = connect({ ...this.#from, noDelay: true })
    socket.on("data", (chunk: Buffer) => this.#take(chunk)).on("error", () => {})
    return socket.on("close", () => {
      this.#socket = undefined
      this.#left = undefined
      this.#head = Buffer.alloc(0)
      this.#answer(0)
    })
  }

  #take(chunk: Buffer): void {
    if (this.#left === undefined) {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
      const end = this.#head.indexOf(HEAD_END)
      if (end < 0) return
      const head = this.#head.toString("latin1", 0, end)
      this.#status = Number(head.slice(9, 12))
      this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(head)![1]) - (this.#head.length - end - HEAD_END.length)
      this.#head = Buffer.alloc(0)
    } else this.#left -= chunk.length
    if (this.#left > 0) return
    this.#left = undefined
    this.#answer(this.#status)
  }

  #answer(status: number): void {
    const answered = this.#answered
    this.#answered = undefined
    answered?.(status)
  }
}
