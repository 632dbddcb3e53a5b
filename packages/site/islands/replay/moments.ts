/** The events of a match in sentences: all of them turn by turn for the live text, the striking ones for the timeline. */
import type { MatchEvent } from "@agon/engine/Engine.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { causeText, type Names, place, seatName } from "../../src/picture/describe.ts"
import type { Position } from "../../src/picture/Position.ts"
import type { Mark } from "../../src/picture/svg.ts"

export interface Moment {
  /** The position in which it shows, counted in turns played. */
  readonly turn: number
  readonly kind: "strike" | "out" | "end"
  readonly seat: number | undefined
  readonly text: string
}

const MOVES = ["up", "right", "down", "left"]
const CODES: Readonly<Record<string, string>> = { timeout: "too late", shape: "wrong shape", non_finite: "not a number", crash: "crashed" }
const REASONS: Readonly<Record<string, string>> = {
  last_standing: "one is left",
  all_out: "nobody is left",
  turn_limit: "the turn limit is reached",
  no_moves: "nobody can place",
  forfeit: "forfeit"
}

const reasonText = (reason: string): string => REASONS[reason] ?? reason

const strikeText = ({ code, seat }: Replay["strikes"][number], names: Names) =>
  `${seatName(seat, names)} gets a strike (${CODES[code] ?? code})`

const outText = (event: MatchEvent & { readonly kind: "out" }, names: Names) =>
  `${seatName(event.seat, names)} is out: ${causeText(event.reason)}`

/** In the order of the match; `turns` are those that can be shown. */
export const momentsOf = (replay: Replay, turns: number, names: Names): ReadonlyArray<Moment> => {
  const strikes = replay.strikes.map(
    (strike): Moment => ({ turn: strike.turn + 1, kind: "strike", seat: strike.seat, text: strikeText(strike, names) })
  )
  const outs = replay.events.flatMap(
    (event): ReadonlyArray<Moment> =>
      event.kind === "out" ? [{ turn: event.turn + 1, kind: "out", seat: event.seat, text: outText(event, names) }] : []
  )
  const end: Moment = { turn: turns, kind: "end", seat: undefined, text: endText(replay, names) }
  return [...[...strikes, ...outs].filter(({ turn }) => turn <= turns).sort((a, b) => a.turn - b.turn), end]
}

const endText = ({ ranks, reason }: Replay, names: Names): string => {
  const first = ranks.flatMap((rank, seat) => (rank === 1 ? [seatName(seat, names)] : []))
  return `The match ends: ${reasonText(reason)}. ${first.join(", ")} ${first.length === 1 ? "comes first" : "share the first rank"}`
}

/** The turn that led to the position after `turn` turns. */
export const turnText = (replay: Replay, turn: number, cols: number, names: Names): string => {
  const at = turn - 1
  const openings = replay.events.filter(({ kind }) => kind === "opening").length
  if (turn === 0) return openings === 0 ? "The start." : `The start, after an opening of ${openings} drawn discs.`
  const row = replay.moves[at] ?? []
  const moves = row.flatMap((action, seat) =>
    action === null ? [] : [`${seatName(seat, names)} ${actionText(replay.game, action, cols)}`]
  )
  const strikes = replay.strikes.filter((strike) => strike.turn === at).map((strike) => strikeText(strike, names))
  const events = replay.events.filter((event) => event.turn === at).flatMap((event) => eventText(event, cols, names))
  const passes = replay.events.flatMap((event) =>
    event.kind === "pass" && event.turn === turn ? [`${seatName(event.seat, names)} must pass`] : []
  )
  return `Turn ${turn}: ${[...moves, ...strikes, ...events, ...passes].join("; ")}.`
}

const actionText = (game: string, action: number, cols: number): string =>
  game === "othello" ? `places at ${place(action, cols)}` : `moves ${MOVES[action] ?? action}`

const eventText = (event: MatchEvent, cols: number, names: Names): ReadonlyArray<string> => {
  if (event.kind === "out") return [outText(event, names)]
  return event.kind === "food" ? [`food appears at ${place(event.cell, cols)}`] : []
}

/** Cells that the picture points out: where seats left in this turn, and in othello where the last disc was placed. */
export const marksOf = (replay: Replay, turn: number, before: Position | undefined): ReadonlyArray<Mark> => {
  const at = turn - 1
  if (before?.game === "snakes")
    return replay.events.flatMap((event): ReadonlyArray<Mark> => {
      const cell = event.kind === "out" && event.turn === at ? before.seats[event.seat]?.body[0] : undefined
      return cell === undefined ? [] : [{ cell, seat: (event as { readonly seat: number }).seat, kind: "out" }]
    })
  if (before?.game !== "othello") return []
  return (replay.moves[at] ?? []).flatMap((cell, seat): ReadonlyArray<Mark> => (cell === null ? [] : [{ cell, seat, kind: "last" }]))
}
