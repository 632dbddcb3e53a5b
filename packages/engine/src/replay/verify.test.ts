import { assert, describe, it } from "vitest"
import { canonicalSha256 } from "../canonicalJson.ts"
import { othelloBoards } from "../othello/boards.ts"
import { othello } from "../othello/othello.ts"
import { boardsOf, engines } from "../registry.ts"
import { snakesBoards } from "../snakes/boards.ts"
import { snakes } from "../snakes/snakes.ts"
import { record } from "./testing/recorded.ts"
import { frameAt, lastView, summarize, verify } from "./verify.ts"

/** A replay as it comes out of a file, free to tamper with. */
const file = (value: unknown): any => JSON.parse(JSON.stringify(value))

/** A match of five seats with strikes, food and outs; and one of othello with passes and strikes. */
const five = record(snakes, snakesBoards[5]!, 3)
const white = record(othello, othelloBoards[1]!, 4, 5)

const dropLastTurn = (replay: any): void => {
  replay.moves.pop()
  replay.strikes = replay.strikes.filter((strike: { readonly turn: number }) => strike.turn < replay.moves.length)
}

const problemPaths = (value: unknown): ReadonlyArray<string> => {
  const verdict = verify(value)
  return verdict.ok ? [] : verdict.problems.map((problem) => problem.path)
}

describe("verify", () => {
  it("confirms every recorded match", () => {
    for (const engine of engines) {
      for (const board of boardsOf(engine.slug)) {
        for (const seed of [0, 1, 0xffff_ffff]) {
          const { replay, state } = record(engine, board, seed)
          const { reason, turns, scores, ranks, strikes } = engine.result(state)
          const expected = { ok: true, reason, turns, scores, ranks, strikes, state_sha256: replay.state_sha256 }
          assert.deepStrictEqual<unknown>(verify(file(replay)), expected, `${board.map_id}, seed ${seed}`)
        }
      }
    }
  })

  it("uses matches with enough events", () => {
    const kinds = (events: ReadonlyArray<{ readonly kind: string }>) => [...new Set(events.map((event) => event.kind))].sort()
    assert.deepStrictEqual(kinds(five.replay.events), ["food", "out"])
    assert.includeMembers(kinds(white.replay.events), ["opening", "pass"])
    for (const { replay } of [five, white]) assert.isNotEmpty(replay.strikes)
  })

  const tampered: ReadonlyArray<readonly [title: string, paths: ReadonlyArray<string>, tamper: (replay: any) => void]> = [
    ["a digest of another engine", ["engine_digest"], (r) => (r.engine_digest = "0".repeat(64))],
    ["another board hash", ["board_sha256"], (r) => (r.board_sha256 = "0".repeat(64))],
    ["another state hash", ["state_sha256"], (r) => (r.state_sha256 = "0".repeat(64))],
    ["another reason", ["reason"], (r) => (r.reason = "all_out")],
    ["fewer turns", ["turns"], (r) => r.turns--],
    ["a score", ["scores[1]"], (r) => r.scores[1]++],
    ["a rank", ["ranks[0]"], (r) => (r.ranks[0] = r.ranks[0] === 2 ? 1 : 2)],
    ["an event left out", ["events[2]"], (r) => r.events.splice(2, 1)],
    ["the last event left out", ["events"], (r) => r.events.pop()],
    ["an event too many", ["events"], (r) => r.events.push({ turn: 3, kind: "food", cell: 7 })],
    ["an event in another turn", ["events[1]"], (r) => r.events[1].turn++],
    ["the board, its hash as before", ["board_sha256"], (r) => (r.board.map_id = "other")],
    ["a strike left out", ["moves[S][T]"], (r) => r.strikes.shift()],
    [
      "a strike on a seat that acted",
      ["strikes[0]"],
      (r) => r.strikes.unshift({ turn: 0, seat: r.moves[0][0] === null ? 1 : 0, code: "crash" })
    ],
    ["an action where the seat was struck", ["strikes[0]"], (r) => (r.moves[r.strikes[0].turn][r.strikes[0].seat] = 1)],
    ["the last turn left out", ["moves"], dropLastTurn]
  ]
  for (const [title, paths, tamper] of tampered) {
    it(`catches ${title}`, () => {
      for (const { replay } of [five, white]) {
        const changed = file(replay)
        tamper(changed)
        const { turn, seat } = replay.strikes[0]!
        const expected = paths.map((path) => path.replace("S", String(turn)).replace("T", String(seat)))
        assert.includeMembers([...problemPaths(changed)], expected)
      }
    })
  }

  it("catches every single move turned into another that changes what came of the match", () => {
    let missed = 0
    let tried = 0
    for (const { replay } of [five, white]) {
      const gone = new Set(replay.events.flatMap((event) => (event.kind === "out" ? [event.seat] : [])))
      replay.moves.forEach((row, turn) => {
        row.forEach((move, seat) => {
          if (move === null) return
          const changed = file(replay)
          changed.moves[turn][seat] = replay === five.replay ? (move + 1) % 4 : (move + 1) % replay.board.rows
          tried++
          if (problemPaths(changed).length > 0) return
          // The path of a body that is gone leaves no trace in the final state if it touched nothing.
          assert.isTrue(gone.has(seat), `moves[${turn}][${seat}]`)
          missed++
        })
      })
    }
    assert.isBelow(missed / tried, 0.1)
  })

  it("catches another seed", () => {
    for (const { replay } of [five, white]) assert.isNotEmpty(problemPaths({ ...replay, seed: replay.seed + 1 }))
  })

  it("catches other rules", () => {
    for (const { replay } of [five, white]) {
      assert.isNotEmpty(problemPaths({ ...replay, rules: { max_turns: replay.turns - 1, strike_limit: 3 } }))
      assert.isNotEmpty(problemPaths({ ...replay, rules: { max_turns: 150, strike_limit: 1 } }))
    }
  })

  it("catches another board with its hash made right", () => {
    const board = { ...five.replay.board, food: [], walls: [] }
    assert.isNotEmpty(problemPaths({ ...five.replay, board, board_sha256: canonicalSha256(board) }))
  })

  it("catches turns after the end, and names them", () => {
    const row = five.replay.seats.map(() => 0)
    assert.deepStrictEqual(problemPaths({ ...five.replay, moves: [...five.replay.moves, row] }), [`moves[${five.replay.turns}]`])
  })

  it("catches a move of a seat that is out or not to act, and one missing", () => {
    const out = five.replay.events.find((event) => event.kind === "out" && event.turn < five.replay.turns - 1)
    assert.strictEqual(out?.kind, "out")
    const late = file(five.replay)
    if (out?.kind === "out") late.moves[out.turn + 1][out.seat] = 0
    assert.deepStrictEqual(problemPaths(late), out?.kind === "out" ? [`moves[${out.turn + 1}][${out.seat}]`] : [])
    const other = file(white.replay)
    const turn = other.moves.findIndex((row: ReadonlyArray<number | null>) => row[0] !== null)
    other.moves[turn][1] = 3
    assert.deepStrictEqual(problemPaths(other), [`moves[${turn}][1]`])
    other.moves[turn] = [null, null]
    assert.deepStrictEqual(problemPaths(other), [`moves[${turn}][0]`])
  })

  it("catches a masked action without playing it", () => {
    const changed = file(white.replay)
    const turn = changed.moves.findIndex((row: ReadonlyArray<number | null>) => row[0] !== null)
    const taken = white.replay.events.find((event) => event.kind === "opening")
    changed.moves[turn][0] = taken?.kind === "opening" ? taken.cell : 0
    assert.deepStrictEqual(problemPaths(changed), [`moves[${turn}][0]`])
  })
})

