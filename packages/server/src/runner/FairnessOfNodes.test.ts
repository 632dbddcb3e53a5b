import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { LocalMailboxes } from "../actor/LocalMailboxes.ts"
import type { Mailbox } from "../actor/Mailbox.ts"
import { Broadcast, type Listener } from "../node/Broadcast.ts"
import { HOME_LEAD } from "./Fairness.ts"
import { makeFairnessOfNodes } from "./FairnessOfNodes.ts"
import { SharesRunners } from "./SeasonCalls.ts"

const [here, there] = ["019a0000-0000-7000-8000-000000000001", "019a0000-0000-7000-8000-000000000002"]
const seasons = [{ id: here }, { id: there }]

/** Nodes whose words reach each other at once; each hosts one season. */
const nodes = Effect.gen(function* () {
  const listeners: Array<Listener & { readonly of: string }> = []
  return yield* Effect.forEach([here, there], (home) =>
    makeFairnessOfNodes.pipe(
      Effect.provideService(SharesRunners, true),
      Effect.provideService(LocalMailboxes, new Map([[home, {} as Mailbox]])),
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

it.effect("words that make no sense are passed over", () =>
  Effect.gen(function* () {
    const heard: Array<Listener> = []
    const quiet = Broadcast.of({ tell: () => Effect.void, listen: (listener) => Effect.sync(() => void heard.push(listener)) })
    const one = yield* makeFairnessOfNodes.pipe(
      Effect.provideService(SharesRunners, true),
      Effect.provideService(LocalMailboxes, new Map()),
      Effect.provideService(Broadcast, quiet)
    )
    yield* heard[0]!.heard(["*", `${here} 0`, `${here} 1e9`, "", `${there} 5`])
    assert.deepStrictEqual(one.order(seasons), [{ id: here }, { id: there }])
  })
)
