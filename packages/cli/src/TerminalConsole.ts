/**
 * The console that every command prints to. Its lines may repeat text of somebody else, as JSON or in a sentence, and a
 * terminal obeys the characters that `plain` replaces. Here they are written as JSON escapes them, so that whoever parses JSON reads
 * what was written: in it they stand within strings alone. Lines keep their tabs, ends and colours.
 */
import { UNFIT } from "@agon/sandbox/Verdict.ts"
import { Console, Effect } from "effect"

/** The colours of Shown.ts, and those of the help. */
const KEPT = String.raw`\x1b\[(?:[012]|3[1-6])m|[\t\n]`

const kept = new RegExp(`(${KEPT})|${UNFIT.source}`, "gu")

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

const fit = (text: unknown): unknown =>
  typeof text === "string" ? text.replace(kept, (found, whole: string | undefined) => whole ?? escaped(found)) : text

/** The functions of a console that print what they are given. */
const PRINTING = ["log", "error", "info", "warn", "debug"] as const
type Print = (...texts: ReadonlyArray<unknown>) => void

const over = (console: Console.Console): Console.Console => {
  const printing = PRINTING.map((name): readonly [string, Print] => [name, (...texts) => console[name](...texts.map(fit))])
  return { ...console, ...Object.fromEntries(printing) }
}

/** Has an effect print to it. */
export const printingFit = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) => Effect.provideService(command, Console.Console, over(console)))
