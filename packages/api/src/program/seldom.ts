/**
 * Lines that would repeat themselves while something outside is away, such as the mail server or the object
 * store: the first one is logged, and then one in a minute for each reason, which counts those that were
 * left out since (`left_out`).
 */
import { type Cause, Clock, Effect, Layer, Logger } from "effect"
import { CappedMap } from "./CappedMap.ts"

const EVERY_MS = 60_000
/** Reasons that are remembered. */
const REASONS_MAX = 64

export interface Line {
  /** Which lines count as the same. */
  readonly reason: string
  readonly fields: Readonly<Record<string, string | number>>
  readonly cause?: Cause.Cause<unknown>
}

/** Whether a line with this reason is written now: then what it says of those that were left out. */
const oncePerMinute = () => {
  const last = new CappedMap<string, { readonly at_ms: number; left_out: number }>(REASONS_MAX)
  return (reason: string, now_ms: number): { readonly left_out?: number } | undefined => {
    const before = last.get(reason)
    if (before !== undefined && Math.abs(now_ms - before.at_ms) < EVERY_MS) {
      // the clock may have been set back
      before.left_out++
      return undefined
    }
    last.set(reason, { at_ms: now_ms, left_out: 0 })
    return before === undefined || before.left_out === 0 ? {} : { left_out: before.left_out }
  }
}

/** Logs warnings with this message, by their reasons. */
export const seldom = (message: string): ((line: Line) => Effect.Effect<void>) => {
  const due = oncePerMinute()
  return Effect.fnUntraced(function* ({ cause, fields, reason }) {
    const left = due(reason, yield* Clock.currentTimeMillis)
    if (left === undefined) return
    const told = { ...fields, ...left }
    yield* cause === undefined ? Effect.logWarning(message, told) : Effect.logWarning(message, told, cause)
  })
}

/** Logs the failures of work that is tried again every few seconds: a warning with this message and the first cause. */
export const seldomFailed = (message: string): ((cause: Cause.Cause<unknown>) => Effect.Effect<void>) => {
  const tell = seldom(message)
  return (cause) => tell({ reason: "", fields: {}, cause })
}

const firstOf = (message: unknown): unknown => (Array.isArray(message) ? message[0] : message)

/** For what is built on this layer: of lines of others that begin with one of these messages, each is logged once a minute. */
export const seldomSaid = (messages: ReadonlyArray<string>): Layer.Layer<never> =>
  Layer.effect(
    Logger.CurrentLoggers,
    Effect.map(Logger.CurrentLoggers, (loggers) => {
      const due = oncePerMinute()
      const passing = Logger.make<unknown, void>((options) => {
        const first = firstOf(options.message)
        const left = typeof first === "string" && messages.includes(first) ? due(first, options.date.getTime()) : {}
        if (left === undefined) return
        const said = left.left_out === undefined ? options.message : [options.message, left].flat()
        for (const logger of loggers) logger.log({ ...options, message: said })
      })
      return new Set([passing])
    })
  )
