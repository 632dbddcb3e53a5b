/**
 * Turns a second of the game engines on one core, from init to result of every match. `node test/bench/engine.ts
 * [seconds]` prints a line a case. The moves are chosen beforehand, at random among those that meet nothing (snakes)
 * or are legal (others), so that matches are long and only the engine is measured.
 */
import type { BoardFile, Choice, Engine, MatchRules } from "@agon/engine/Engine.ts"
import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import { type Player, playMatch } from "@agon/engine/play.ts"
import { engineOf } from "@agon/engine/registry.ts"

type Match = ReadonlyArray<ReadonlyArray<Choice>>

const rules: MatchRules = { max_turns: 500, strike_limit: 3 }
const matches_recorded = 100

/** The choices of one match of random players, a row a turn. */
const recordMatch = (engine: Engine<any, any>, board: BoardFile, seed: number): Match => {
  const { rows, cols, masked } = engine.spec(board)
  const cells = rows * cols
  const random = new Mulberry32(seed)
  const player: Player = (observation, legal) => {
    const open = masked ? Array.from(legal) : [8, 9, 10, 11].map((plane) => observation[plane * cells]!)
    const actions = open.flatMap((one, action) => (one === 1 ? [action] : []))
    return actions.length === 0 ? 0 : actions[random.below(actions.length)]!
  }
  const match: Array<ReadonlyArray<Choice>> = []
  const step = (state: unknown, row: ReadonlyArray<Choice>) => {
    match.push([...row])
    engine.step(state, row)
  }
  playMatch({ ...engine, step }, board, seed, rules, new Array(board.players).fill(player))
  return match
}

/**
 * Turns and matches a second of CPU time, which other programs on the machine disturb
 * less than the clock on the wall.
 */
const measure = (engine: Engine<any, any>, board: BoardFile, matches: ReadonlyArray<Match>, planes: boolean, seconds: number) => {
  const spec = engine.spec(board)
  const observation = new Float32Array(spec.planes * spec.rows * spec.cols)
  const legal = new Uint8Array(spec.actions)
  let turns = 0
  let played = 0
  const began = process.cpuUsage()
  while (cpuSeconds(began) < seconds) {
    for (let seed = 0; seed < matches.length; seed++, played++) {
      const state = engine.init(board, seed, rules)
      for (const choices of matches[seed]!) {
        if (planes) {
          for (const seat of engine.toAct(state)) {
            engine.observe(state, seat, observation)
            if (spec.masked) engine.legal(state, seat, legal)
          }
        }
        engine.step(state, choices)
        turns++
      }
      engine.result(state)
    }
  }
  const took_s = cpuSeconds(began)
  return { turns_per_s: turns / took_s, matches_per_s: played / took_s }
}

const cpuSeconds = (began: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}

const openBoard = (players: number, side: number) => {
  const far = side - 2
  return {
    format: "snakes-board/1",
    map_id: `open-${side}`,
    players,
    rows: side,
    cols: side,
    wrap: false,
    walls: [],
    spawns: [
      [1, 1],
      [far, far],
      [1, far],
      [far, 1]
    ].slice(0, players),
    food: [[(side - 1) / 2, (side - 1) / 2]],
    min_food: 1,
    food_chance: 15,
    max_turns: 500
  }
}

const othello = { format: "othello-board/1", map_id: "classic-8", players: 2, rows: 8, cols: 8, blocked: [] }

const cases: ReadonlyArray<readonly [name: string, game: string, file: unknown, planes: boolean]> = [
  ["snakes 7x7, 2 seats, no observations", "snakes", openBoard(2, 7), false],
  ["snakes 7x7, 2 seats, all planes", "snakes", openBoard(2, 7), true],
  ["snakes 11x11, 4 seats, no observations", "snakes", openBoard(4, 11), false],
  ["snakes 11x11, 4 seats, all planes", "snakes", openBoard(4, 11), true],
  ["othello 8x8, no observations", "othello", othello, false],
  ["othello 8x8, all planes", "othello", othello, true]
]

const seconds = Number(process.argv[2] ?? 2)
for (const [name, game, file, planes] of cases) {
  const engine = engineOf(game)
  const check = engine?.checkBoard(file)
  if (engine === undefined || check?.ok !== true) throw new Error(`no board for ${name}`)
  const matches = Array.from({ length: matches_recorded }, (_, seed) => recordMatch(engine, check.board, seed))
  measure(engine, check.board, matches, planes, seconds / 4)
  const { turns_per_s, matches_per_s } = measure(engine, check.board, matches, planes, seconds)
  console.log(`${name.padEnd(42)} ${(turns_per_s / 1e6).toFixed(2)} M turns/s  ${Math.round(matches_per_s)} matches/s`)
}
