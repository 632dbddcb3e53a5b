/**
 * Matches re-played by a reader of the contract's text alone (`games/` imports nothing of
 * ours): outcome, events and final state are those that the replay tells. So the text says
 * enough, and the engines say the same.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { boardsOf, engines } from "@agon/engine/registry.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { slow } from "../support/slow.ts"
import { replayOthello } from "./games/othello.ts"
import { type Account, type Replay, sha256 } from "./games/Replay.ts"
import { replaySnakes } from "./games/snakes.ts"

const SEEDS = slow ? 400 : 12
/** Boards on which seats starve, meet head-on, and last to the end, beside those to begin with. */
const others = (slug: string) => {
  if (slug !== "snakes") return []
  const [first, , wrapped, ...rest] = boardsOf("snakes")
  const hungry = { food: [], min_food: 0, food_chance: 1 }
  return [
    { ...first!, map_id: "bare", ...hungry },
    { ...wrapped!, map_id: "short", ...hungry, max_turns: 50, food_chance: 40 },
    { ...rest.at(-1)!, map_id: "wide", ...hungry }
  ]
}
const players: Readonly<Record<string, (replay: Replay<any>) => Account>> = { snakes: replaySnakes, othello: replayOthello }

/** A replay as it comes out of a file. */
const assertReplays = (replay: object, what: string): Account => {
  const file = JSON.parse(JSON.stringify(replay)) as Replay & Account
  const account = players[file.game]!(file)
  const told = Object.fromEntries(Object.keys(account).map((key) => [key, file[key as keyof Account]]))
  assert.deepStrictEqual<unknown>(account, told, what)
  assert.strictEqual(sha256(file.board), file.board_sha256, what)
  return account
}

describe("a re-player written from the contract", () => {
  it("imports nothing of ours", () => {
    const folder = join(import.meta.dirname, "games")
    const imports = readdirSync(folder).flatMap((name) => {
      const found = readFileSync(join(folder, name), "utf8").matchAll(/\b(?:from|import|require)[\s(]*["'`](.*?)["'`]/g)
      return Array.from(found, ([, from]) => ({ name, from: from! }))
    })
    assert.includeDeepMembers(imports, [{ name: "snakes.ts", from: "./Replay.ts" }]) // so the pattern finds what there is
    for (const { from, name } of imports) assert.match(from, /^(node:crypto|\.\/Replay\.ts)$/, name)
  })

  it(`comes to what ${SEEDS} matches on each board came to, strikes, passes and every ending among them`, () => {
    const seen = new Set<string>()
    for (const engine of engines)
      for (const board of [...boardsOf(engine.slug), ...others(engine.slug)])
        for (let seed = 0; seed < SEEDS; seed++) {
          const { replay } = record(engine, board, (seed * 2_654_435_761) >>> 0, seed % 3 === 0 ? 0 : 4)
          const { reason, events } = assertReplays(replay, `${board.map_id}, seed ${seed}`)
          for (const { kind, reason: cause } of events as ReadonlyArray<{ kind: string; reason?: string }>) seen.add(cause ?? kind)
          seen.add(`ends ${reason}`)
        }
    for (const what of ["forfeit", "starved", "wall", "self", "body", "head", "food", "opening", "pass"]) assert.include([...seen], what)
    for (const reason of ["forfeit", "last_standing", "all_out", "turn_limit", "no_moves"]) assert.include([...seen], `ends ${reason}`)
  }, 300_000)
})

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("matches of models", (it) => {
  for (const [game, map_id] of [
    ["snakes", "torus-15"],
    ["snakes", "walled-11"],
    ["othello", "holes-10"]
  ] as const)
    it.effect(`of ${game} on ${map_id} are re-played to the same outcome and state`, () =>
      Effect.gen(function* () {
        const arena = yield* Arena
        const board = boardsOf(game).find((one) => one.map_id === map_id)!
        const models = zoo.filter((model) => model.game === game).map(({ build }) => build())
        const seats = Array.from({ length: board.players }, (_, seat) => {
          const { weights, manifest } = models[(models.length - 1 - seat * 2) % models.length]!
          return { weights, manifest, memory_cap_bytes: memoryCapOf(weights.length) }
        })
        const { replay } = yield* arena.play({ game, board, seed: 77, rules: { max_turns: 300, strike_limit: 3 }, seats })
        assert.isAbove(assertReplays(replay, map_id).turns, 10)
      })
    )
})
