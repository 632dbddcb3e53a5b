/**
 * Runs `agon` within the test's own process, which spares it the start; its terminal and
 * its environment are the test's.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { type Cause, ConfigProvider, Effect, Layer, Option, Queue, Terminal } from "effect"
import { TestConsole } from "effect/testing"
import { agon, statusOf } from "../agon.ts"

export interface Ended {
  readonly status: number
  readonly out: string
  readonly err: string
  /** The text drawn on the terminal, without the lines of `out`. */
  readonly drawn: string
}

export interface Surroundings {
  /** Columns of the terminal; 0 where the output is none. */
  readonly columns?: number
  readonly environment?: Readonly<Record<string, string>>
  /** Names of the keys that are pressed, all before the command reads the first. */
  readonly keys?: ReadonlyArray<string>
}

const keyOf = (name: string): Terminal.UserInput => ({ input: Option.none(), key: { name, ctrl: false, meta: false, shift: false } })

const terminalOf = ({ columns = 0, keys = [] }: Surroundings, drawn: Array<string>) =>
  Terminal.make({
    columns: Effect.succeed(columns),
    rows: Effect.succeed(columns === 0 ? 0 : 24),
    size: Effect.die("no command asks for changes of size"),
    readInput: Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      yield* Queue.offerAll(queue, keys.map(keyOf))
      return queue
    }),
    readLine: Effect.die("no command reads lines"),
    display: (text) => Effect.sync(() => void drawn.push(text))
  })

const linesOf = (lines: ReadonlyArray<unknown>) => lines.map((line) => `${line}\n`).join("")

export const agonHere = (args: ReadonlyArray<string>, surroundings: Surroundings = {}): Promise<Ended> => {
  const drawn: Array<string> = []
  const around = Layer.mergeAll(
    TestConsole.layer,
    Layer.succeed(Terminal.Terminal, terminalOf(surroundings, drawn)),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env: surroundings.environment ?? {} }))
  ).pipe(Layer.provideMerge(NodeServices.layer))
  const ending = Effect.gen(function* () {
    const exit = yield* Effect.exit(agon(args))
    const [out, err] = [linesOf(yield* TestConsole.logLines), linesOf(yield* TestConsole.errorLines)]
    return { status: statusOf(exit), out, err, drawn: drawn.join("") }
  })
  return Effect.runPromise(Effect.provide(ending, around) as Effect.Effect<Ended>)
}
