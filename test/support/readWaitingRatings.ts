/** Ratings as `rating_redo` keeps them, read by the text of server/actor/store/redo.ts and by none of its code. */
import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { Snapshot } from "@agon/domain/season/State.ts"

type Row = Snapshot["ratings"][number]

export const readWaitingRatings = (bytes: Uint8Array): ReadonlyArray<Row> => {
  const buffer = Buffer.from(bytes)
  if (buffer[0] !== 2) throw new Error(`format ${buffer[0]}`)
  const rows: Array<Row> = []
  for (let at = 1; at < buffer.length; ) {
    const hex = buffer.toString("hex", at, at + 16)
    const version = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
    const [ladder, active, moved] = [LADDERS[buffer[at + 16]!]!, buffer[at + 17] === 1, buffer[at + 18] === 1]
    const [ord, matches, round_matches, ladder_games, forfeits, round] = [0, 1, 2, 3, 4, 5].map((i) =>
      buffer.readUInt32LE(at + 19 + 4 * i)
    ) as Array<any>
    const [mu, sigma, virtual_games, seat_sum, failed, trend] = [0, 1, 2, 3, 4, 5].map((i) =>
      buffer.readDoubleLE(at + 43 + 8 * i)
    ) as Array<any>
    at += 91
    const met = Array.from({ length: buffer[at]! }, (_, i) => buffer.readUInt32LE(at + 1 + 4 * i))
    at += 1 + 4 * met.length
    const history = Array.from({ length: buffer[at]! }, (_, i) => buffer.readDoubleLE(at + 1 + 8 * i))
    at += 1 + 8 * history.length
    const numbers = { round, ord, matches, round_matches, ladder_games, forfeits, mu, sigma, virtual_games, seat_sum, failed }
    rows.push({ version, ladder, active, ...numbers, trend: moved ? trend : null, met, history })
  }
  return rows
}
