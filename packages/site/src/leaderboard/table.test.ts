import { hash } from "node:crypto"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import type { Entry } from "@agon/api/leaderboard/api.ts"
import { assert, it } from "@effect/vitest"
import { inPublic } from "../html/links.ts"
import { ladderTable, shownRanks } from "./table.ts"

/** As random as ids are, so that they compress as badly. */
const idOf = (n: number) => {
  const [a, b] = [hash("sha256", `${n}`, "hex").slice(0, 8), hash("sha256", `${n}`, "hex").slice(8, 20)]
  return `01a20370-${a.slice(0, 4)}-7${a.slice(4, 7)}-8${b.slice(0, 3)}-${b}`
}

const entry = (rank: number, rating: number): Entry => ({
  rank,
  rank_low: Math.max(1, rank - 4 - (rank % 3)),
  rank_high: rank + 3 + (rank % 4),
  rating,
  version_id: `01950003-${String(rank * 7_919).padStart(12, "0")}`,
  model_id: idOf(rank),
  model: `model ${rank * 31}`,
  owner: rank % 5 === 0 ? null : `owner-${rank}`,
  version: 1 + (rank % 4),
  class: rank % 2 === 0 ? "nano" : "mini",
  size_bytes: 9_000 + rank,
  deviation: 20 + rank,
  provisional: rank % 9 === 0,
  matches: 40 + rank * 3,
  round_matches: null,
  baseline: rank % 5 === 0,
  trend: rank / 10 - 2,
  history: []
})

it("models with the same rating share the rank of the first of them", () => {
  const ratings = [9, 7, 7, 7, 5, 4, 4]
  assert.deepStrictEqual(shownRanks(ratings.map((rating, i) => ({ rank: i + 11, rating }))), [
    "11",
    "12=",
    "12=",
    "12=",
    "15",
    "16=",
    "16="
  ])
})

it("a rank is shared also with a row of the page before or after, which is not shown itself", () => {
  const entries = [entry(4, 8), entry(5, 8), entry(6, 7), entry(7, 7)]
  const board = { season: "s", season_name: "S", closed: false, round: null, total: 9, entries, next_cursor: null }
  const table = String(ladderTable(inPublic, board, { begin: 1, end: 3 }))
  assert.deepStrictEqual(
    [...table.matchAll(/<tr><td>([^<]*)</g)].map(([, rank]) => rank),
    ["4=", "6="]
  )
})

it("fifty rows take less than 3 kB compressed, a third of it for ids, which nothing can compress", () => {
  const entries = Array.from({ length: 50 }, (_, i) => entry(i + 1, 1_500 - i * 3.7))
  const board = { season: "s", season_name: "S", closed: false, round: null, total: 50, entries, next_cursor: null }
  const table = String(ladderTable(inPublic, board, { begin: 0, end: 50 }))
  const rows = table.slice(table.indexOf("<tbody>"), table.indexOf("</tbody>"))
  assert.strictEqual(rows.match(/<tr>/g)?.length, 50)
  assert.isBelow(gzipSync(rows).length, 3_000)
  assert.isBelow(gzipSync(table).length, 3_200)
  assert.isBelow(brotliCompressSync(table, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length, 2_700)
})
