/**
 * Limits for clients that do not read their answers. Bytes that node and the kernel could not send at once wait in memory, so they
 * are bounded: for each reader in time, by how long the bytes take at the pace of a slow line; for an address and for all readers
 * in bytes. Past its time a reader's connection is closed, past the bytes that of the newest reader. A cached answer is one buffer
 * for all its readers, so the count overestimates its memory.
 */
import type { ServerResponse } from "node:http"
import { Context, Metric } from "effect"

export interface Limits {
  /** The time for the first bytes, and for a pause on the way. */
  readonly grace_ms: number
  /** The minimum pace after that. */
  readonly bytes_per_s: number
  readonly address_bytes: number
  readonly total_bytes: number
}

/** A weak mobile connection makes 16 KiB/s. The API's reference is 3.4 MB without compression, and 1 MB with it. */
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

/** To be called when the whole answer has been written. */
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
