/**
 * The engine's states of seeded matches, a JSON line each, for a reader in another language to compare itself with:
 *
 *   node test/python/reference.ts MATCHES     so many of each game
 *
 * First comes a line of boards, good and bad, with the faults that the engine finds in them. Then, for every
 * game and board, a line `{ game, board, rules, matches }` and so many lines
 * `{ seed, choices, states, planes, result }`: the choices of every turn, -1 for a strike; the state's hash
 * before the first turn and after each; a digest of what the seats to act are shown in each turn (their
 * planes as little-endian float32, in the order of the seats); and how it ended.
 */
import { createHash } from "node:crypto"
import { canonicalSha256 } from "@agon/engine/canonicalJson.ts"
import type { BoardFile, Choice, Engine, MatchRules } from "@agon/engine/Engine.ts"
import { boardsOf, engines } from "@agon/engine/registry.ts"
import { seededPlayer } from "@agon/engine/replay/testing/recorded.ts"

/** Boards on which seats starve, meet head-on, and last to the end, beside those that come with the game. */
const boardsFor = (slug: string): ReadonlyArray<BoardFile> => {
  const own = boardsOf(slug)
  if (slug !== "snakes") return own
  const [first, , wrapped] = own
  const hungry = { food: [], min_food: 0, food_chance: 1 }
  const [short, full] = [
    { ...hungry, max_turns: 50, food_chance: 40 },
    { food_chance: 0, min_food: 49 }
  ]
  return [
    ...own,
    { ...first!, map_id: "bare", ...hungry },
    { ...wrapped!, map_id: "short", ...short },
    { ...own.at(-1)!, map_id: "wide", ...hungry },
    { ...first!, map_id: "full", ...full }
  ]
}

// biome-ignore format: a board a line
const faulty: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  { colour: 1, rows: 7.5 },
  { format: "board/2", map_id: "Open 7", players: 1 },
  { players: 9, rows: 4, cols: 26, wrap: 1 },
  { rows: 5, cols: 8, spawns: [[1, 1], [1, 2], [9, 9], [1.5, 2], "x"] },
  { walls: {}, blocked: 3 },
  { walls: [[0, 0], [0, 0], [1, 1]], blocked: [[3, 3], [3, 3], [-1, 0]], food: [[1, 1], [1, 1]] },
  { walls: [[0, 1], [1, 0], [1, 2], [2, 1]] },
  { wrap: true, spawns: [[0, 1], [6, 1]], max_turns: 49, min_food: 0, food_chance: 0 },
  { walls: new Array(300).fill([0, 0]), blocked: new Array(300).fill([0, 0]) },
  { players: 1e300, rows: -1e21, cols: 123456789012345680000, max_turns: 2 ** 60, min_food: 1e16, food_chance: -1e15 },
  { map_id: "a--b", players: true, rows: 6, cols: 6, min_food: -1, food_chance: 101, max_turns: "50" }
]

const checked = (game: string, engine: Engine<any, any>) => {
  const boards = [null, [], 5, {}, ...boardsFor(game).flatMap((board) => [board, ...faulty.map((change) => ({ ...board, ...change }))])]
  return boards.map((board) => {
    const check = engine.checkBoard(board)
    return { game, board, faults: check.ok ? [] : check.errors.map(({ path, message }) => [path, message]) }
  })
}

const planesOf = (engine: Engine<any, any>, state: unknown, observation: Float32Array): string => {
  const digest = createHash("sha256")
  for (const seat of engine.toAct(state)) {
    engine.observe(state, seat, observation)
    digest.update(observation)
  }
  return digest.digest("hex")
}

const match = (engine: Engine<any, any>, board: BoardFile, seed: number, rules: MatchRules, strike_chance: number) => {
  const { seats, planes, rows, cols, actions, masked } = engine.spec(board)
  const players = Array.from({ length: seats }, (_, seat) => seededPlayer(seed * 16 + seat, rows * cols, masked, strike_chance))
  const observation = new Float32Array(planes * rows * cols)
  const legal = new Uint8Array(actions)
  const told = { choices: [] as Array<ReadonlyArray<number>>, states: [] as Array<string>, planes: [] as Array<string> }
  const state = engine.init(board, seed, rules)
  while (engine.status(state) === "running") {
    told.states.push(canonicalSha256(engine.canonical(state)))
    told.planes.push(planesOf(engine, state, observation))
    const choices: Array<Choice> = new Array(seats).fill(null)
    for (const seat of engine.toAct(state)) {
      engine.observe(state, seat, observation)
      engine.legal(state, seat, legal)
      choices[seat] = players[seat]!(observation, legal, seat)
    }
    told.choices.push(choices.map((choice) => (typeof choice === "number" ? choice : -1)))
    engine.step(state, choices)
  }
  told.states.push(canonicalSha256(engine.canonical(state)))
  return { seed, ...told, result: engine.result(state) }
}

const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

const count = Number(process.argv[2])
say({ boards: engines.flatMap((engine) => checked(engine.slug, engine)), own: engines.map(({ slug }) => boardsOf(slug)) })
for (const engine of engines) {
  const boards = boardsFor(engine.slug)
  boards.forEach((board, index) => {
    const matches = Math.floor((count * (index + 1)) / boards.length) - Math.floor((count * index) / boards.length)
    const rules = { max_turns: index % 2 === 0 ? 150 : 40, strike_limit: 3 }
    say({ game: engine.slug, board, rules, matches })
    for (let one = 0; one < matches; one++)
      say(match(engine, board, ((one + 1) * 2_654_435_761 + index) >>> 0, rules, one % 3 === 0 ? 0 : one % 3))
  })
}
