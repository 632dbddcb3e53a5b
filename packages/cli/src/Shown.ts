/**
 * The output of a command beside its answer, on a terminal alone: a line of progress that
 * is written over, and colours.
 */
import { Config, Effect, Terminal } from "effect"

const CLEAR_LINE = "\r\x1b[2K"

const isTerminal = Effect.gen(function* () {
  const terminal = yield* Terminal.Terminal
  return (yield* terminal.columns) > 0
})

/** `end` takes the line away; nothing else should be printed before. */
export const makeProgress = Effect.fnUntraced(function* (quiet: boolean) {
  const terminal = yield* Terminal.Terminal
  const live = !quiet && (yield* isTerminal)
  const show = (text: string) => (live ? Effect.ignore(terminal.display(`${CLEAR_LINE}${text}`)) : Effect.void)
  return { show, end: show("") }
})

const CODES = { bold: 1, red: 31, green: 32 } as const

/** Paints text on a terminal, unless NO_COLOR is set (https://no-color.org); elsewhere text stays as it is. */
export const colours = Effect.gen(function* () {
  const refused = yield* Effect.orElseSucceed(Config.String("NO_COLOR"), () => "")
  const live = refused === "" && (yield* isTerminal)
  const paint = (code: number) => (text: string) => (live ? `\x1b[${code}m${text}\x1b[0m` : text)
  return { bold: paint(CODES.bold), red: paint(CODES.red), green: paint(CODES.green) }
})
