/**
 * The lines that our programs log: one object of JSON each, or a line for people where they are read on a
 * terminal. This file is here since this is the package that every program imports.
 *
 * A line has a time, a level and a message, then the fields that were logged with it and the annotations
 * around it. No key comes twice: a field whose key is taken by another value gets `_` behind it. Text from
 * outside cannot begin a line nor steer a terminal, since every control and format character is written as
 * its escape; it has an end, and secrets, tokens and e-mail addresses in it are left out.
 */
import { Cause, Effect, Formatter, type Layer, Logger, type LogLevel, References } from "effect"
import { Told } from "./Told.ts"

/** Characters of a field or message that are written; of a cause, with its stack, more. */
const TEXT_MAX = 2_000
const CAUSE_MAX = 8_000

const REDACTED = "<redacted>"
/** Secrets as they look in text, and what stands instead. */
const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bagon_[a-z]{2}_[\w-]+/g, REDACTED], // runner keys
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g, REDACTED], // 32 random bytes: sessions, states, device codes
  [/\b(Bearer|Basic) +[\w.~+/=-]{16,}/gi, `$1 ${REDACTED}`],
  [/:\/\/[^\s/?#"'@]{1,500}@/g, `://${REDACTED}@`],
  [/([?&](?:X-Amz-(?:Signature|Credential|Security-Token)|signature|token|code|state)=)[^\s&"'\\]+/gi, `$1${REDACTED}`],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,24}\b/gi, REDACTED] // e-mail addresses
]

/** Control and format characters, line separators, halves of surrogate pairs, and characters that mean nothing. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu
const escaped = (text: string): string =>
  text.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max)}...`)
const withoutSecrets = (text: string): string => SECRETS.reduce((left, [secret, instead]) => left.replace(secret, instead), text)
/**
 * Cut before and after, so that the work is bounded and so is what is written; a secret is longer in
 * text than what stands for it.
 */
const written = (text: string, max = TEXT_MAX): string => cut(withoutSecrets(cut(text, 2 * max)), max)

type Value = string | number | boolean | null
interface Line {
  readonly message: string
  readonly fields: ReadonlyMap<string, Value>
  readonly cause: string | undefined
}

const isFailure = (value: unknown): value is Cause.Cause<unknown> | Error => Cause.isCause(value) || value instanceof Error

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

const textOf = (value: unknown): string => (typeof value === "string" ? value : Formatter.format(value))

const valueOf = (value: unknown): Value => {
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return value as Value
  return written(textOf(value))
}

/** Errors beneath one that are looked at. */
const CAUSES_MAX = 8
/** The error and those that caused it. */
const chainOf = (error: unknown): ReadonlyArray<Error> => {
  const chain: Array<Error> = []
  for (let next = error; next instanceof Error && chain.length < CAUSES_MAX; next = next.cause) chain.push(next)
  return chain
}
const errorsIn = (failure: Cause.Cause<unknown> | Error): ReadonlyArray<Error> =>
  Cause.isCause(failure)
    ? failure.reasons.flatMap((reason) =>
        reason._tag === "Interrupt" ? [] : chainOf(reason._tag === "Fail" ? reason.error : reason.defect)
      )
    : chainOf(failure)

/** Typed errors have fields instead of a message. */
const factsOf = (error: Error): string =>
  Object.entries(error)
    .filter(([name]) => name !== "_tag" && name !== "name")
    .map(([name, value]) => `${name}=${Formatter.format(value)}`)
    .join(" ")

const isTold = (errors: ReadonlyArray<Error>): boolean => errors.length > 0 && errors.every((error) => error instanceof Told)

/** The sentences of errors that have one, otherwise their trace. */
const traceOf = (failure: Cause.Cause<unknown> | Error): string => {
  const errors = errorsIn(failure)
  return isTold(errors) ? errors.map(({ message }) => message).join("\n") : traceWithFacts(failure, errors)
}

/** Writes the facts of errors without a message behind their names, where the trace has the bare name. */
const traceWithFacts = (failure: Cause.Cause<unknown> | Error, errors: ReadonlyArray<Error>): string =>
  errors
    .filter(({ message }) => message === "")
    .reduce(
      (trace, error) => {
        const lines = trace.split("\n")
        const at = lines.findIndex((line) => line.replace(/^ *(\[cause\]: )?|:? *$/g, "") === error.name)
        return at === -1 ? trace : lines.with(at, `${lines[at]!.replace(/:? *$/, "")}: ${factsOf(error)}`).join("\n")
      },
      Cause.isCause(failure) ? Cause.pretty(failure) : (failure.stack ?? String(failure))
    )

const TAKEN = ["time", "level", "message", "cause"]

const lineOf = ({ cause, fiber, message }: Logger.Options<unknown>): Line => {
  const said: Array<string> = []
  const causes = cause.reasons.length === 0 ? [] : [traceOf(cause)]
  const fields = new Map<string, Value>()
  const add = (named: Readonly<Record<string, unknown>>): void => {
    for (const [name, given] of Object.entries(named)) {
      if (isFailure(given)) causes.push(traceOf(given))
      if (given === undefined || isFailure(given)) continue
      const value = valueOf(given)
      let key = name
      while (TAKEN.includes(key) || (fields.has(key) && fields.get(key) !== value)) key += "_"
      fields.set(key, value)
    }
  }
  for (const part of Array.isArray(message) ? message : [message]) {
    if (isFailure(part)) causes.push(traceOf(part))
    else if (isPlain(part)) add(part)
    else said.push(textOf(part))
  }
  add(fiber.getRef(References.CurrentLogAnnotations))
  return {
    message: written(said.join(" ")),
    fields,
    cause: causes.length === 0 ? undefined : written(causes.join("\n"), CAUSE_MAX)
  }
}

const levelOf = (level: LogLevel.LogLevel): string => level.toLowerCase()

/** One object a line. */
export const json: Logger.Logger<unknown, string> = Logger.make((options) => {
  const { cause, fields, message } = lineOf(options)
  const head = { time: options.date.toISOString(), level: levelOf(options.logLevel), message }
  return escaped(JSON.stringify({ ...head, ...Object.fromEntries(fields), cause }))
})

const BARE = /^[^\s"=\\]+$/
const shown = (value: Value): string => escaped(typeof value === "string" && !BARE.test(value) ? JSON.stringify(value) : String(value))

/** For people: only lines of a cause follow, and they are indented. */
export const human: Logger.Logger<unknown, string> = Logger.make((options) => {
  const { cause, fields, message } = lineOf(options)
  const time = options.date.toISOString().replace("T", " ").replace(/\..*/, "Z")
  const rest = [...fields].map(([key, value]) => ` ${key}=${shown(value)}`).join("")
  const traced = (cause?.split("\n") ?? []).map((line) => `\n    ${escaped(line)}`).join("")
  return `${time} ${levelOf(options.logLevel).toUpperCase().padEnd(5)} ${escaped(message)}${rest}${traced}`
})

interface To {
  /** Whether the stream is a terminal. */
  readonly isTTY?: boolean | undefined
}

/** Instead of all other loggers, on standard output. */
const layer = ({ isTTY }: To): Layer.Layer<never> => Logger.layer([Logger.withConsoleLog(isTTY === true ? human : json)])

/**
 * A program whose lines go there, the last one too, that says why it ended; so it is run without a
 * report of failures by others.
 */
export const around =
  (to: To) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapCause(program, (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logFatal("the program ended", cause))).pipe(
      Effect.provide(layer(to))
    )

/** On standard error, for programs whose standard output is their answer. */
export const layerError = ({ isTTY }: To): Layer.Layer<never> => Logger.layer([Logger.withConsoleError(isTTY === true ? human : json)])
