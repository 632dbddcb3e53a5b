/**
 * Environment variables of the runner and the site, which both read the service's address and numbers. An
 * empty value counts as unset; a wrong one ends the start with one sentence. The service's own variables are
 * in packages/server/src/config.
 */
import { Config, Data, Effect } from "effect"

/** One sentence that says what to mend; the process ends with status 2. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

export const refuse = (message: string) => Effect.fail(new Refused({ message }))

/** The variable's text without blanks around it, `or` where it is unset. */
export const text = (name: string, or: string): Effect.Effect<string> =>
  Effect.map(Effect.orDie(Config.String(name).pipe(Config.withDefault(or))), (value) => (value.trim() === "" ? or : value.trim()))

/** The fault of a URL, in words, where it has more than a web server's address: requests carry no user, and paths are added at its end. */
export const excessOf = (value: string): string | undefined => {
  const { password, username } = new URL(value)
  if (username + password !== "") return "has a user or a password, and no request carries these"
  return /[?#]/.test(value) ? "goes on behind a ? or #" : undefined
}

const faultOf = (value: string): string | undefined =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? excessOf(value) : "is no http(s) address"

export const isWebAddress = (value: string): boolean => faultOf(value) === undefined

/** A value as an error repeats it: not at all where it may hold a password. */
const shown = (value: string) => (/[@?#]/.test(value) ? "what it holds" : value)

/** An http or https URL, without a slash at its end. */
export const webAddress = (name: string, or: string): Effect.Effect<string, Refused> =>
  Effect.flatMap(text(name, or), (value) => {
    const fault = faultOf(value)
    return fault === undefined ? Effect.succeed(value.replace(/\/$/, "")) : refuse(`${name}: ${shown(value)} ${fault}.`)
  })

/** A whole number from `min` to `max`, both included. */
export const whole = (
  name: string,
  or: number,
  { max, min }: { readonly min: number; readonly max: number }
): Effect.Effect<number, Refused> =>
  Effect.flatMap(text(name, String(or)), (value) => {
    const count = Number(value)
    const fits = /^\d+$/.test(value) && count >= min && count <= max
    return fits ? Effect.succeed(count) : refuse(`${name}: ${value} is no whole number from ${min} to ${max}.`)
  })
