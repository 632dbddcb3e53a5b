import { engineOf } from "@agon/engine/registry.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, describe, it } from "@effect/vitest"
import { checked, type Reported } from "./replayFault.ts"

const replayFault = (...asked: Parameters<typeof checked>) => checked(...asked).fault

const board = snakesBoards.find(({ players }) => players === 2)!
const { replay } = record(engineOf("snakes")!, board, 7)
const strikes = [0, 1].map((seat) => replay.strikes.filter((strike) => strike.seat === seat).length)
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const honest: Reported = {
  game: "snakes",
  engine_digest: replay.engine_digest,
  runtime_version: "test 1",
  reason: replay.reason,
  turns: replay.turns,
  state_sha256: replay.state_sha256,
  seed: 7,
  board: JSON.parse(JSON.stringify(board)),
  rules: { max_turns: 150, strike_limit: 3 },
  seats: replay.seats.map(({ manifest_sha256, weights_sha256 }, seat) => ({
    weights_hash: `sha256:${weights_sha256}`,
    manifest_hash: `sha256:${manifest_sha256}`,
    rank: replay.ranks[seat]!,
    score: replay.scores[seat]!,
    strikes: strikes[seat]!
  }))
}

describe("a replay", () => {
  it("bears out an honest report", () => {
    assert.isNull(replayFault(honest, bytesOf(replay)))
  })
  const seat = (change: Partial<Reported["seats"][number]>): Partial<Reported> => ({
    seats: honest.seats.map((row, i) => (i === 0 ? { ...row, ...change } : row))
  })
  const lies: ReadonlyArray<readonly [what: string, change: Partial<Reported>]> = [
    ["game", { game: "othello" }],
    ["engine", { engine_digest: "0".repeat(64) }],
    ["runtime", { runtime_version: "another" }],
    ["rules", { rules: { max_turns: 500, strike_limit: 3 } }],
    ["board", { board: { ...board, map_id: "other" } }],
    ["seed", { seed: 8 }],
    ["reason", { reason: "turn_limit" }],
    ["turns", { turns: replay.turns + 1 }],
    ["last state", { state_sha256: "0".repeat(64) }],
    ["ranks", seat({ rank: 3 - honest.seats[0]!.rank })],
    ["scores", seat({ score: honest.seats[0]!.score + 1 })],
    ["strikes", seat({ strikes: 7 })],
    ["weights", seat({ weights_hash: `sha256:${"a".repeat(64)}` })],
    ["manifests", seat({ manifest_hash: `sha256:${"a".repeat(64)}` })]
  ]
  for (const [what, change] of lies) {
    it(`gives away another ${what}`, () => {
      assert.match(replayFault({ ...honest, ...change }, bytesOf(replay)) ?? "nothing", new RegExp(`^The ${what} of the match: `))
    })
  }
  describe("of a match that was voided meanwhile, which has no ranks", () => {
    const voided = { ...honest, seats: honest.seats.map((row) => ({ ...row, rank: 0 })) }
    it("bears out an honest report", () => {
      assert.isNull(replayFault(voided, bytesOf(replay)))
    })
    it("gives away a false one by the rest", () => {
      const seats = voided.seats.map((row) => ({ ...row, score: row.score + 1 }))
      assert.match(replayFault({ ...voided, seats }, bytesOf(replay)) ?? "nothing", /^The scores of the match: /)
    })
  })
  it("whose moves do not lead where it says, or that is none, bears nothing out", () => {
    const moves = replay.moves.slice(0, -1)
    for (const forged of [{ ...replay, moves }, { ...replay, state_sha256: "0".repeat(64) }, {}, null, []]) {
      assert.match(replayFault(honest, bytesOf(forged)) ?? "nothing", /^The replay/)
    }
    assert.strictEqual(replayFault(honest, new Uint8Array([1, 2, 255])), "The replay is not JSON.")
    const twice = new TextEncoder().encode(JSON.stringify(replay).replace("{", '{"moves":[],'))
    assert.strictEqual(replayFault(honest, twice), 'The replay has the key "moves" twice in one object.')
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytesOf(replay)])
    assert.strictEqual(replayFault(honest, marked), "The replay begins with a byte order mark, which JSON does not have.")
  })
})
