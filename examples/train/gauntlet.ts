/**
 * Plays models against those of the zoo:
 *
 *   node examples/train/gauntlet.ts [--game snakes] [--matches 200] [--rivals NAME,NAME] [--json] MODEL.onnx...
 *
 * So many matches of each pair, half on a board of 7x7 and half on one of 11x11 (othello: 6x6 and 8x8), with
 * two seats, each seed once from either seat. A draw is half a win; the interval is Wilson's, of 95 %. One
 * model has a line for each rival, several have a row each.
 */
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { parseArgs } from "node:util"
import type { BoardFile } from "@agon/engine/Engine.ts"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { loadPlayer, type Player, playAll } from "@agon/zoo/testing/Lockstep.ts"
import { zoo } from "@agon/zoo/zoo.ts"

const rules = { max_turns: 150, strike_limit: 3 }
const boardOf = (game: string, map_id: string) => boardsOf(game).find((board) => board.map_id === map_id)!
const open7 = boardOf("snakes", "open-7")
const corners = {
  spawns: [
    [1, 1],
    [9, 9]
  ],
  food: [
    [1, 9],
    [5, 5],
    [9, 1]
  ]
}
const games: Readonly<Record<string, ReadonlyArray<BoardFile>>> = {
  snakes: [open7, { ...open7, ...corners, map_id: "open-11", rows: 11, cols: 11 }],
  othello: [boardOf("othello", "small-6"), boardOf("othello", "classic-8")]
}

interface Score {
  readonly model: string
  readonly rival: string
  readonly matches: number
  /** Of all matches, a draw being half a win. */
  readonly won: number
  readonly low: number
  readonly high: number
}

const contest = async (game: string, own: Player, rival: Player, matches: number): Promise<number> => {
  const engine = engineOf(game)!
  let won = 0
  for (const board of games[game]!) {
    const plan = Array.from({ length: matches / 2 }, (_, index) => ({
      seed: 1000 + (index >> 1),
      players: index % 2 === 0 ? [own, rival] : [rival, own]
    }))
    const results = await playAll({ engine, board, rules, matches: plan })
    results.forEach(({ ranks }, index) => {
      const [mine, theirs] = index % 2 === 0 ? [ranks[0]!, ranks[1]!] : [ranks[1]!, ranks[0]!]
      won += mine < theirs ? 1 : mine === theirs ? 0.5 : 0
    })
  }
  return won / matches
}

const Z = 1.96

const scored = (model: string, rival: string, matches: number, won: number): Score => {
  const spread = Z ** 2 / matches
  const middle = (won + spread / 2) / (1 + spread)
  const half = Math.sqrt((won * (1 - won) + spread / 4) * spread) / (1 + spread)
  return { model, rival, matches, won, low: middle - half, high: middle + half }
}

const percent = (share: number, width = 0) => `${Math.round(share * 100)}`.padStart(width)

const say = (scores: ReadonlyArray<Score>, models: number) => {
  if (models === 1)
    for (const { rival, won, low, high, matches } of scores)
      console.log(`${rival.padEnd(12)} ${percent(won, 3)} % won (95 %: ${percent(low)} to ${percent(high)}) of ${matches} matches`)
  else console.log([scores[0]!.model.padEnd(12), ...scores.map(({ rival, won }) => percent(won, rival.length))].join("  "))
}

const { positionals: models, values } = parseArgs({
  allowPositionals: true,
  options: {
    game: { type: "string", default: "snakes" },
    matches: { type: "string", default: "200" },
    rivals: { type: "string" },
    json: { type: "boolean", default: false }
  }
})
const matches = Number(values.matches)
const names = values.rivals?.split(",")
const rivals = zoo.filter(({ game, name }) => game === values.game && (names === undefined || names.includes(name)))
if (!(matches > 0 && matches % 4 === 0) || models.length === 0 || rivals.length === 0) {
  console.error("usage: gauntlet.ts [--game GAME] [--matches N, a multiple of 4] [--rivals NAME,NAME] [--json] MODEL.onnx...")
  process.exit(2)
}
if (models.length > 1 && !values.json) console.log([" ".repeat(12), ...rivals.map(({ name }) => name)].join("  "))
for (const path of models) {
  const own = await loadPlayer({ weights: readFileSync(path), manifest: readFileSync(path.replace(/\.onnx$/, ".json")) })
  const scores: Array<Score> = []
  for (const rival of rivals) {
    const won = await contest(values.game, own, await loadPlayer(rival.build()), matches)
    scores.push(scored(basename(path, ".onnx"), rival.name, matches, won))
  }
  if (values.json) for (const score of scores) console.log(JSON.stringify(score))
  else say(scores, models.length)
}
