/**
 * The strict reader of a replay file. It checks shapes, ranges and order; the engine checks the board, and `verify` checks
 * the match itself. It never throws, and its work is bounded by the size that the match may have.
 */
import type { BoardError, BoardFile, Engine, MatchEvent, MatchRules, StrikeCode } from "../Engine.ts"
import { engineOf } from "../registry.ts"
import { Faults, type Members, readArray, readInteger, readObject, readSlug, readString, under } from "../untrusted.ts"
import type { Moves, Replay, ReplaySeat, Strike } from "./Replay.ts"

export type FindEngine = (slug: string) => Engine<any, any> | undefined

export type ReadReplay =
  | { readonly ok: true; readonly replay: Replay; readonly engine: Engine<any, any> }
  | { readonly ok: false; readonly problems: ReadonlyArray<BoardError> }

const keys = [
  "format",
  "game",
  "engine_digest",
  "runtime_version",
  "rules",
  "board",
  "board_sha256",
  "seed",
  "seats",
  "moves",
  "strikes",
  "events",
  "reason",
  "turns",
  "scores",
  "ranks",
  "state_sha256"
] as const

export const readReplay = (value: unknown, find: FindEngine = engineOf): ReadReplay => {
  const faults = new Faults()
  if (value === undefined) faults.add("", "must be an object")
  const members = readObject(faults, "", value, keys)
  if (members === undefined) return { ok: false, problems: faults.list }
  readString(faults, "format", members["format"], /^replay\/1$/, '"replay/1"')
  const game = readSlug(faults, "game", members["game"])
  const engine = game === undefined ? undefined : find(game)
  if (game !== undefined && engine === undefined) faults.add("game", `${game} is not a game known here`)
  const board = engine === undefined ? undefined : readBoard(faults, engine, members["board"])
  const rules = readRules(faults, members["rules"])
  // Without game, board and rules the rest cannot be checked.
  if (engine === undefined || board === undefined || rules === undefined) return { ok: false, problems: faults.list }
  const { seats, actions, turn_limit } = engine.spec(board)
  const turns_max = Math.min(turn_limit, rules.max_turns)
  const moves = readMoves(faults, members["moves"], turns_max, seats, actions)
  const replay: Replay = {
    format: "replay/1",
    game: engine.slug,
    engine_digest: readHash(faults, "engine_digest", members["engine_digest"])!,
    runtime_version: readString(
      faults,
      "runtime_version",
      members["runtime_version"],
      /^[\x20-\x7e]{1,256}$/,
      "1 to 256 plain characters"
    )!,
    rules,
    board,
    board_sha256: readHash(faults, "board_sha256", members["board_sha256"])!,
    seed: readInteger(faults, "seed", members["seed"], 0, 0xffff_ffff)!,
    seats: readSeats(faults, members["seats"], seats)!,
    moves: moves!,
    strikes: readStrikes(faults, members["strikes"], moves?.length ?? 0, seats)!,
    events: readEvents(faults, members["events"], turns_max, seats, board)!,
    reason: readReason(faults, "reason", members["reason"])!,
    turns: readInteger(faults, "turns", members["turns"], 0, turns_max)!,
    scores: readIntegers(faults, "scores", members["scores"], seats, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)!,
    ranks: readIntegers(faults, "ranks", members["ranks"], seats, 1, seats)!,
    state_sha256: readHash(faults, "state_sha256", members["state_sha256"])!
  }
  return faults.list.length > 0 ? { ok: false, problems: faults.list } : { ok: true, replay, engine }
}

const readHash = (faults: Faults, path: string, value: unknown): string | undefined =>
  readString(faults, path, value, /^[0-9a-f]{64}$/, "64 lower-case hex digits")

const readReason = (faults: Faults, path: string, value: unknown): string | undefined =>
  readString(faults, path, value, /^[a-z_]{1,64}$/, "a reason of lower-case letters and underscores")

const readBoard = (faults: Faults, engine: Engine<any, any>, value: unknown): BoardFile | undefined => {
  if (value === undefined) return undefined
  const check = engine.checkBoard(value)
  if (check.ok) return check.board
  for (const { path, message } of check.errors) faults.add(path === "" ? "board" : under("board", path), message)
}

const readRules = (faults: Faults, value: unknown): MatchRules | undefined => {
  const members = readObject(faults, "rules", value, ["max_turns", "strike_limit"])
  if (members === undefined) return undefined
  const max_turns = readInteger(faults, "rules.max_turns", members["max_turns"], 1, 5000)
  const strike_limit = readInteger(faults, "rules.strike_limit", members["strike_limit"], 1, 100)
  return max_turns === undefined || strike_limit === undefined ? undefined : { max_turns, strike_limit }
}

