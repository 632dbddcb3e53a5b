import { assert, it } from "vitest"
import * as MemoryStore from "../support/MemoryStore.ts"
import { settings } from "../support/SeasonScript.ts"
import { ofMemory, unread } from "./View.ts"

it("a view of rows in memory has what is not known yet or not as it is, earliest first, in whatever order it was written", () => {
  const memory: MemoryStore.Memory = new Map()
  MemoryStore.createSeason(memory, "s", settings())
  const rows = memory.get("s")!
  const point = (at: number, mu: number) => ({ ladder: "open", at, round: 0, n: 1, versions: ["v"], mus: [mu] }) as const
  const write = (at: number, mu: number) => rows.series.set(`open ${at}`, point(at, mu))
  const known = { ended: new Map(), points: new Map() }
  const read = unread()
  const seen = () => {
    const { series } = ofMemory(rows, known, read)
    for (const each of series) known.points.set(`${each.ladder} ${each.at}`, each)
    return series.map(({ at, mus }) => [at, ...mus])
  }
  write(1, 10)
  write(2, 20)
  assert.deepStrictEqual(seen(), [
    [1, 10],
    [2, 20]
  ])
  assert.deepStrictEqual(seen(), [])
  write(3, 30)
  write(2, 21) // as where a voided match leaves the series
  write(1, 11)
  assert.deepStrictEqual(seen(), [
    [1, 11],
    [2, 21],
    [3, 30]
  ])
})
