import { assert, describe, it } from "@effect/vitest"
import { type Heap, pop, push, remove } from "./Heap.ts"

interface Waiting {
  readonly ord: number
  readonly key: number
}
const lots = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 4294967296
}
const emptied = (heap: Heap<Waiting>) => {
  const out: Array<Waiting> = []
  for (let next = pop(heap); next !== undefined; next = pop(heap)) out.push(next)
  return out
}
const sorted = (entries: ReadonlyArray<Waiting>) => entries.toSorted((a, b) => a.key - b.key || a.ord - b.ord)

describe("a heap", () => {
  it("gives out by key, equal keys by ord, whatever the order they came in", () => {
    for (let seed = 1; seed <= 100; seed++) {
      const draw = lots(seed)
      const entries = Array.from({ length: Math.floor(60 * draw()) }, (_, ord) => ({ ord, key: Math.floor(10 * draw()) }))
      const heap: Heap<Waiting> = []
      for (const entry of entries) push(heap, entry)
      assert.deepStrictEqual(emptied(heap), sorted(entries), `seed ${seed}`)
    }
  })
  it("keeps the least at index 0 while entries come and go", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const draw = lots(seed)
      const heap: Heap<Waiting> = []
      let model: Array<Waiting> = []
      for (let ord = 0; ord < 200; ord++) {
        const way = draw()
        if (way < 0.5) {
          const entry = { ord, key: Math.floor(30 * draw()) }
          push(heap, entry)
          model = sorted([...model, entry])
        } else if (way < 0.8) assert.strictEqual(pop(heap), model.shift())
        else {
          const gone = model[Math.floor(draw() * model.length)]
          if (gone !== undefined) remove(heap, gone)
          model = model.filter((entry) => entry !== gone)
        }
        assert.strictEqual(heap[0], model[0], `seed ${seed}`)
        assert.strictEqual(heap.length, model.length)
      }
      assert.deepStrictEqual(emptied(heap), model)
    }
  })
  it("is none the worse for an entry that is taken out and was not there", () => {
    const heap: Heap<Waiting> = []
    for (const ord of [3, 1, 2]) push(heap, { ord, key: ord })
    remove(heap, { ord: 1, key: 1 }) // looks the same, is another
    assert.deepStrictEqual(
      emptied(heap).map(({ ord }) => ord),
      [1, 2, 3]
    )
    assert.isUndefined(pop(heap))
  })
})