/** An array of exactly `length` entries. */
const readEntries = (faults: Faults, path: string, value: unknown, length: number): ReadonlyArray<unknown> | undefined => {
  const entries = readArray(faults, path, value, length)
  if (entries === undefined || entries.length === length) return entries
  return faults.add(path, `must have ${length} entries, not ${entries.length}`)
}

const readIntegers = (faults: Faults, path: string, value: unknown, length: number, min: number, max: number) =>
  readEntries(faults, path, value, length)?.map((entry, index) => readInteger(faults, `${path}[${index}]`, entry, min, max)!)

const readSeats = (faults: Faults, value: unknown, seats: number): ReadonlyArray<ReplaySeat> | undefined =>
  readEntries(faults, "seats", value, seats)?.map((entry, seat) => {
    const path = `seats[${seat}]`
    const members = readObject(faults, path, entry, ["weights_sha256", "manifest_sha256"])
    return {
      weights_sha256: readHash(faults, `${path}.weights_sha256`, members?.["weights_sha256"])!,
      manifest_sha256: readHash(faults, `${path}.manifest_sha256`, members?.["manifest_sha256"])!
    }
  })

const readMoves = (faults: Faults, value: unknown, turns_max: number, seats: number, actions: number): ReadonlyArray<Moves> | undefined =>
  readArray(faults, "moves", value, turns_max)?.map((entry, turn) => {
    const row = readEntries(faults, `moves[${turn}]`, entry, seats) ?? []
    return row.map((move, seat) => {
      // Nearly every entry is valid, and building its path would cost more than reading it.
      if (move === null || (Number.isInteger(move) && (move as number) >= 0 && (move as number) < actions)) return move as number | null
      return readInteger(faults, `moves[${turn}][${seat}]`, move, 0, actions - 1)!
    })
  })

const readStrikes = (faults: Faults, value: unknown, turns: number, seats: number): ReadonlyArray<Strike> | undefined => {
  let before = -1
  return readArray(faults, "strikes", value, turns * seats)?.map((entry, index) => {
    const path = `strikes[${index}]`
    const members = readObject(faults, path, entry, ["turn", "seat", "code"])
    const turn = readInteger(faults, `${path}.turn`, members?.["turn"], 0, turns - 1)!
    const seat = readInteger(faults, `${path}.seat`, members?.["seat"], 0, seats - 1)!
    const known = /^(?:timeout|shape|non_finite|crash)$/
    const code = readString(faults, `${path}.code`, members?.["code"], known, "timeout, shape, non_finite or crash") as StrikeCode
    const place = turn * seats + seat
    if (place <= before) faults.add(path, "must come after the one before it, by turn and then seat")
    before = place
    return { turn, seat, code }
  })
}

/** At most, everybody leaves and food appears in one turn, and an opening fills a few cells before the first. */
const readEvents = (faults: Faults, value: unknown, turns_max: number, seats: number, board: BoardFile) =>
  readArray(faults, "events", value, turns_max * 2 + seats * 2 + 16)?.map((entry, index) => {
    const path = `events[${index}]`
    const kind = readString(
      faults,
      `${path}.kind`,
      typeof entry === "object" && entry !== null ? ((entry as Members)["kind"] ?? null) : null,
      /^(?:out|food|opening|pass)$/,
      "out, food, opening or pass"
    ) as MatchEvent["kind"] | undefined
    if (kind === undefined) return undefined!
    const members = readObject(faults, path, entry, eventKeys[kind])
    const turn = readInteger(faults, `${path}.turn`, members?.["turn"], 0, turns_max)!
    const seat = readInteger(faults, `${path}.seat`, members?.["seat"], 0, seats - 1)!
    const cell = readInteger(faults, `${path}.cell`, members?.["cell"], 0, board.rows * board.cols - 1)!
    return makeEvent(kind, turn, seat, cell, readReason(faults, `${path}.reason`, members?.["reason"])!)
  })

const eventKeys: Readonly<Record<MatchEvent["kind"], ReadonlyArray<string>>> = {
  out: ["turn", "kind", "seat", "reason"],
  food: ["turn", "kind", "cell"],
  opening: ["turn", "kind", "seat", "cell"],
  pass: ["turn", "kind", "seat"]
}

const makeEvent = (kind: MatchEvent["kind"], turn: number, seat: number, cell: number, reason: string): MatchEvent => {
  if (kind === "out") return { turn, kind, seat, reason }
  if (kind === "food") return { turn, kind, cell }
  return kind === "opening" ? { turn, kind, seat, cell } : { turn, kind, seat }
}
