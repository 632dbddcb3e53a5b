/**
 * Plays a match in a process of its own, which a test starts with less of something than the match needs, and prints what
 * came of it. Arguments: the number of seats; `files` to have no file descriptor left once the second seat's model runs;
 * `cap` for a cap on the second seat's memory that its model does not fit in.
 */
import { openSync, readFileSync } from "node:fs"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { floats, linear, manifest, stalling } from "../../admission/testing/testModels.ts"
import { wasmPath } from "../../places.ts"
import { play } from "../play.ts"

const [seats, scarce] = process.argv.slice(2)
const module = await WebAssembly.compile(readFileSync(wasmPath))
/** 20 MB, where an instance has 16 MiB at the least. */
const large = () => linear(1, [], [floats("unused", [5_000_000], new Float32Array(5_000_000))])
const second = scarce === "files" ? stalling("run") : scarce === "cap" ? large() : linear(1)
const models = Array.from({ length: Number(seats) }, (_, seat) => (seat === 1 ? second : linear(seat)))
const capOf = (weights: Uint8Array, seat: number) => (scarce === "cap" && seat === 1 ? 1 : memoryCapOf(weights.length))
const playing = play(
  module,
  engineOf("snakes")!,
  {
    game: "snakes",
    board: boardsOf("snakes").find(({ players }) => players === Number(seats)),
    seed: 1,
    rules: { max_turns: 20, strike_limit: 3 },
    seats: models.map((weights, seat) => ({ weights, manifest: manifest(), memory_cap_bytes: capOf(weights, seat) }))
  },
  "test"
)
const takeAllFiles = () => {
  try {
    for (;;) openSync("/dev/null", "r")
  } catch {}
}
// The first thread has read its code by then, and its second seat's model runs for minutes.
if (scarce === "files") setTimeout(takeAllFiles, 2_000)
const said = await playing.then(
  ({ replay }) => ({ strikes: replay.strikes }),
  (error) => ({ fault: String(error) })
)
process.stdout.write(JSON.stringify(said), () => process.exit(0))
