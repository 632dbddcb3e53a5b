import { hash } from "node:crypto"
import { isStringOneByteRepresentation } from "node:v8"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import type { Entry } from "@agon/api/leaderboard/api.ts"
import { assert, it } from "@effect/vitest"
import { inPublic } from "../html/links.ts"
import { ladderTable, shownRanks } from "./table.ts"

/** From 0 to 1, the same in every run. */
const chance = (...of: ReadonlyArray<string | number>) => Number.parseInt(hash("sha256", of.join(" "), "hex").slice(0, 8), 16) / 2 ** 32

/** Twelve ratings up to the last one, each up to twelve points from the one before. */
const historyOf = (rating: number, of: string): ReadonlyArray<number> => {
  const history = [rating]
  while (history.length < 12) history.unshift(history[0]! + (chance(of, history.length) - 0.5) * 24)
  return history
}

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
  history: historyOf(rating, `${rank}`)
})

const FIRST =
  "emerald crimson silent hungry patient northern electric velvet marble copper restless brave hollow gentle frozen golden".split(" ")
const SECOND =
  "python viper anaconda cobra mamba serpent adder krait basilisk hydra naga taipan rattler boa wyrm kraken lizard gecko".split(" ")
const PEOPLE = "marie tobias yuki oluwaseun priya henrik chloe dmitri ana kwame leila sofia mateo ingrid bao farid greta noor".split(" ")

/** A row as a season has it: names of two words, nearly all people different, models made on any day of three weeks. */
const seasoned = (seed: number, rank: number): Entry => {
  const any = (what: string) => chance(seed, rank, what)
  const one = <A>(all: ReadonlyArray<A>, what: string): A => all[Math.floor(any(what) * all.length)]!
  const made = Math.floor(0x01a2_0370_0000 + any("made") * 21 * 86_400_000).toString(16)
  return {
    ...entry(rank, 1_900 - rank * 16 + any("rating") * 14),
    model_id: `0${made.slice(0, 7)}-${made.slice(7)}${idOf(seed * 1_000 + rank).slice(13)}`,
    model: `${one(FIRST, "first")} ${one(SECOND, "second")} ${Math.floor(any("mark") * 100)}`,
    owner: any("baseline") < 0.1 ? null : `${one(PEOPLE, "person")}${Math.floor(any("number") * 100)}`,
    version: 1 + Math.floor(any("version") * 6),
    class: one(["nano", "mini", "small"] as const, "class"),
    rank_low: Math.max(1, rank - Math.floor(any("low") * 9)),
    rank_high: rank + Math.floor(any("high") * 9),
    deviation: 25 + any("deviation") * 40,
    matches: 50 + Math.floor(any("matches") * 600),
    trend: (any("trend") - 0.5) * 24
  }
}

const boardOf = (entries: ReadonlyArray<Entry>) => ({
  ...{ season: "s", season_name: "S", closed: false, round: null, total: entries.length },
  ...{ entries, next_cursor: null }
})

const rowsOf = (table: string) => table.slice(table.indexOf("<tbody>"), table.indexOf("</tbody>"))

it("models with the same rating have each its rank, which says that another has its rating", () => {
  const ratings = [9, 7, 7, 7, 5, 4, 4]
  assert.deepStrictEqual(shownRanks(ratings.map((rating, i) => ({ rank: i + 11, rating }))), [
    "11",
    "12=",
    "13=",
    "14=",
    "15",
    "16=",
    "17="
  ])
})

it("a model has one rank, whichever page shows it: where all are equal, a later page begins with its own", () => {
  const level = Array.from({ length: 120 }, (_, i) => entry(i + 1, 1_500))
  const ranksOf = (begin: number, end: number) => shownRanks(level.slice(begin, end))
  assert.deepStrictEqual(ranksOf(49, 101).slice(1), ranksOf(0, 120).slice(50, 101))
  assert.strictEqual(ranksOf(49, 101)[1], "51=")
})

