/**
 * The proof: this browser plays the match again by the rules, with the engine itself, and compares. The engine's reader bounds the
 * work by the size that a match may have, a few milliseconds, whatever the replay says.
 */
import { canonicalSha256 } from "@agon/engine/canonicalJson.ts"
import type { Engine } from "@agon/engine/Engine.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { type Summarized, summarize, verify } from "@agon/engine/replay/verify.ts"
import { plainText } from "../../src/picture/svg.ts"

export interface Difference {
  /** The turn to look at, where the difference belongs to one. */
  readonly turn: number | undefined
  readonly text: string
}

export interface Fact {
  readonly name: string
  readonly told: string
  /** Undefined where nothing is recomputed. */
  readonly found: string | undefined
}

export interface Verdict {
  readonly equal: boolean
  readonly sentence: string
  readonly differences: ReadonlyArray<Difference>
  readonly facts: ReadonlyArray<Fact>
}

const DIFFERENCES_MAX = 10

export const prove = (json: unknown, replay: Replay, engine: Engine<any, any>): Verdict => {
  const verified = verify(json)
  const summary = summarize(json)
  const facts = factsOf(replay, engine, summary)
  if (verified.ok) return { equal: true, sentence: "Recomputed here: state hash equal.", differences: [], facts }
  const others = verified.problems.filter(({ path }) => path !== "engine_digest")
  if (others.length === 0) {
    const sentence =
      "Recomputed here: state hash equal. The match was played with another build of the game's engine, and came out the same."
    return { equal: true, sentence, differences: [], facts }
  }
  const differences = others.slice(0, DIFFERENCES_MAX).map(({ message, path }) => {
    return { turn: turnOf(path, replay), text: plainText(`${path} ${message}`, 300) }
  })
  const turn = differences.find((difference) => difference.turn !== undefined)?.turn
  const where = turn === undefined ? "" : `, first in turn ${turn}`
  return { equal: false, sentence: `Recomputed here: this replay differs from what the rules give${where}.`, differences, facts }
}

/** The turn that a path like `moves[12][0]` or `events[3]` belongs to, counted as the player counts: the position after it. */
const turnOf = (path: string, { events, strikes }: Replay): number | undefined => {
  const [, list, digits] = /^(moves|strikes|events)\[(\d+)\]/.exec(path) ?? []
  if (list === undefined) return undefined
  const index = Number(digits)
  if (list === "moves") return index + 1
  const turn = (list === "strikes" ? strikes : events)[index]?.turn
  return turn === undefined ? undefined : turn + 1
}

const factsOf = (replay: Replay, engine: Engine<any, any>, summary: Summarized): ReadonlyArray<Fact> => {
  const found = (value: (of: Summarized & { readonly ok: true }) => string) => (summary.ok ? value(summary) : "not reached")
  return [
    { name: "State hash", told: replay.state_sha256, found: found(({ state_sha256 }) => state_sha256) },
    { name: "End", told: replay.reason, found: found(({ reason }) => reason) },
    { name: "Turns", told: String(replay.turns), found: found(({ turns }) => String(turns)) },
    { name: "Scores", told: replay.scores.join(", "), found: found(({ scores }) => scores.join(", ")) },
    { name: "Ranks", told: replay.ranks.join(", "), found: found(({ ranks }) => ranks.join(", ")) },
    { name: "Board hash", told: replay.board_sha256, found: canonicalSha256(replay.board) },
    { name: "Engine", told: replay.engine_digest, found: engine.digest },
    { name: "Seed", told: String(replay.seed), found: undefined },
    { name: "Turn limit", told: String(replay.rules.max_turns), found: undefined },
    { name: "Strikes allowed", told: String(replay.rules.strike_limit - 1), found: undefined },
    { name: "Runtime", told: plainText(replay.runtime_version, 256), found: undefined },
    ...replay.seats.map(({ weights_sha256 }, seat) => ({ name: `Weights of seat ${seat + 1}`, told: weights_sha256, found: undefined }))
  ]
}
