/**
 * Matches as simple players play them instead of models: valid by the rules, and the same again
 * for whoever plays one again.
 */

import type { AuditWork, MatchWork } from "@agon/api/runner/protocol.ts"
import { playMatch } from "@agon/engine/play.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Recorder } from "@agon/engine/replay/Recorder.ts"
import { makeReplay } from "@agon/engine/replay/Replay.ts"
import { seededPlayer } from "@agon/engine/replay/testing/recorded.ts"

/** The match as its players play it; who plays it again gets the same. Of the seats in `late` each move is a timeout. */
export const played = ({ board, game, rules, seats, seed }: MatchWork | AuditWork, late: ReadonlyArray<number> = []) => {
  const engine = engineOf(game)!
  const check = engine.checkBoard(board)
  if (!check.ok) throw new Error("the board of the lease is none")
  const { cols, masked, rows } = engine.spec(check.board)
  const recorder = new Recorder()
  const players = seats.map((_, seat) =>
    late.includes(seat) ? () => "timeout" as const : seededPlayer(seed + seat, rows * cols, masked, 0)
  )
  const { result, state } = playMatch(engine, check.board, seed, rules, players, recorder)
  const models = seats.map(({ manifest, weights }) => ({
    weights_sha256: weights.hash.slice("sha256:".length),
    manifest_sha256: manifest.hash.slice("sha256:".length)
  }))
  const replay = makeReplay({ engine, board: check.board, seed, rules, runtime_version: "test", seats: models, recorder, state })
  return { replay, result }
}

/** An honest runner's report of a match that went so. */
export const toldOf = ({ seats }: MatchWork, { replay, result }: ReturnType<typeof played>) => ({
  reason: result.reason,
  turns: result.turns,
  seats: seats.map(({ seat }) => ({
    seat,
    score: result.scores[seat]!,
    rank: result.ranks[seat]!,
    strikes: result.strikes[seat]!
  })),
  state_sha256: replay.state_sha256
})
