/**
 * Shows a match turn by turn from its replay. A terminal is redrawn in place and listens to keys; in a file
 * or a pipe the turns follow each other without a pause.
 */
import { engineOf, gameOf } from "@agon/engine/registry.ts"
import { choicesAt } from "@agon/engine/replay/choicesAt.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { type Cause, Console, Duration, Effect, Option, Queue, Terminal } from "effect"
import { numberFlag } from "../../numberFlag.ts"

const HOME_AND_CLEAR = "\x1b[H\x1b[2J"
const KEYS = "space pauses, arrows step, + and - change the speed, q ends"
const DELAY_MS = 120
const DELAY_MIN_MS = 1
const DELAY_MAX_MS = 8_000

export const delayFlag = numberFlag("delay-ms", "Milliseconds between turns on a terminal", DELAY_MS)

/** The views from the start to the end, one more than there are turns, of a replay that follows the rules. */
export function* viewsOf(replay: Replay): Generator<unknown> {
  const { board, game, rules, seed, turns } = replay
  const engine = engineOf(game)!
  const state = engine.init(board, seed, rules)
  yield engine.view(state)
  for (let turn = 0; turn < turns; turn++) {
    engine.step(state, choicesAt(replay, turn))
    yield engine.view(state)
  }
}

/** The strikes of the turn that led to a view, a line each. */
const strikesBefore = ({ strikes }: Replay, view: number, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  strikes.filter(({ turn }) => turn === view - 1).map(({ code, seat, turn }) => `strike of ${names[seat]} in turn ${turn}: ${code}`)

/** Where the showing is. It ends after the last turn, unless it is paused. */
export interface Showing {
  readonly turn: number
  readonly isPaused: boolean
  readonly delay_ms: number
  readonly isOver: boolean
}

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** The effect of each key; others do nothing. `last` is the last turn. */
export const press = (at: Showing, { ctrl, name }: Terminal.Key, last: number): Showing => {
  if (name === "q" || name === "escape" || (ctrl && name === "c")) return { ...at, isOver: true }
  if (name === "space") return { ...at, isPaused: !at.isPaused }
  if (name === "right") return { ...at, isPaused: true, turn: within(at.turn + 1, 0, last) }
  if (name === "left") return { ...at, isPaused: true, turn: within(at.turn - 1, 0, last) }
  if (name === "+") return { ...at, delay_ms: within(at.delay_ms / 2, DELAY_MIN_MS, DELAY_MAX_MS) }
  if (name === "-") return { ...at, delay_ms: within(at.delay_ms * 2, DELAY_MIN_MS, DELAY_MAX_MS) }
  return at
}

/** After the delay of a turn without a key. */
const goOn = (at: Showing, last: number): Showing => (at.turn < last ? { ...at, turn: at.turn + 1 } : { ...at, isOver: true })

/** Readline names no key of these two. */
const keyOf = ({ input, key }: Terminal.UserInput): Terminal.Key =>
  Option.isSome(input) && (input.value === "+" || input.value === "-") ? { ...key, name: input.value } : key

const showLive = Effect.fnUntraced(function* (frames: ReadonlyArray<string>, delay_ms: number) {
  const terminal = yield* Terminal.Terminal
  const keys = yield* terminal.readInput
  const last = frames.length - 1
  // A standard input that has ended presses no more keys, and nothing would end a pause.
  let isListening = true
  const key = Effect.catch(Effect.map(Queue.take(keys), Option.some), (_: Cause.Done) =>
    Effect.sync(() => {
      isListening = false
      return Option.none<Terminal.UserInput>()
    })
  )
  let at: Showing = { turn: 0, isPaused: false, delay_ms, isOver: false }
  let shown = -1
  while (!at.isOver) {
    if (at.turn !== shown) yield* Effect.ignore(terminal.display(`${HOME_AND_CLEAR}${frames[at.turn]}\n${KEYS}\n`))
    shown = at.turn
    const delay = Duration.millis(at.delay_ms)
    if (!isListening) {
      yield* Effect.sleep(delay)
      at = goOn(at, last)
    } else if (at.isPaused) {
      const pressed = yield* key
      if (Option.isSome(pressed)) at = press(at, keyOf(pressed.value), last)
    } else {
      const pressed = yield* Effect.timeoutOption(key, delay)
      if (Option.isNone(pressed)) at = goOn(at, last)
      else if (Option.isSome(pressed.value)) at = press(at, keyOf(pressed.value.value), last)
    }
  }
})

export const show = Effect.fnUntraced(function* (replay: Replay, names: ReadonlyArray<string>, delay_ms: number) {
  const terminal = yield* Terminal.Terminal
  const { picture } = gameOf(replay.game)!
  const frames = Array.from(viewsOf(replay), (view, turn) => [picture(view, names), ...strikesBefore(replay, turn, names)].join("\n"))
  if ((yield* terminal.columns) > 0) return yield* Effect.scoped(showLive(frames, delay_ms))
  for (const frame of frames) yield* Console.log(`${frame}\n`)
})
