/**
 * Tests that hold for every game: the two registered ones and a third that exists only for tests. A test here that had to
 * know its game would show a gap in the interface.
 */
import { assert, describe, it } from "vitest"
import type { BoardFile, Choice } from "./Engine.ts"
import type { Game } from "./Game.ts"
import { Mulberry32 } from "./Mulberry32.ts"
import { playMatch } from "./play.ts"
import { boardsOf, engineOf, engines, gameOf, games } from "./registry.ts"
import { readReplay } from "./replay/readReplay.ts"
import { record, seededPlayer } from "./replay/testing/recorded.ts"
import { frameAt, lastView, summarize, verify } from "./replay/verify.ts"
import { game as nim } from "./testing/nim/game.ts"

const all: ReadonlyArray<Game<any, any>> = [...games, nim]
const find = (slug: string) => all.map(({ engine }) => engine).find((engine) => engine.slug === slug)

describe("the registry", () => {
  it("finds a game by its slug only", () => {
    for (const engine of engines) {
      assert.strictEqual(engineOf(engine.slug), engine)
      assert.strictEqual(gameOf(engine.slug)?.engine, engine)
    }
    assert.deepStrictEqual(
      games.map(({ engine }) => engine.slug),
      engines.map(({ slug }) => slug)
    )
    for (const slug of ["", "nim", "Snakes", "__proto__"]) {
      assert.isUndefined(engineOf(slug))
      assert.isUndefined(gameOf(slug))
      assert.isEmpty(boardsOf(slug))
    }
  })
})

