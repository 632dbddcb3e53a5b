/**
 * The engine for a program in another language, in batches over a pipe (python/bench/turns.py):
 * `node enginePipe.ts BOARDS` writes the planes of all seats of all boards as float32, reads a byte for each
 * seat's move, steps, starts again where a match is over, and so on until its input ends.
 */
import { readSync, writeSync } from "node:fs"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"

const engine = engineOf("snakes")!
const board = boardsOf("snakes").find(({ map_id }) => map_id === "open-11")!
const { seats, planes, rows, cols } = engine.spec(board)
const boards = Number(process.argv[2])
const rules = { max_turns: 500, strike_limit: 3 }

const size = planes * rows * cols
const shown = new Float32Array(boards * seats * size)
const views = Array.from({ length: boards * seats }, (_, index) => shown.subarray(index * size, (index + 1) * size))
const bytes = new Uint8Array(shown.buffer)
const moves = new Uint8Array(boards * seats)
const states: Array<unknown> = Array.from({ length: boards }, (_, seed) => engine.init(board, seed, rules))
const choices: Array<number> = new Array(seats).fill(0)
let seed = boards

const write = () => {
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent)
}

/** False once the input has ended. */
const read = (): boolean => {
  for (let got = 0; got < moves.length; ) {
    const more = readSync(0, moves, got, moves.length - got, null)
    if (more === 0) return false
    got += more
  }
  return true
}

const observeAll = () => {
  for (let index = 0; index < boards; index++)
    for (let seat = 0; seat < seats; seat++) engine.observe(states[index], seat, views[index * seats + seat]!)
}

observeAll()
write()
while (read()) {
  for (let index = 0; index < boards; index++) {
    for (let seat = 0; seat < seats; seat++) choices[seat] = moves[index * seats + seat]!
    engine.step(states[index], choices)
    if (engine.status(states[index]) === "over") states[index] = engine.init(board, seed++, rules)
  }
  observeAll()
  write()
}
