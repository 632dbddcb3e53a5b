/**
 * The observations of an examination: real positions, and extremes that may make a graph slow. They
 * are the same on every machine.
 */

import type { BoardFile, Spec } from "@agon/engine/Engine.ts"
import type { Game } from "@agon/engine/Game.ts"
import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import type { Sizes } from "../worker/channel.ts"

/** Observations of one kind, used in turn. */
export interface Kind {
  readonly name: string
  /** Whether such an observation occurs in matches, so that every model must accept it. */
  readonly real: boolean
  readonly observations: ReadonlyArray<Float32Array>
}

const RULES = { max_turns: 300, strike_limit: 3 }
const SEEDS = [1, 2, 3]
/** The parts of a match that positions are taken from: opening, middle, and full boards near the end. */
const STAGES = { opening: 0, "mid-game": 0.5, "late game": 0.98 } as const
const LARGE = 1e6

const countOf = ({ planes, rows, cols }: Sizes) => planes * rows * cols

/** Numbers in 0..1 by a linear congruential generator, which is good enough here. */
export const noise = (values: Float32Array, seed: number): void => {
  let x = seed >>> 0
  for (let i = 0; i < values.length; i++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0
    values[i] = (x >>> 16) / 65_536
  }
}

const noisy = (sizes: Sizes, seed: number): Float32Array => {
  const values = new Float32Array(countOf(sizes))
  noise(values, seed)
  return values
}

/** A random legal move, a safe one where the game knows which are, so that matches get past their opening. */
const moveOf = ({ isSafe }: Game, observation: Float32Array, legal: Uint8Array, spec: Spec, draw: Mulberry32): number => {
  const good = [...legal.keys()].filter((action) => legal[action] === 1 && (isSafe?.(observation, action, spec) ?? true))
  return good.length > 0 ? good[draw.below(good.length)]! : legal.indexOf(1)
}

/** Every observation of a randomly played match, in order. */
const playedThrough = (game: Game, board: BoardFile, seed: number): ReadonlyArray<Float32Array> => {
  const { engine } = game
  const spec = engine.spec(board)
  const { actions, cols, masked, planes, rows, seats } = spec
  const draw = new Mulberry32(seed)
  const state = engine.init(board, seed, RULES)
  const views: Array<Float32Array> = []
  const legal = new Uint8Array(actions).fill(1)
  while (engine.status(state) === "running") {
    const choices = new Array<number | null>(seats).fill(null)
    for (const seat of engine.toAct(state)) {
      const view = new Float32Array(planes * rows * cols)
      engine.observe(state, seat, view)
      if (masked) engine.legal(state, seat, legal)
      choices[seat] = moveOf(game, view, legal, spec, draw)
      views.push(view)
    }
    engine.step(state, choices)
  }
  return views
}

/** A view of one size of board laid over another, repeated or cut off at its edges. */
const laidOver = (view: Float32Array, from: BoardFile, to: Sizes): Float32Array => {
  const laid = new Float32Array(countOf(to))
  let at = 0
  for (let plane = 0; plane < to.planes; plane++)
    for (let row = 0; row < to.rows; row++)
      for (let col = 0; col < to.cols; col++) laid[at++] = view[(plane * from.rows + (row % from.rows)) * from.cols + (col % from.cols)]!
  return laid
}

/** The game's own board nearest in size; among equals the one with the most players. */
const nearestBoard = ({ boards }: Game, { cols, rows }: Sizes): BoardFile => {
  const distance = (board: BoardFile) => Math.abs(board.rows - rows) + Math.abs(board.cols - cols)
  return [...boards].sort((a, b) => distance(a) - distance(b) || b.players - a.players)[0]!
}

/** Openings, middles and ends of matches. */
export const positions = (game: Game, sizes: Sizes): ReadonlyArray<Kind> => {
  const board = nearestBoard(game, sizes)
  const matches = SEEDS.map((seed) => playedThrough(game, board, seed))
  return Object.entries(STAGES).map(([name, share]) => ({
    name,
    real: true,
    // Each match shows another seat's view, since an opening does not depend on the seed.
    observations: matches.map((views, at) =>
      laidOver(views[Math.min(views.length - 1, Math.floor(share * views.length) + at)]!, board, sizes)
    )
  }))
}

/**
 * Observations that no match shows and that may make a hostile graph slow. None has numbers below the smallest normal float32: a plain
 * convolution takes 70 times as long with them on some processors, and such machines would refuse it. A graph that makes them itself, of
 * a real position, is measured with it.
 */
export const extremes = (sizes: Sizes): ReadonlyArray<Kind> => {
  const filled = (value: number) => [new Float32Array(countOf(sizes)).fill(value)]
  const scaled = (factor: number) => [noisy(sizes, 5).map((value) => value * factor)]
  return [
    { name: "noise", real: false, observations: SEEDS.map((seed) => noisy(sizes, seed)) },
    { name: "zeros", real: false, observations: filled(0) },
    { name: "ones", real: false, observations: filled(1) },
    { name: "large values", real: false, observations: scaled(LARGE) },
    { name: "one cell in fifty", real: false, observations: SEEDS.map((seed) => noisy(sizes, seed).map((value) => (value < 0.02 ? 1 : 0))) }
  ]
}
