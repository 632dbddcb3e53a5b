/** The messages between the bench and its processes of runners and readers. */

/** How the runners of all processes behave now. */
export interface Tempo {
  readonly beat_ms: number
  readonly play_ms: number
  /** False: matches that were begun are held, with heartbeats, and do not end. */
  readonly finish: boolean
}

export interface Target {
  readonly ports: ReadonlyArray<number>
  /** For runner n the key `secretOf(n)` stands in the database. */
  readonly first_runner: number
  readonly engine_digest: string
}

export type Order =
  | { readonly kind: "begin"; readonly target: Target; readonly tempo: Tempo }
  | { readonly kind: "grow"; readonly to: number }
  | { readonly kind: "tempo"; readonly tempo: Tempo }
  | { readonly kind: "read"; readonly per_s: number; readonly paths: ReadonlyArray<string> }
  /** Asks for what was measured since the last time. */
  | { readonly kind: "tell" }
  /** Matches that were begun end; then `done`. */
  | { readonly kind: "stop" }

export const OPERATIONS = ["session", "lease", "empty", "heartbeat", "upload", "result", "audit", "read"] as const
export type Operation = (typeof OPERATIONS)[number]

/** Milliseconds of each operation that succeeded, and how often each failure was seen. */
export interface Measured {
  readonly took_ms: Readonly<Record<Operation, Float64Array>>
  readonly failures: Readonly<Record<string, number>>
  readonly waiting: number
  readonly playing: number
}

export interface Done {
  /** Matches whose results were accepted. */
  readonly accepted: ReadonlyArray<string>
  /** Promises that were broken, as sentences. */
  readonly broken: ReadonlyArray<string>
}

export type News = ({ readonly kind: "told" } & Measured) | ({ readonly kind: "done" } & Done) | { readonly kind: "ready" }

/** A key has at most 128 runners that are not gone. */
const RUNNERS_A_KEY = 100
export const keyOf = (runner: number) => 1 + Math.floor(runner / RUNNERS_A_KEY)
export const secretOf = (key: number) => `agon-fleet-key-${key}`

/** The service and nginx allow an address 500 connections; a runner has one or two. */
const RUNNERS_AN_ADDRESS = 200
const address = (network: number, n: number) => `127.${network}.${n >> 8}.${1 + (n & 255) - ((n & 255) === 255 ? 1 : 0)}`
export const addressOf = (runner: number) => address(20, Math.floor(runner / RUNNERS_AN_ADDRESS))
/** Public reads are limited to 30 a second from one address. */
export const READS_AN_ADDRESS_PER_S = 20
export const readerAddressOf = (reader: number) => address(30, reader)