describe("summarize", () => {
  it("computes the outcome from the moves, whatever the replay claims", () => {
    const honest = summarize(five.replay)
    assert.isTrue(honest.ok)
    const lie = { ...five.replay, scores: [1, 2, 3, 4, 5], ranks: [5, 4, 3, 2, 1], reason: "won", events: [], state_sha256: "0".repeat(64) }
    assert.deepStrictEqual(summarize(lie), honest)
  })

  it("refuses what cannot be played", () => {
    assert.isFalse(summarize({ ...five.replay, moves: five.replay.moves.slice(1) }).ok)
    for (const value of [undefined, null, 3, [], {}, "replay"]) assert.isFalse(summarize(value).ok)
  })
})

describe("frames", () => {
  it("show the state after each number of turns", () => {
    for (const { replay, state } of [five, white] as const) {
      const engine = engines.find((one) => one.slug === replay.game)!
      assert.deepStrictEqual(lastView(file(replay)), engine.view(state))
      assert.deepStrictEqual(frameAt(replay, replay.turns), engine.view(state))
      assert.deepStrictEqual(frameAt(replay, 0), engine.view(engine.init(replay.board, replay.seed, replay.rules)))
      assert.notDeepEqual(frameAt(replay, 1), frameAt(replay, 2))
    }
  })

  it("are null where there is no such turn or the match cannot be played again to the state it names", () => {
    assert.isNull(frameAt(five.replay, five.replay.turns + 1))
    assert.isNull(frameAt(five.replay, -1))
    assert.isNull(lastView({ ...five.replay, state_sha256: "0".repeat(64) }))
    assert.isNull(lastView({ ...five.replay, game: "chess" }))
    for (const value of [undefined, null, 3, {}, { moves: 5 }]) assert.isNull(lastView(value))
  })
})
