import { assert, describe, it } from "vitest"
import { cpuOf } from "../../../../test/support/cpuOf.ts"
import { Mulberry32 } from "../Mulberry32.ts"
import { snakesBoards } from "../snakes/boards.ts"
import { snakes } from "../snakes/snakes.ts"
import { readReplay } from "./readReplay.ts"
import { record } from "./testing/recorded.ts"
import { verify } from "./verify.ts"

const good = record(snakes, snakesBoards[3]!, 1, 6).replay

/** A replay as it comes out of a file, free to tamper with. */
const file = (): any => JSON.parse(JSON.stringify(good))

const problems = (value: unknown): ReadonlyArray<string> => {
  const read = readReplay(value)
  return read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`)
}

describe("reading a replay", () => {
  it("returns the replay as written, whatever the order of keys", () => {
    const read = readReplay(Object.fromEntries(Object.entries(file()).reverse()))
    assert.isTrue(read.ok)
    assert.deepStrictEqual(read.ok && read.replay, good)
    assert.deepStrictEqual(read.ok && Object.keys(read.replay), Object.keys(good))
  })

  for (const key of Object.keys(good)) {
    it(`refuses one without ${key}`, () => {
      const broken = file()
      delete broken[key]
      assert.include(problems(broken), `${key}: is required`)
    })
  }

  const hex = "must be 64 lower-case hex digits"
  const cases: ReadonlyArray<readonly [title: string, tamper: (replay: any) => void, problem: string]> = [
    ["an unknown key", (r) => (r.winner = 0), "winner: is not a known key"],
    ["another format", (r) => (r.format = "replay/2"), 'format: must be "replay/1"'],
    ["an unknown game", (r) => (r.game = "chess"), "game: chess is not a game known here"],
    [
      "a game that is not a slug",
      (r) => (r.game = ["snakes"]),
      "game: must be a slug of at most 64 characters (a-z, 0-9, single hyphens between)"
    ],
    ["a digest in capitals", (r) => (r.engine_digest = "A".repeat(64)), `engine_digest: ${hex}`],
    ["a hash of 63 digits", (r) => (r.state_sha256 = "a".repeat(63)), `state_sha256: ${hex}`],
    ["a hash with a line end", (r) => (r.board_sha256 = `${"a".repeat(64)}\n`), `board_sha256: ${hex}`],
    ["a long runtime version", (r) => (r.runtime_version = "v".repeat(257)), "runtime_version: must be 1 to 256 plain characters"],
    ["rules with no limit", (r) => (r.rules.max_turns = 5001), "rules.max_turns: must be from 1 to 5000, not 5001"],
    ["rules with an unknown key", (r) => (r.rules.speed = 1), "rules.speed: is not a known key"],
    ["a strike limit of 0", (r) => (r.rules.strike_limit = 0), "rules.strike_limit: must be from 1 to 100, not 0"],
    ["a board its engine refuses", (r) => (r.board.rows = 99), "board.rows: must be from 5 to 25, not 99"],
    ["a board that is null", (r) => (r.board = null), "board: must be an object"],
    ["a seed over a uint32", (r) => (r.seed = 2 ** 32), "seed: must be from 0 to 4294967295, not 4294967296"],
    ["a seed that is not whole", (r) => (r.seed = 0.5), "seed: must be a whole number"],
    ["another number of seats than the board's", (r) => r.seats.pop(), "seats: must have 4 entries, not 3"],
    ["a seat without weights", (r) => delete r.seats[1].weights_sha256, "seats[1].weights_sha256: is required"],
    ["a seat with a name", (r) => (r.seats[0].name = "x"), "seats[0].name: is not a known key"],
    ["a row with too few entries", (r) => r.moves[2].pop(), "moves[2]: must have 4 entries, not 3"],
    ["a row that is no list", (r) => (r.moves[2] = 0), "moves[2]: must be an array"],
    ["an action that the game does not have", (r) => (r.moves[0][1] = 4), "moves[0][1]: must be from 0 to 3, not 4"],
    ["an action that is no number", (r) => (r.moves[0][1] = "0"), "moves[0][1]: must be a whole number"],
    [
      "more turns than the rules allow",
      (r) => (r.moves = new Array(151).fill([0, 0, 0, 0])),
      "moves: must have at most 150 entries, not 151"
    ],
    ["an unknown strike", (r) => (r.strikes[0].code = "slow"), "strikes[0].code: must be timeout, shape, non_finite or crash"],
    [
      "a strike after the last turn",
      (r) => (r.strikes.at(-1).turn = 150),
      `strikes[${good.strikes.length - 1}].turn: must be from 0 to ${good.turns - 1}, not 150`
    ],
    ["strikes out of order", (r) => r.strikes.reverse(), "strikes[1]: must come after the one before it, by turn and then seat"],
    [
      "a strike listed twice",
      (r) => r.strikes.unshift(r.strikes[0]),
      "strikes[1]: must come after the one before it, by turn and then seat"
    ],
    ["an unknown event", (r) => (r.events[0].kind = "won"), "events[0].kind: must be out, food, opening or pass"],
    ["an event that is null", (r) => (r.events[0] = null), "events[0].kind: must be out, food, opening or pass"],
    [
      "an event with keys of another kind",
      (r) => (r.events[0] = { turn: 0, kind: "pass", seat: 0, cell: 3 }),
      "events[0].cell: is not a known key"
    ],
    [
      "an event with a cell off the board",
      (r) => (r.events[0] = { turn: 0, kind: "food", cell: 121 }),
      "events[0].cell: must be from 0 to 120, not 121"
    ],
    [
      "more events than a match can have",
      (r) => (r.events = new Array(400).fill(r.events[0])),
      "events: must have at most 324 entries, not 400"
    ],
    ["a reason of many words", (r) => (r.reason = "I won"), "reason: must be a reason of lower-case letters and underscores"],
    ["turns that are no number", (r) => (r.turns = null), "turns: must be a whole number"],
    ["scores for some", (r) => r.scores.pop(), "scores: must have 4 entries, not 3"],
    ["a score past all numbers", (r) => (r.scores[0] = 1e300), `scores[0]: must be from -9007199254740991 to 9007199254740991, not 1e+300`],
    ["a rank past the seats", (r) => (r.ranks[0] = 5), "ranks[0]: must be from 1 to 4, not 5"]
  ]
  for (const [title, tamper, problem] of cases) {
    it(`refuses ${title}`, () => {
      const broken = file()
      tamper(broken)
      assert.include(problems(broken), problem)
    })
  }

  it("never throws, whatever value is in any place", () => {
    const strange = [null, true, -1, 1.5, 1e308, "", "x", [], {}, [[]], { length: 3 }, new Array(100).fill({})]
    const random = new Mulberry32(1)
    for (let round = 0; round < 1500; round++) {
      const broken = file()
      let at = broken
      for (let depth = random.below(4); ; depth--) {
        const keys = Object.keys(at)
        const key = keys[random.below(keys.length)]!
        if (depth > 0 && typeof at[key] === "object" && at[key] !== null && Object.keys(at[key]).length > 0) at = at[key]
        else {
          at[key] = strange[random.below(strange.length)]
          break
        }
      }
      const verdict = verify(broken)
      assert.isTrue(verdict.ok || (verdict.problems.length > 0 && verdict.problems.length <= 200))
    }
  })

  it("refuses a huge hostile file at once and with few faults", () => {
    const giant = {
      ...file(),
      moves: new Array(1_000_000).fill([]),
      strikes: new Array(1_000_000).fill(0),
      events: new Array(1_000_000).fill(0)
    }
    const cpu_ms = cpuOf(() => assert.isBelow(problems(giant).length, 101))
    assert.isBelow(cpu_ms, 500)
  })
})