it("a rating is equal also to that of a row of the page before or after, which is not shown itself", () => {
  const entries = [entry(4, 8), entry(5, 8), entry(6, 7), entry(7, 7)]
  const board = { season: "s", season_name: "S", closed: false, round: null, total: 9, entries, next_cursor: null }
  const table = String(ladderTable(inPublic, board, { begin: 1, end: 3 }))
  assert.deepStrictEqual(
    [...table.matchAll(/<tr><td>([^<]*)</g)].map(([, rank]) => rank),
    ["5=", "6="]
  )
})

/** Points of the course that a row draws. */
const courseOf = (history: ReadonlyArray<number>) => {
  const table = String(ladderTable(inPublic, boardOf([{ ...entry(1, 1_500), history }]), { begin: 0, end: 1 }))
  const [, from, steps] = /<path d="M104 (-?\d+)((?:l9[ -]\d+)*)"/.exec(table) ?? []
  if (steps === undefined) return undefined
  const ys = [Number(from)]
  for (const [, step] of steps.matchAll(/l9([ -]\d+)/g)) ys.push(ys.at(-1)! + Number(step))
  return ys
}

it("the course of a rating rises and falls as the rating did, and is flat where it hardly moved", () => {
  const up = Array.from({ length: 12 }, (_, i) => 1_500 + 10 * i)
  assert.deepStrictEqual(courseOf(up), [7, 6, 5, 3, 2, 1])
  assert.deepStrictEqual(courseOf(up.toReversed()), [1, 2, 3, 5, 6, 7])
  assert.deepStrictEqual(courseOf([1_500, 1_501, 1_500, 1_499]), [4, 4, 4, 4])
  assert.deepStrictEqual(courseOf([1_500, 1_540]), [7, 1])
})

it("no course is drawn before the first match", () => {
  assert.isUndefined(courseOf([1_500]))
  assert.isUndefined(courseOf([]))
})

it("what is drawn is hidden from readers of the screen, and its figures stand beside it", () => {
  const table = String(ladderTable(inPublic, boardOf([{ ...entry(1, 1_500), trend: -3.4 }]), { begin: 0, end: 1 }))
  assert.match(
    rowsOf(table),
    /<td>1500<td>41\n<td>1&#8211;5<td><a [^\n]*\n<td>43<td>&#8722;3<td class=own><svg class="drawn" viewBox="0 0 150 8" aria-hidden="true">(<path d="[^"]+"\/>){2}<\/svg>\n$/
  )
})

it("a row is kept in a byte a character, which is written fastest", () => {
  const entries = [entry(1, 1_500), { ...entry(2, 1_400), trend: -3.4, matches: 12_345 }]
  assert.isTrue(isStringOneByteRepresentation(String(ladderTable(inPublic, boardOf(entries), { begin: 0, end: 2 }))))
})

it("fifty rows take less than 3 kB compressed, a third of it for ids, which nothing can compress", () => {
  const entries = Array.from({ length: 50 }, (_, i) => entry(i + 1, 1_500 - i * 3.7))
  const table = String(ladderTable(inPublic, boardOf(entries), { begin: 0, end: 50 }))
  assert.strictEqual(rowsOf(table).match(/<path d="M104/g)?.length, 50)
  assert.isBelow(gzipSync(rowsOf(table)).length, 3_000)
  assert.isBelow(gzipSync(table).length, 3_400)
  assert.isBelow(brotliCompressSync(table, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).length, 2_900)
})

it("fifty rows with long different names take less than 2.2 kB compressed besides the names and the ids", () => {
  for (const seed of [1, 2, 3]) {
    const entries = Array.from({ length: 50 }, (_, i) => seasoned(seed, i + 1))
    const rows = gzipSync(rowsOf(String(ladderTable(inPublic, boardOf(entries), { begin: 0, end: 50 })))).length
    const names = gzipSync(entries.map(({ model, model_id, owner }) => `${model_id} ${model} ${owner}`).join("\n")).length
    assert.isBelow(rows - names, 2_200, `seed ${seed}: ${rows} bytes, ${names} of them names and ids`)
    assert.isBelow(rows, 3_750, `seed ${seed}`)
  }
})
