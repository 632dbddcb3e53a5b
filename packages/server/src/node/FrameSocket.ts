/**
 * A connection between nodes after its upgrade. Frames that are sent in one turn of the event loop go in one write, since a system call
 * costs more than a frame. Whoever does not read is noticed by `isCongested`, and closed when nothing moves any more.
 */
import type { Socket } from "node:net"
import { encodeFrames, type Frame, FrameReader } from "./FrameReader.ts"

/** The value of the `Upgrade` header. */
export const FRAMES = "agon-asks"
/** Bytes that wait for the other side to read, beyond which nothing is added that can wait. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024

interface Limits {
  /** The most bytes of a frame that is read. */
  readonly text_bytes_max: number
  /** After so long without a byte in either direction the connection is closed. */
  readonly idle_ms: number
}

interface Listener {
  readonly heard: (frame: Frame) => void
  /** The other side has read what it had to; told after `isCongested` was true. */
  readonly drained: () => void
  /** Once, however the connection ends: `broken` says what was wrong with what was read, if anything. */
  readonly closed: (broken: string | undefined) => void
}

export class FrameSocket {
  readonly #socket: Socket
  readonly #listener: Listener
  readonly #reader: FrameReader
  #unsent: Array<Frame> = []
  #unsent_units = 0
  /** Frames that were read while the listener had enough. */
  #unheard: Array<Frame> = []
  #isPaused = false
  #broken: string | undefined

  constructor(socket: Socket, { idle_ms, text_bytes_max }: Limits, listener: Listener) {
    this.#socket = socket
    this.#listener = listener
    this.#reader = new FrameReader(text_bytes_max)
    socket.setNoDelay(true)
    socket.setTimeout(idle_ms, () => socket.destroy())
    socket.on("error", () => undefined) // `close` follows
    socket.on("close", () => listener.closed(this.#broken))
    socket.on("drain", () => listener.drained())
    socket.on("end", () => socket.destroy()) // whoever has ended reads no answer either
  }

  /** Reads from now on, first what came with the upgrade already. */
  begin(head: Buffer): void {
    this.#read(head)
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk))
  }

  #read(chunk: Buffer): void {
    if (this.#broken !== undefined) return
    const frames = this.#reader.read(chunk)
    if (frames === undefined) return this.break("a frame is longer than any that a node sends")
    this.#unheard = this.#unheard.length === 0 ? [...frames] : [...this.#unheard, ...frames]
    this.#tell()
  }

  #tell(): void {
    const frames = this.#unheard
    let told = 0
    while (told < frames.length && !this.#isPaused && this.#broken === undefined) this.#listener.heard(frames[told++]!)
    this.#unheard = frames.slice(told)
  }

  get isCongested(): boolean {
    return this.#socket.writableLength + this.#unsent_units > UNREAD_BYTES_MAX
  }

  send(frame: Frame): void {
    this.#unsent_units += frame.text.length
    if (this.#unsent.push(frame) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const frames = this.#unsent
    this.#unsent = []
    this.#unsent_units = 0
    if (frames.length > 0 && this.#socket.writable) this.#socket.write(encodeFrames(frames))
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#tell()
    if (!this.#isPaused) this.#socket.resume()
  }

  /** Frames that were sent arrive, and the connection ends. */
  end(): void {
    this.#flush()
    this.#socket.end()
  }

  /** The bytes are none of a node's: nothing more is read. */
  break(what: string): void {
    this.#broken = what
    this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}
