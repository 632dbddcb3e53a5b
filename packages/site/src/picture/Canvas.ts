/** The ground of a picture: pixels with a palette, and the few shapes that boards are made of. Parts outside it are cut off. */
import { type Pixels, png } from "./png.ts"

/** A digit in three columns and five rows, row by row. */
const DIGITS = ["111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001"].concat([
  "111100111001111",
  "111100111101111",
  "111001010010010",
  "111101111101111",
  "111101111001111"
])
const DIGIT = { rows: 5, cols: 3 }

export class Canvas {
  readonly #width: number
  readonly #height: number
  readonly #rows: Uint8Array
  readonly #palette: Array<string> = []

  constructor(width: number, height: number) {
    this.#width = width
    this.#height = height
    this.#rows = new Uint8Array(height * (width + 1))
  }

  #colour(colour: string): number {
    const index = this.#palette.indexOf(colour)
    return index === -1 ? this.#palette.push(colour) - 1 : index
  }

  /** From whole pixel to whole pixel. */
  rect(left: number, top: number, right: number, bottom: number, colour: string): void {
    const index = this.#colour(colour)
    const [from, to] = [clamp(left, this.#width), clamp(right, this.#width)]
    for (let y = clamp(top, this.#height); y < clamp(bottom, this.#height); y++) {
      const row = y * (this.#width + 1) + 1
      this.#rows.fill(index, row + from, row + to)
    }
  }

  /** Its edge is mixed with the colour of `ground`, so that it looks round. */
  disc(x: number, y: number, radius: number, colour: string, ground: string): void {
    const [edge, inner] = [this.#colour(mixed(colour, ground)), this.#colour(colour)]
    for (let row = Math.max(0, Math.floor(y - radius)); row <= Math.min(this.#height - 1, Math.ceil(y + radius)); row++) {
      this.#chord(row, x, y, radius + 0.25, edge)
      this.#chord(row, x, y, radius - 0.25, inner)
    }
  }

  /** The pixels of a row whose middles are within a circle. */
  #chord(row: number, x: number, y: number, radius: number, index: number): void {
    const square = radius ** 2 - (row + 0.5 - y) ** 2
    if (square < 0) return
    const from = Math.max(0, Math.ceil(x - Math.sqrt(square) - 0.5))
    const to = Math.min(this.#width - 1, Math.floor(x + Math.sqrt(square) - 0.5))
    const start = row * (this.#width + 1) + 1
    if (to >= from) this.#rows.fill(index, start + from, start + to + 1)
  }

  /** A digit around this middle, `height` high. */
  digit(digit: number, x: number, y: number, height: number, colour: string): void {
    const dot = Math.max(1, Math.round(height / DIGIT.rows))
    const [left, top] = [Math.round(x - (DIGIT.cols * dot) / 2), Math.round(y - (DIGIT.rows * dot) / 2)]
    for (const [i, sign] of [...DIGITS[digit]!].entries()) {
      const [right, down] = [left + (i % DIGIT.cols) * dot, top + Math.floor(i / DIGIT.cols) * dot]
      if (sign === "1") this.rect(right, down, right + dot, down + dot, colour)
    }
  }

  png(): Buffer {
    const pixels: Pixels = { width: this.#width, height: this.#height, rows: this.#rows, palette: this.#palette }
    return png(pixels)
  }
}

const clamp = (n: number, most: number): number => Math.min(most, Math.max(0, Math.round(n)))

/** Halfway between two colours. */
const mixed = (one: string, other: string): string =>
  `#${[1, 3, 5]
    .map((at) => (Number.parseInt(one.slice(at, at + 2), 16) + Number.parseInt(other.slice(at, at + 2), 16)) >> 1)
    .map((part) => part.toString(16).padStart(2, "0"))
    .join("")}`
