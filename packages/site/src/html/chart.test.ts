import { assert, describe, it } from "vitest"
import { chart } from "./chart.ts"

const moments = (n: number) => Array.from({ length: n }, (_, i) => new Date(Date.UTC(2026, 10, 1) + i * 3_600_000).toISOString())
const named = (values: ReadonlyArray<number | null>, i: number) => ({ name: `m${i}`, values })

describe("a chart", () => {
  it("is drawn of lines that have a length, and of no number of single values", () => {
    const [points, title] = [moments(3), "Ratings"]
    const drawn = (...lines: ReadonlyArray<ReadonlyArray<number | null>>) => String(chart({ title, points, lines: lines.map(named) }))
    assert.strictEqual(drawn(), "")
    assert.strictEqual(drawn([null, null, 1_500], [null, null, 1_400]), "", "a ladder whose entries have all come in since the last moment")
    assert.strictEqual(String(chart({ title, points: moments(1), lines: [named([1_500], 0), named([1_400], 1)] })), "")
    assert.match(drawn([null, 1_500, 1_510], [null, null, 1_400]), /class="l0" d="M\d+ \d+L\d+ \d+"/)
  })

  it("stays within its frame with a thousand moments, and with values that are all the same", () => {
    const points = moments(1_000)
    const values = points.map(() => 1_500)
    const text = String(chart({ title: "Ratings", points, lines: [{ name: "m", values }] }))
    const places = [...text.matchAll(/[ML](\d+) (\d+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const)
    assert.isTrue(places.length >= 1_000 && places.every(([x, y]) => x >= 0 && x <= 640 && y >= 0 && y <= 200))
    assert.notMatch(text, /NaN|Infinity/)
  })
})
