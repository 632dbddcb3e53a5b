/**
 * Those who do not take the answer that they asked for. What node and the kernel could not send at once waits in memory, so it is
 * bounded: for each reader in time, by how long the bytes take at a slow line's pace; for an address and for all of them in bytes.
 * Beyond either the connection is closed, of whoever came last. A ready answer is one buffer however many it is sent to, so its
 * bytes are counted dearer than they are.
 */
import type { ServerResponse } from "node:http"
import { Context, Metric } from "effect"

export interface Limits {
  /** For the first bytes, and for a pause on the way. */
  readonly grace_ms: number
  /** The least pace after that. */
  readonly bytes_per_s: number
  readonly address_bytes: number
  readonly total_bytes: number
}

/** A mobile line far from its mast makes 16 KiB/s. The API's reference is 3.4 MB without compression, and 1 MB with it. */
const usual: Limits = {
  grace_ms: 20_000,
  bytes_per_s: 16_384,
  address_bytes: 16 * 1024 * 1024,
  total_bytes: 128 * 1024 * 1024
}

const LONGEST_MS = 3_600_000

export class SlowReaderLimits extends Context.Reference<Limits>("agon/SlowReaderLimits", { defaultValue: () => usual }) {}

export const slowReadersCut = Metric.counter("agon_http_slow_readers_cut_total", {
  description: "Connections closed because their answer was not taken",
  incremental: true
})

/** To be called when an answer has been written whole. */
export type Watch = (response: ServerResponse, address: string) => void

export const makeSlowReaders = (limits: Limits, context: Context.Context<never>): Watch => {
  const ofAddress = new Map<string, number>()
  let total = 0

  const count = (address: string, bytes: number) => {
    const now = (ofAddress.get(address) ?? 0) + bytes
    if (now > 0) ofAddress.set(address, now)
    else ofAddress.delete(address)
    total += bytes
    return now > limits.address_bytes || total > limits.total_bytes
  }

  const close = (response: ServerResponse) => {
    slowReadersCut.updateUnsafe(1, context)
    response.destroy()
  }

  return (response, address) => {
    const bytes = response.writableLength
    if (bytes === 0 || response.writableFinished || response.destroyed) return
    const over = count(address, bytes)
    const patience_ms = Math.min(LONGEST_MS, limits.grace_ms + (bytes / limits.bytes_per_s) * 1000)
    const timer = setTimeout(() => close(response), patience_ms).unref()
    let counted = true
    const taken = () => {
      clearTimeout(timer)
      if (counted) count(address, -bytes)
      counted = false
    }
    response.once("finish", taken).once("close", taken)
    if (over) close(response)
  }
}
