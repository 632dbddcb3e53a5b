/** Part of a program's life that hangs on the program which started it. */
import { Effect } from "effect"

/** The part of Node's `process.stdin` that is used. */
interface Input {
  readonly on: (event: "end" | "error", listener: () => void) => Input
  readonly resume: () => unknown
  readonly destroy: () => unknown
}

/** Ends when `stdin` closes, which it does when the process that holds its other end has ended, even by a kill. */
export const untilClosed = (stdin: Input): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    stdin.on("end", () => resume(Effect.void)).on("error", () => resume(Effect.void))
    stdin.resume()
    // An open standard input would keep the process of a program that has ended alive for ever.
    return Effect.sync(() => void stdin.destroy())
  })
