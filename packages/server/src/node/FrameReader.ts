/**
 * Frames on a connection between nodes, in both directions:
 *
 *   bytes of the text (4) | id of the ask (4) | status (2) | the text in UTF-8
 *
 * Numbers are big-endian. An ask has the status 0, its answer has the ask's id and a status as HTTP has them.
 */

export interface Frame {
  readonly id: number
  readonly status: number
  readonly text: string
}

const HEADER_BYTES = 10
export const ID_COUNT = 2 ** 32

/** Whether the text takes more bytes; nearly always its length alone says that it does not. */
export const isLonger = (text: string, bytes_max: number): boolean => text.length * 3 > bytes_max && Buffer.byteLength(text) > bytes_max

/** All of them in one piece of memory, so that the socket takes them in one write. */
export const encodeFrames = (frames: ReadonlyArray<Frame>): Buffer => {
  const sizes = frames.map(({ text }) => Buffer.byteLength(text))
  const whole = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + HEADER_BYTES + size, 0))
  let at = 0
  for (const [i, { id, status, text }] of frames.entries()) {
    whole.writeUInt32BE(sizes[i]!, at)
    whole.writeUInt32BE(id, at + 4)
    whole.writeUInt16BE(status, at + 8)
    whole.write(text, at + HEADER_BYTES)
    at += HEADER_BYTES + sizes[i]!
  }
  return whole
}

export class FrameReader {
  readonly #text_bytes_max: number
  #parts: Array<Buffer> = []
  #bytes = 0
  #needed = HEADER_BYTES

  constructor(text_bytes_max: number) {
    this.#text_bytes_max = text_bytes_max
  }

  /** The frames that the chunk completes; undefined where one is announced that is longer than it may be: nothing after it can be read. */
  read(chunk: Buffer): ReadonlyArray<Frame> | undefined {
    this.#parts.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#needed) return []
    const whole = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#bytes)
    const frames: Array<Frame> = []
    let at = 0
    this.#needed = HEADER_BYTES
    while (whole.length - at >= HEADER_BYTES) {
      const size = whole.readUInt32BE(at)
      if (size > this.#text_bytes_max) return undefined
      const end = at + HEADER_BYTES + size
      if (end > whole.length) {
        this.#needed = HEADER_BYTES + size
        break
      }
      const text = whole.toString("utf8", at + HEADER_BYTES, end)
      frames.push({ id: whole.readUInt32BE(at + 4), status: whole.readUInt16BE(at + 8), text })
      at = end
    }
    this.#parts = at === whole.length ? [] : [whole.subarray(at)]
    this.#bytes = whole.length - at
    return frames
  }
}
