/** Reads the PNGs that the site makes, and checks all of their bytes; for tests. */
import { crc32, inflateSync } from "node:zlib"

const SIGNATURE = "89504e470d0a1a0a"

export interface Decoded {
  readonly width: number
  readonly height: number
  /** `#rrggbb` */
  readonly colour: (x: number, y: number) => string
}

/** Throws where anything is not as the standard has it. */
export const decodePng = (bytes: Uint8Array): Decoded => {
  const png = Buffer.from(bytes)
  const is = (right: boolean, what: string) => {
    if (!right) throw new Error(`not a PNG as expected: ${what}`)
  }
  is(png.subarray(0, 8).toString("hex") === SIGNATURE, "its signature")
  const chunks = new Map<string, Buffer>()
  let at = 8
  while (at < png.length) {
    const length = png.readUInt32BE(at)
    const type = png.toString("latin1", at + 4, at + 8)
    is(crc32(png.subarray(at + 4, at + 8 + length)) === png.readUInt32BE(at + 8 + length), `the sum of ${type}`)
    is(!chunks.has(type), `${type} once`)
    chunks.set(type, png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  is([...chunks.keys()].join(" ") === "IHDR PLTE IDAT IEND" && at === png.length, "its chunks")
  const header = chunks.get("IHDR")!
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  is(header.length === 13 && header.subarray(8).toString("hex") === "0803000000", "eight bits of a palette")
  const palette = chunks.get("PLTE")!
  const rows = inflateSync(chunks.get("IDAT")!)
  is(rows.length === height * (width + 1), "its pixels")
  for (let y = 0; y < height; y++) is(rows[y * (width + 1)] === 0, "rows without a filter")
  const colour = (x: number, y: number) => {
    is(x >= 0 && x < width && y >= 0 && y < height, `a pixel at ${x}, ${y}`)
    const index = rows[y * (width + 1) + 1 + x]!
    is(3 * index < palette.length, "a colour of its palette")
    return `#${palette.toString("hex", 3 * index, 3 * index + 3)}`
  }
  return { width, height, colour }
}
