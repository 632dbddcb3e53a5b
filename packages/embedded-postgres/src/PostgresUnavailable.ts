import { Data } from "effect"

/**
 * Which input has to change before a start can succeed: the options, the directory, Postgres's
 * programs, or none that we know.
 */
export type Fault = "options" | "directory" | "programs" | "child"

/**
 * Why there is no server, in one line for a person. `child` is a program of Postgres that failed, with the
 * last lines of its output. A caller that took the directory from a setting puts the setting's name in front.
 */
export class PostgresUnavailable extends Data.TaggedError("PostgresUnavailable")<{ readonly fault: Fault; readonly message: string }> {}

export const unavailable = (fault: Fault, message: string) => new PostgresUnavailable({ fault, message: message.replace(/\s*\n\s*/g, " ") })