for (const { engine, boards, picture, isSafe } of all) {
  const rules = { max_turns: 120, strike_limit: 3 }
  const play = (board: BoardFile, seed: number, strike_chance: number) => {
    const { seats, rows, cols, masked } = engine.spec(board)
    const players = Array.from({ length: seats }, (_, seat) => seededPlayer(seed + seat, rows * cols, masked, strike_chance))
    return playMatch(engine, board, seed, rules, players)
  }

  describe(`as a game, ${engine.slug}`, () => {
    it("reads its own boards unchanged and refuses invalid ones", () => {
      for (const board of boards) assert.deepStrictEqual<unknown>(engine.checkBoard(JSON.parse(JSON.stringify(board))), { ok: true, board })
      for (const file of [undefined, null, 0, "", [], {}, { ...boards[0], extra: 1 }]) assert.isFalse(engine.checkBoard(file).ok)
    })

    it("has boards, each with a name of its own among those of all games", () => {
      assert.isNotEmpty(boards)
      const names = all.flatMap((game) => game.boards.map(({ map_id }) => map_id))
      for (const { map_id } of boards) assert.strictEqual(names.filter((name) => name === map_id).length, 1, map_id)
    })

    it("has a specification that its boards agree with", () => {
      for (const board of boards) {
        const spec = engine.spec(board)
        assert.deepStrictEqual([spec.seats, spec.rows, spec.cols], [board.players, board.rows, board.cols])
        assert.isTrue(spec.seats >= engine.players.min && spec.seats <= engine.players.max)
      }
    })

    it("is the same for the same seed and choices, down to the canonical state", () => {
      for (const board of boards) {
        const [one, two] = [play(board, 5, 2), play(board, 5, 2)]
        assert.deepStrictEqual(engine.canonical(one.state), engine.canonical(two.state))
        assert.deepStrictEqual(one.result, two.result)
      }
    })

    it("has a seat to act in every turn, fills every number of an observation, and has a legal fallback", () => {
      for (const board of boards) {
        const spec = engine.spec(board)
        const state = engine.init(board, 9, rules)
        const view = new Float32Array(spec.planes * spec.rows * spec.cols)
        const legal = new Uint8Array(spec.actions)
        let turns = 0
        for (; engine.status(state) === "running"; turns++) {
          const acting = engine.toAct(state)
          assert.isNotEmpty(acting)
          assert.deepStrictEqual(
            [...acting],
            [...new Set(acting)].sort((a, b) => a - b)
          )
          assert.throws(() => engine.result(state), RangeError)
          const before = JSON.stringify(engine.canonical(state))
          for (const seat of acting) {
            engine.observe(state, seat, view.fill(Number.NaN))
            engine.legal(state, seat, legal.fill(7))
            assert.isTrue(view.every(Number.isFinite))
            assert.isTrue(legal.every((one) => one === 1 || (spec.masked && one === 0)))
            assert.strictEqual(legal[engine.fallback(state, seat)], 1)
          }
          assert.strictEqual(JSON.stringify(engine.canonical(state)), before, "looking changes nothing")
          const choices: Array<Choice> = new Array(spec.seats).fill(null)
          for (const seat of acting) choices[seat] = engine.fallback(state, seat)
          engine.step(state, choices)
        }
        assert.isEmpty(engine.toAct(state))
        assert.strictEqual(engine.result(state).turns, turns)
        assert.isAtMost(turns, Math.min(spec.turn_limit, rules.max_turns))
      }
    })

    it("refuses what is no legal action of a seat that is to act, and any turn after the end, and changes nothing by it", () => {
      for (const board of boards) {
        const spec = engine.spec(board)
        const state = engine.init(board, 9, rules)
        const legal = new Uint8Array(spec.actions)
        const refuses = (seat: number, choice: Choice) => {
          const before = JSON.stringify(engine.canonical(state))
          const choices: Array<Choice> = new Array(spec.seats).fill(null)
          for (const one of engine.toAct(state)) choices[one] = engine.fallback(state, one)
          choices[seat] = choice
          assert.throws(() => engine.step(state, choices), RangeError, undefined, `${board.map_id}: ${choice}`)
          assert.strictEqual(JSON.stringify(engine.canonical(state)), before, `${board.map_id}: ${choice}`)
        }
        for (; engine.status(state) === "running"; ) {
          const acting = engine.toAct(state)
          for (const seat of acting) {
            engine.legal(state, seat, legal)
            for (const choice of [null, -1, spec.actions, 0.5, Number.NaN, ...[...legal.keys()].filter((action) => legal[action] !== 1)])
              refuses(seat, choice)
          }
          engine.step(
            state,
            Array.from({ length: spec.seats }, (_, seat) => (acting.includes(seat) ? engine.fallback(state, seat) : null))
          )
        }
        refuses(0, 0)
      }
    })

    it("plays the fallback for a strike below the limit, so that nobody sees a difference", () => {
      for (const board of boards) {
        const spec = engine.spec(board)
        const [struck, plain] = [engine.init(board, 2, rules), engine.init(board, 2, rules)]
        const seen = (state: unknown) =>
          Array.from({ length: spec.seats }, (_, seat) => {
            const view = new Float32Array(spec.planes * spec.rows * spec.cols)
            engine.observe(state, seat, view)
            return view
          })
        for (let turn = 0; turn < rules.strike_limit - 1 && engine.status(plain) === "running"; turn++) {
          const acting = engine.toAct(plain)
          const choices = Array.from({ length: spec.seats }, (_, seat) => (acting.includes(seat) ? engine.fallback(plain, seat) : null))
          engine.step(plain, choices)
          engine.step(
            struck,
            choices.map((choice) => (choice === null ? null : "timeout"))
          )
          assert.deepStrictEqual(seen(struck), seen(plain), board.map_id)
          assert.strictEqual(engine.status(struck), engine.status(plain), board.map_id)
        }
      }
    })

    it("ranks a seat that reaches the strike limit behind all others", () => {
      const forfeits = boards.map((board) => {
        const { seats, rows, cols, masked } = engine.spec(board)
        const players = Array.from({ length: seats }, (_, seat) => seededPlayer(seat, rows * cols, masked, 0))
        const { result } = playMatch(engine, board, 2, rules, [() => "crash", ...players.slice(1)])
        assert.deepStrictEqual(result.strikes.slice(1), new Array(seats - 1).fill(0), board.map_id)
        if (result.strikes[0]! < rules.strike_limit) return false // it has left before, or the match was over
        assert.strictEqual(result.strikes[0], rules.strike_limit, board.map_id)
        assert.strictEqual(result.ranks[0], seats, board.map_id)
        return true
      })
      assert.include(forfeits, true)
    })

    it("records replays that verify, and only with their own engine", () => {
      for (const board of boards) {
        const { replay, state } = record(engine, board, 21)
        const text = JSON.parse(JSON.stringify(replay))
        assert.isTrue(readReplay(text, find).ok)
        assert.deepStrictEqual(verify(text, find), summarize(text, find))
        assert.isTrue(verify(text, find).ok)
        assert.deepStrictEqual(lastView(text, find), engine.view(state))
        assert.isNotNull(frameAt(text, 0, find))
        assert.isFalse(verify(text, () => undefined).ok)
        assert.isFalse(verify({ ...text, seed: text.seed + 1, state_sha256: "0".repeat(64) }, find).ok)
      }
    })

    it("draws a position of every board: a headline, a line per row and one per seat", () => {
      for (const board of boards) {
        const names = Array.from({ length: board.players }, (_, seat) => `model-${seat}`)
        const lines = picture(engine.view(engine.init(board, 1, rules)), names).split("\n")
        assert.strictEqual(lines.length, 1 + board.rows + board.players, board.map_id)
        assert.isTrue(
          lines.slice(1, 1 + board.rows).every((line) => line.length === 2 * board.cols - 1),
          board.map_id
        )
        for (const name of names) assert.include(lines.slice(1 + board.rows).join("\n"), name)
      }
    })

    if (isSafe !== undefined)
      it("keeps a match going for longer by the actions that it calls safe than by any legal ones", () => {
        for (const board of boards) {
          const spec = engine.spec(board)
          const turnsWith = (safe: Game["isSafe"]) => {
            const draw = new Mulberry32(4)
            const state = engine.init(board, 4, rules)
            const view = new Float32Array(spec.planes * spec.rows * spec.cols)
            const legal = new Uint8Array(spec.actions)
            let turns = 0
            for (; engine.status(state) === "running"; turns++) {
              const choices: Array<Choice> = new Array(spec.seats).fill(null)
              for (const seat of engine.toAct(state)) {
                engine.observe(state, seat, view)
                engine.legal(state, seat, legal)
                const good = [...legal.keys()].filter((action) => legal[action] === 1 && (safe?.(view, action, spec) ?? true))
                choices[seat] = good.length > 0 ? good[draw.below(good.length)]! : engine.fallback(state, seat)
              }
              engine.step(state, choices)
            }
            return turns
          }
          assert.isAbove(turnsWith(isSafe), turnsWith(undefined), board.map_id)
        }
      })

    it("has JSON for states and views, and nothing else in them", () => {
      const { state } = play(boards[0]!, 3, 0)
      for (const value of [engine.canonical(state), engine.view(state)]) assert.deepStrictEqual(JSON.parse(JSON.stringify(value)), value)
    })
  })
}
