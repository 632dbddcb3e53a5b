/** A replay's position as the player draws it. */
import { positionPicture } from "../../src/picture/boardPicture.ts"
import type { Names } from "../../src/picture/describe.ts"
import { readPosition } from "../../src/picture/Position.ts"
import { marksOf } from "./moments.ts"
import type { Playback } from "./Playback.ts"

/** After `turn` turns, with marks where the last of them took a seat out or placed a disc. */
export const frame = (playback: Playback, turn: number, names: Names): string => {
  const before = readPosition(turn > 0 ? playback.viewAt(turn - 1) : undefined)
  return positionPicture(playback.viewAt(turn), { names, marks: marksOf(playback.replay, turn, before) })
}
