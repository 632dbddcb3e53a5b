import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import type { Mailbox } from "../../actor/Mailbox.ts"
import { Broadcast, type Listener } from "../../node/Broadcast.ts"
import { HasPeers } from "../../process/HasPeers.ts"
import { HOME_LEAD } from "./Fairness.ts"
import { makeFairnessOfNodes } from "./FairnessOfNodes.ts"

const [here, there] = ["019a0000-0000-7000-8000-000000000001", "019a0000-0000-7000-8000-000000000002"]
const seasons = [{ id: here }, { id: there }]

/** Nodes whose words reach each other at once, and the seasons that each of them hosts. */
const nodesOf = Effect.fnUntraced(function* (homes: ReadonlyArray<ReadonlyArray<string>>) {
  const listeners: Array<Listener & { readonly of: ReadonlyArray<string> }> = []
  return yield* Effect.forEach(homes, (home) =>
    makeFairnessOfNodes.pipe(
      Effect.provideService(HasPeers, true),
      Effect.provideService(LocalMailboxes, new Map(home.map((id) => [id, {} as Mailbox]))),
      Effect.provideService(
        Broadcast,
        Broadcast.of({
          listen: (listener) => Effect.sync(() => void listeners.push({ ...listener, of: home })),
          tell: (topic, words) =>
            Effect.forEach(
              listeners.filter((listener) => listener.topic === topic && listener.of !== home),
              ({ heard }) => heard(words),
              { discard: true }
            )
        })
      )
    )
  )
})

const nodes = nodesOf([[here], [there]])

const first = (node: { readonly order: (of: typeof seasons) => ReadonlyArray<{ readonly id: string }> }) => node.order(seasons)[0]!.id

it.effect("a node serves its own seasons while all are served alike, whoever serves them", () =>
  Effect.gen(function* () {
    const [one, other] = yield* nodes
    for (let second = 0; second < 20; second++) {
      for (let n = 0; n < 10; n++) {
        assert.deepStrictEqual([first(one!), first(other!)], [here, there])
        one!.served(here, 1)
        other!.served(there, 1)
      }
      yield* TestClock.adjust("1 second")
    }
  })
)

it.effect("a node whose own seasons are ahead serves those of a node that nobody asks", () =>
  Effect.gen(function* () {
    const [one] = yield* nodes
    const given = new Map([here, there].map((id) => [id, 0]))
    for (let n = 0; n < 200; n++) {
      const id = first(one!)
      one!.served(id, 1)
      given.set(id, given.get(id)! + 1)
      if (n % 10 === 9) yield* TestClock.adjust("1 second")
    }
    assert.isAtMost(given.get(here)! - given.get(there)!, HOME_LEAD)
  })
)

const eight = Array.from({ length: 8 }, (_, n) => ({ id: `019a0000-0000-7000-8000-0000000000${n + 10}` }))
const homes = [eight.slice(0, 4), eight.slice(4)].map((those) => those.map(({ id }) => id))

/**
 * Two nodes with four seasons each, whose work has no end, and runners each of which brings a result, tells its season,
 * and is given a match, `per_s` times a second in all. `nodeOf` says to which node a runner comes the nth time. Of the
 * last seconds: how many of the matches each season gave, which share of the results was told to the other node's
 * seasons, and which of the matches cost a message more.
 */
const played = Effect.fnUntraced(function* (
  per_s: number,
  runners: number,
  seconds: number,
  nodeOf: (runner: number, nth: number) => number
) {
  const both = yield* nodesOf(homes)
  const plays = new Map<number, { readonly season: string; readonly node: number }>()
  const given = new Map(eight.map(({ id }) => [id, 0]))
  const told = { here: 0, elsewhere: 0, more: 0 }
  for (let nth = 0; nth < per_s * seconds; nth++) {
    const runner = (nth * 7) % runners
    const at = nodeOf(runner, Math.floor(nth / runners))
    const node = both[at]!
    const before = plays.get(runner)
    node.came(before === undefined || before.node === at)
    const season = node.order(eight, (id) => id === before?.season)[0]!.id
    node.served(season, 1)
    plays.set(runner, { season, node: at })
    if (nth >= (per_s * seconds) / 2) {
      given.set(season, given.get(season)! + 1)
      if (before !== undefined) told[node.isHome(before.season) ? "here" : "elsewhere"]++
      if (season !== before?.season) told.more++
    }
    if (nth % per_s === per_s - 1) yield* TestClock.adjust("1 second")
  }
  const all = told.here + told.elsewhere
  return { given: [...given.values()].map((n) => n / all), elsewhere: told.elsewhere / all, more: told.more / all }
})

it.effect("runners of a busy fleet that stay with their node play its seasons, and all seasons are served alike", () =>
  Effect.gen(function* () {
    const { elsewhere, given } = yield* played(400, 40, 20, (runner) => runner % 2)
    assert.isAtMost(elsewhere, 0.05)
    for (const share of given) assert.approximately(share, 1 / 8, 0.02)
  })
)

it.effect("seasons of a node to which few runners of a busy fleet come are served as much as the others", () =>
  Effect.gen(function* () {
    for (const per_s of [100, 400, 1_000]) {
      const { elsewhere, given } = yield* played(per_s, 40, 40, (runner) => (runner < 4 ? 0 : 1))
      assert.approximately(elsewhere, 0.42, 0.05, "half of the matches are of seasons to which a tenth of the runners come")
      for (const share of given) assert.approximately(share, 1 / 8, 0.02, `${per_s} a second`)
    }
  })
)

it.effect("where runners of a busy fleet come to any node, a result's season gives the next match, wherever it lives", () =>
  Effect.gen(function* () {
    const { given, more } = yield* played(400, 40, 120, (runner, nth) => (runner + ((nth * nth) % 7)) % 2)
    assert.isAtMost(more, 0.1)
    for (const share of given) assert.approximately(share, 1 / 8, 0.02)
  })
)

it.effect("words that make no sense are passed over", () =>
  Effect.gen(function* () {
    const heard: Array<Listener> = []
    const quiet = Broadcast.of({ tell: () => Effect.void, listen: (listener) => Effect.sync(() => void heard.push(listener)) })
    const one = yield* makeFairnessOfNodes.pipe(
      Effect.provideService(HasPeers, true),
      Effect.provideService(LocalMailboxes, new Map()),
      Effect.provideService(Broadcast, quiet)
    )
    yield* heard[0]!.heard(["*", `${here} 0`, `${here} 1e9`, "", `${there} 5`])
    assert.deepStrictEqual(one.order(seasons), [{ id: here }, { id: there }])
  })
)
