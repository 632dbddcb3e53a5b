/** A screenshot with a palette of 256 colours: a third of the bytes, and no eye sees it in pages of text. */
import { type Pixels, png } from "@agon/site/picture/png.ts"
import type { Page } from "playwright-core"

const COLOURS_MAX = 256

interface Bitmap {
  readonly width: number
  readonly height: number
  /** Four bytes for each pixel, as a data URL. */
  readonly rgba: string
}

/** Decoded by the browser, on an empty page. */
const decode = async (screenshot: string): Promise<Bitmap> => {
  const { Blob, createImageBitmap, fetch, FileReader, OffscreenCanvas } = globalThis as any
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${screenshot}`)).blob())
  const { height, width } = image
  const canvas = new OffscreenCanvas(width, height).getContext("2d")
  canvas.drawImage(image, 0, 0)
  const reader = new FileReader()
  const read = new Promise((resume) => reader.addEventListener("load", resume))
  reader.readAsDataURL(new Blob([canvas.getImageData(0, 0, width, height).data]))
  await read
  return { width, height, rgba: reader.result }
}

interface Bucket {
  pixels: number
  readonly sum: [number, number, number]
  index: number
}

/** Colours that differ in their last three bits alone are one, and what is left after the 256 most frequent is the nearest of those. */
const pixelsOf = ({ height, rgba, width }: Bitmap): Pixels => {
  const bytes = Buffer.from(rgba.slice(rgba.indexOf(",") + 1), "base64")
  const buckets = new Map<number, Bucket>()
  const keyAt = (at: number) => ((bytes[at]! >> 3) << 10) | ((bytes[at + 1]! >> 3) << 5) | (bytes[at + 2]! >> 3)
  for (let at = 0; at < bytes.length; at += 4) {
    const key = keyAt(at)
    const bucket = buckets.get(key) ?? { pixels: 0, sum: [0, 0, 0], index: 0 }
    buckets.set(key, bucket)
    bucket.pixels++
    for (const channel of [0, 1, 2] as const) bucket.sum[channel] += bytes[at + channel]!
  }
  const mean = ({ pixels, sum }: Bucket) => sum.map((one) => Math.round(one / pixels))
  const sorted = [...buckets.values()].sort((one, other) => other.pixels - one.pixels)
  const colours = sorted.slice(0, COLOURS_MAX).map(mean)
  for (const [i, bucket] of sorted.entries()) {
    const own = mean(bucket)
    const distances = colours.map((colour) => colour.reduce((sum, channel, c) => sum + (channel - own[c]!) ** 2, 0))
    bucket.index = i < COLOURS_MAX ? i : distances.indexOf(Math.min(...distances))
  }
  const rows = new Uint8Array(height * (width + 1))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = buckets.get(keyAt(4 * (y * width + x)))!.index
  }
  return { width, height, rows, palette: colours.map((colour) => `#${Buffer.from(colour).toString("hex")}`) }
}

/** `empty` is a page without a policy. */
export const paletted = async (empty: Page, screenshot: Buffer): Promise<Buffer> =>
  png(pixelsOf(await empty.evaluate(decode, screenshot.toString("base64"))))
