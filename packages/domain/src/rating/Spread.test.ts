import { assert, describe, it } from "@effect/vitest"
import { draw, type Source } from "../season/Random.ts"
import { normal } from "./normal.ts"
import { foreseen, rated } from "./Rating.ts"
import { type Logged, spreadOf } from "./Spread.ts"

interface FieldOptions {
  readonly spread: number
  readonly entries?: number
  readonly games?: number
  readonly seats?: number
}

/** Matches at random between entries of known strengths; ranks follow a Plackett-Luce draw. */
const logOf = (seed: number, { entries = 60, games = 60, seats = 2, spread }: FieldOptions): ReadonlyArray<Logged> => {
  const source: Source = { hash: seed * 7_919 + 1, draws: 0 }
  const random = () => draw(source)
  const strengths = Array.from({ length: entries }, () => spread * normal(random))
  return Array.from({ length: Math.round((entries * games) / seats) }, () => {
    const order = strengths.map((_, i) => ({ i, at: random() })).sort((a, b) => a.at - b.at)
    const sitting = order.slice(0, seats).map(({ i }) => i)
    const noisy = sitting.map((i) => strengths[i]! - (400 / Math.LN10) * Math.log(-Math.log(1 - random())))
    return { seats: sitting, ranks: noisy.map((value) => 1 + noisy.filter((other) => other > value).length) }
  })
}

const learned = (log: ReadonlyArray<Logged>): number | null => {
  const looking = spreadOf(log)
  for (;;) {
    const { done, value } = looking.next()
    if (done === true) return value
  }
}

describe("the chance that ratings give to an outcome", () => {
  const seats = [
    { mu: 40, sigma: 120 },
    { mu: -30, sigma: 60 },
    { mu: 5, sigma: 200 }
  ]

  it("sums to one over all orders", () => {
    const orders = [
      [1, 2, 3],
      [1, 3, 2],
      [2, 1, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1]
    ]
    const sum = orders.reduce((total, ranks) => total + Math.exp(foreseen(seats, ranks)), 0)
    assert.closeTo(sum, 1, 1e-12)
  })

  it("rises fastest where a match moves the means to", () => {
    for (const ranks of [
      [1, 2, 3],
      [2, 1, 2],
      [1, 1, 1]
    ]) {
      const after = rated(seats, ranks)
      seats.forEach(({ mu, sigma }, i) => {
        const at = (by: number) =>
          foreseen(
            seats.map((seat, j) => (i === j ? { ...seat, mu: mu + by } : seat)),
            ranks
          )
        assert.closeTo(after[i]!.mu - mu, (sigma * sigma * (at(0.01) - at(-0.01))) / 0.02, 1e-3)
      })
    }
  })
})

describe("the spread of a field", () => {
  it("is found from its matches, narrow and wide, with two seats and with four", () => {
    for (const seats of [2, 4])
      for (const spread of [50, 100, 200, 400, 800]) {
        const found = Array.from({ length: 5 }, (_, seed) => learned(logOf(seed + 1, { spread, seats }))!)
        const middle = found.sort((a, b) => a - b)[2]!
        const factor = spread === 800 ? 1.4 : 1.2 // of so wide a field the belief around 200 is wrong by three deviations
        assert.isTrue(
          middle > spread / factor && middle < spread * factor,
          `${seats} seats, ${spread}: ${found.map(Math.round).join(", ")}`
        )
      }
  })

  it("is that of before where the log says little", () => {
    assert.isNull(learned([]))
    assert.isNull(learned(logOf(1, { spread: 100, entries: 7, games: 100 })))
    assert.isNull(learned(logOf(1, { spread: 100, games: 7 })))
    const found = learned(logOf(1, { spread: 100, entries: 8, games: 8 }))!
    assert.isTrue(found > 80 && found < 250, `${found}`)
  })

  it("stays within bounds whatever the matches say", () => {
    const narrow = learned(logOf(1, { spread: 0, games: 600 }))!
    assert.isTrue(narrow > 15 && narrow < 40, `${narrow}`)
    const ties = logOf(1, { spread: 200 }).map((each) => ("seats" in each ? { ...each, ranks: [1, 1] } : each))
    assert.strictEqual(learned(ties), 200, "ties alone do not tell")
    const order: ReadonlyArray<Logged> = Array.from({ length: 8_000 }, (_, i) => {
      const [a, b] = [i % 40, (i * 7 + 1 + (i % 3)) % 40]
      return { seats: [a, b === a ? (a + 1) % 40 : b], ranks: a < b ? [1, 2] : [2, 1] }
    })
    const wide = learned(order)!
    assert.isTrue(wide > 800 && wide < 2_700, `${wide}`)
  })

  it("counts a new version as one that begins with the rating of the one before it", () => {
    const log = logOf(3, { spread: 400, entries: 20, games: 100 })
    const half = log.length / 2
    const moved = log.slice(half).map((each) => ("seats" in each ? { ...each, seats: each.seats.map((i) => i + 20) } : each))
    const joins = Array.from({ length: 20 }, (_, i): Logged => ({ joins: i + 20, of: i }))
    const found = learned([...log.slice(0, half), ...joins, ...moved])!
    assert.isTrue(found > 300 && found < 550, `${found}`)
  })

  it("pauses every 250 matches", () => {
    const log = logOf(1, { spread: 200 })
    let pauses = 0
    for (const looking = spreadOf(log); looking.next().done !== true; ) pauses++
    assert.isAtLeast(pauses, 3 * Math.floor(log.length / 250))
  })
})
