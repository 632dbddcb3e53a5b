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
/** How many numbers of four and of eight bytes a rating has beside its lists. */
const [INTS, FLOATS] = [6, 6]
const [INTS_OF_1, FLOATS_OF_1] = [5, 5]

/** Where a rating has its version's ord, and where its lists begin. */
const ORD_AT = ID_BYTES + 3
const LISTS_AT = ORD_AT + 4 * INTS + 8 * FLOATS
const LISTS_AT_OF_1 = ORD_AT + 4 * INTS_OF_1 + 8 * FLOATS_OF_1
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

/** Each by its name: looking properties up by names in a list took longer than the rest of packing. */
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
  const format = view.getUint8(0)
  if (format !== 1 && format !== FORMAT) throw new Error(`ratings are packed in format ${format}, known are 1 and ${FORMAT}`)
  const lists = format === 1 ? LISTS_AT_OF_1 : LISTS_AT
  const rows: Array<LadderRatingRow> = []
  for (let at = 1; at < bytes.byteLength; ) {
    const met = at + lists
    const history = met + 1 + 4 * view.getUint8(met)
    const end = history + 1 + 8 * view.getUint8(history)
    if (end > bytes.byteLength) throw new RangeError("the ratings end too early")
    if (wanted(view.getUint8(at + ID_BYTES), view.getUint32(at + ORD_AT, true))) {
      rows.push(rowOf(view, at, met, history, format === 1 ? round : null))
    }
    at = end
  }
  return rows
}

/** Each number by its place: by names in lists, the 20,000 ratings of a claim after full play took 0.4 s. `round`: of format 1. */
const rowOf = (view: DataView, at: number, met: number, history: number, round: number | null): LadderRatingRow => {
  const ints = at + ORD_AT
  const floats = ints + 4 * (round === null ? INTS : INTS_OF_1)
  return {
    version: uuidOf(view, at),
    ladder: LADDERS[view.getUint8(at + ID_BYTES)]!,
    active: view.getUint8(at + ID_BYTES + 1) === 1,
    ord: view.getUint32(ints, true),
    matches: view.getUint32(ints + 4, true),
    round_matches: view.getUint32(ints + 8, true),
    ladder_games: view.getUint32(ints + 12, true),
    forfeits: view.getUint32(ints + 16, true),
    round: round ?? view.getUint32(ints + 20, true),
    mu: view.getFloat64(floats, true),
    sigma: view.getFloat64(floats + 8, true),
    virtual_games: view.getFloat64(floats + 16, true),
    seat_sum: view.getFloat64(floats + 24, true),
    failed: round === null ? view.getFloat64(floats + 32, true) : 0,
    trend: view.getUint8(at + ID_BYTES + 2) === 1 ? view.getFloat64(met - 8, true) : null,
    met: u32s(view, met),
    history: f64s(view, history)
  }
}

const uuidOf = ({ buffer, byteOffset }: DataView, at: number): string => {
  const hex = Buffer.from(buffer, byteOffset + at, ID_BYTES).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A list, from its count on. */
const u32s = (view: DataView, at: number): Array<number> => {
  const values: Array<number> = []
  for (let i = view.getUint8(at); i > 0; i--) values.push(view.getUint32((at += 4) - 3, true))
  return values
}
const f64s = (view: DataView, at: number): Array<number> => {
  const values: Array<number> = []
  for (let i = view.getUint8(at); i > 0; i--) values.push(view.getFloat64((at += 8) - 7, true))
  return values
}
