/**
 * Parts of a picture as SVG text. A picture has classes and presentation attributes only, so that a content security policy without
 * inline styles shows it; `pictureStyles` has the colours of both schemes. Whatever comes from outside goes through `plainText`.
 */

/** The side of a cell in the picture's own units. */
export const CELL = 20

const TEXT_MAX = 80
/** Control characters and halves of pairs, which XML cannot hold, and characters that turn the direction of the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu

/** Text of somebody else's in one short line, not yet escaped. */
export const plainText = (text: string, most = TEXT_MAX): string => {
  const characters = [...text.slice(0, most * 8).replace(UNPRINTABLE, "")]
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("")
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!)

export interface Frame {
  readonly kind: string
  readonly rows: number
  readonly cols: number
  readonly title: string
  readonly description: string
}

/** A screen reader reads the title and, where it is asked to, the description. */
export const framed = ({ kind, rows, cols, title, description }: Frame, parts: ReadonlyArray<string>): string =>
  `<svg class="agon-picture ${kind}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${cols * CELL} ${rows * CELL}" role="img">` +
  `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>${parts.join("")}</svg>`

/** The ground of a board and the lines between its cells. */
export const ground = (rows: number, cols: number): string => {
  const across = Array.from({ length: rows - 1 }, (_, row) => `M0 ${(row + 1) * CELL}H${cols * CELL}`)
  const down = Array.from({ length: cols - 1 }, (_, col) => `M${(col + 1) * CELL} 0V${rows * CELL}`)
  return `<rect class="ground" width="${cols * CELL}" height="${rows * CELL}"/><path class="lines" d="${[...across, ...down].join("")}"/>`
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** The middle of a cell. */
export const middle = (cell: number, cols: number): Point => ({
  x: ((cell % cols) + 0.5) * CELL,
  y: (Math.floor(cell / cols) + 0.5) * CELL
})

/** Walls and blocked cells: filled, and crossed so that colour is not all that marks them. */
export const walls = (cells: ReadonlyArray<number>, cols: number): string => {
  if (cells.length === 0) return ""
  const corners = cells.map((cell) => `M${(cell % cols) * CELL} ${Math.floor(cell / cols) * CELL}`)
  const filled = corners.map((corner) => `${corner}h${CELL}v${CELL}h-${CELL}z`).join("")
  const crossed = corners.map((corner) => `${corner}l${CELL} ${CELL}m0-${CELL}l-${CELL} ${CELL}`).join("")
  return `<path class="wall" d="${filled}"/><path class="cross" d="${crossed}"/>`
}

/** The mark of a cell: that a seat left the match there, or that it moved there last. */
export interface Mark {
  readonly cell: number
  readonly seat: number
  readonly kind: "out" | "last"
}

export const mark = ({ cell, seat, kind }: Mark, cols: number): string => {
  const { x, y } = middle(cell, cols)
  if (kind === "out") return `<path class="out s${seat}" d="M${x - 7} ${y - 7}l14 14m0-14l-14 14"/>`
  return `<rect class="last" x="${x - 9}" y="${y - 9}" width="18" height="18" rx="3"/>`
}
