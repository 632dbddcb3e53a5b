/**
 * The body of a form on its way to the site: read whole here, within the bound and the time of other writes, so that a slow client holds
 * nothing of the site's. A form of another origin gets no further.
 */
import type { IncomingMessage } from "node:http"
import { HeldCounts } from "@agon/api/program/HeldCounts.ts"

/** As much as the site takes (packages/site/src/http/form/posted.ts). */
const FORM_MAX_BYTES = 256 * 1024

/** The facts of a form that the site needs besides its body: its type, and by which page it was sent. */
export const FORM_HEADERS = ["content-type", "origin", "sec-fetch-site"]

export const isForm = ({ method }: IncomingMessage) => method === "POST"

/** Forms that are being read, each up to `FORM_MAX_BYTES`: of one address, and of all. */
const OF_ADDRESS_MAX = 4
const AT_ONCE_MAX = 512

/** The body, or why it was not read to its end. */
type Form = Buffer | "too_long" | "given_up"

interface Reading {
  readonly form: Promise<Form>
  readonly giveUp: () => void
}

/**
 * Reads bodies within these bounds: undefined where the address sends too many at once. Where all of them together do, the one that has
 * been read for longest is given up: a form is here within milliseconds, so it is a slow one, and else a hundred addresses that
 * send a byte now and then would keep everybody's forms out.
 */
export const makeFormReader = () => {
  const underWay = new HeldCounts()
  /** The oldest first. */
  const readings = new Set<Reading>()

  const leave = (address: string, reading: Reading) => {
    readings.delete(reading)
    underWay.leave(address)
  }

  return (request: IncomingMessage, address: string): Promise<Form> | undefined => {
    if (underWay.of(address) >= OF_ADDRESS_MAX) return undefined
    const [oldest] = readings
    if (readings.size >= AT_ONCE_MAX && oldest !== undefined) {
      readings.delete(oldest)
      oldest.giveUp()
    }
    underWay.enter(address)
    const reading = readingOf(request)
    readings.add(reading)
    return reading.form.finally(() => leave(address, reading))
  }
}

/** Fails when the client goes away, or was too slow (Connections.ts). */
const readingOf = (request: IncomingMessage): Reading => {
  const { promise, reject, resolve } = Promise.withResolvers<Form>()
  let chunks: Array<Buffer> = []
  let bytes = 0
  const stop = (why: "too_long" | "given_up") => {
    request.off("data", take).pause()
    chunks = []
    resolve(why)
  }
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > FORM_MAX_BYTES) stop("too_long")
  }
  if (Number(request.headers["content-length"] ?? 0) > FORM_MAX_BYTES) resolve("too_long")
  else {
    request.on("data", take)
    request.on("end", () => resolve(Buffer.concat(chunks)))
    request.on("error", reject)
    request.on("close", () => reject(new Error("the client went away"))) // no effect after the end
  }
  return { form: promise, giveUp: () => stop("given_up") }
}
