/**
 * Ratings as `rating_redo` keeps them: packed, end to end, little-endian. A commit that moves
 * hundreds of ratings carries one value of some 60 KB for them; as columns of arrays Postgres would
 * take twenty times as long to read them.
 *
 *   format u8 (2), then of each rating:
 *   version 16 bytes | ladder u8 (place in LADDERS) | active u8 | trend given u8 | ord, matches, round_matches, ladder_games,
 *   forfeits, round u32 | mu, sigma, virtual games, seat_sum, failed, trend f64 | count u8, met u32 each | count u8, history f64 each
 *
 * Format 1, which an earlier release may have left behind, has no `failed` (0) and no `round` (the current one).
 */
import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { LadderRatingRow } from "@agon/domain/season/rating/LadderRating.ts"
import { writeUuid } from "./arrays.ts"

const FORMAT = 2
const ID_BYTES = 16
const INTS_OF_1 = ["ord", "matches", "round_matches", "ladder_games", "forfeits"] as const
const INTS = [...INTS_OF_1, "round"] as const
const FLOATS_OF_1 = ["mu", "sigma", "virtual_games", "seat_sum"] as const
const FLOATS = [...FLOATS_OF_1, "failed"] as const

/** Where a rating has its version's ord, and where its lists begin. */
const ORD_AT = ID_BYTES + 3
const LISTS_AT = ORD_AT + 4 * INTS.length + 8 * (FLOATS.length + 1)
const LISTS_AT_OF_1 = ORD_AT + 4 * INTS_OF_1.length + 8 * (FLOATS_OF_1.length + 1)
const FIXED_BYTES = LISTS_AT + 2

const sizeOf = ({ history, met }: LadderRatingRow) => FIXED_BYTES + 4 * met.length + 8 * history.length

export const pack = (rows: ReadonlyArray<LadderRatingRow>): Uint8Array => {
  const bytes = Buffer.allocUnsafe(rows.reduce((sum, row) => sum + sizeOf(row), 1))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  bytes[0] = FORMAT
  let at = 1
  for (const row of rows) {
    writeUuid(bytes, at, row.version)
    at += ID_BYTES
    bytes[at++] = LADDERS.indexOf(row.ladder)
    bytes[at++] = row.active ? 1 : 0
    bytes[at++] = row.trend === null ? 0 : 1
    at = numbers(view, at, row)
    const { history, met } = row
    bytes[at++] = met.length
    for (let i = 0; i < met.length; i++) at = u32(view, at, met[i]!)
    bytes[at++] = history.length
    for (let i = 0; i < history.length; i++) at = f64(view, at, history[i]!)
  }
  return bytes
}

/**
 * INTS and FLOATS in their order, each by its name: looking properties up by names in a list took
 * longer than the rest of packing.
 */
const numbers = (view: DataView, at: number, row: LadderRatingRow): number => {
  view.setUint32(at, row.ord, true)
  view.setUint32(at + 4, row.matches, true)
  view.setUint32(at + 8, row.round_matches, true)
  view.setUint32(at + 12, row.ladder_games, true)
  view.setUint32(at + 16, row.forfeits, true)
  view.setUint32(at + 20, row.round, true)
  view.setFloat64(at + 24, row.mu, true)
  view.setFloat64(at + 32, row.sigma, true)
  view.setFloat64(at + 40, row.virtual_games, true)
  view.setFloat64(at + 48, row.seat_sum, true)
  view.setFloat64(at + 56, row.failed, true)
  view.setFloat64(at + 64, row.trend ?? 0, true)
  return at + 72
}

/** Both write at `at` and answer the next offset: an offset kept in a closure would cost as much as the writing. */
const u32 = (view: DataView, at: number, value: number): number => {
  view.setUint32(at, value, true)
  return at + 4
}
const f64 = (view: DataView, at: number, value: number): number => {
  view.setFloat64(at, value, true)
  return at + 8
}

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/**
 * `round` is the current one. Only `wanted` ratings are decoded in full: a claim reads hundreds of thousands
 * of records and needs the last of each rating, so it is asked by two numbers, the ladder's place in LADDERS and the
 * version's ord. Throws on an unknown format or bytes that end too early: the row is ours, so that is a defect.
 */
export const unpack = (
  bytes: Uint8Array,
  round: number,
  wanted: (ladder: number, ord: number) => boolean = () => true
): ReadonlyArray<LadderRatingRow> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const u8 = () => view.getUint8(at++)
  const u32 = () => view.getUint32((at += 4) - 4, true)
  const f64 = () => view.getFloat64((at += 8) - 8, true)
  const id = () => Buffer.from(bytes.buffer, bytes.byteOffset + (at += ID_BYTES) - ID_BYTES, ID_BYTES).toString("hex")
  const skip = (length: number): void => {
    at += length
    if (at > bytes.byteLength) throw new RangeError("the ratings end too early")
  }
  const many = <A>(read: () => A): Array<A> => Array.from({ length: u8() }, read)
  const named = <N extends string>(names: ReadonlyArray<N>, read: () => number) =>
    Object.fromEntries(names.map((name) => [name, read()])) as Record<N, number>
  const format = u8()
  if (format !== 1 && format !== FORMAT) throw new Error(`ratings are packed in format ${format}, known are 1 and ${FORMAT}`)
  const rows: Array<LadderRatingRow> = []
  while (at < bytes.byteLength) {
    if (!wanted(view.getUint8(at + ID_BYTES), view.getUint32(at + ORD_AT, true))) {
      skip(format === 1 ? LISTS_AT_OF_1 : LISTS_AT)
      skip(4 * u8())
      skip(8 * u8())
      continue
    }
    const version = id().replace(UUID, "$1-$2-$3-$4-$5")
    const ladder = LADDERS[u8()]!
    const [active, moved] = [u8() === 1, u8() === 1]
    const numbers =
      format === 1
        ? { ...named(INTS_OF_1, u32), ...named(FLOATS_OF_1, f64), round, failed: 0 }
        : { ...named(INTS, u32), ...named(FLOATS, f64) }
    const trend = f64()
    rows.push({ version, ladder, active, ...numbers, trend: moved ? trend : null, met: many(u32), history: many(f64) })
  }
  return rows
}
