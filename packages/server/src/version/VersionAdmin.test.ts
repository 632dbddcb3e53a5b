import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import * as Mailbox from "../actor/Mailbox.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { VersionAdmin } from "./VersionAdmin.ts"
import { Versions } from "./Versions.ts"
import { VoidOrders } from "./VoidOrders.ts"

it.effect("a disqualification has its order to void before its commit, and again after it, also where its client goes away", () =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox.make("season")
    yield* Mailbox.open(mailbox)
    const ordered: Array<string> = []
    const around = Layer.mergeAll(
      Layer.mock(SeasonActors, { ask: (_season, command) => Mailbox.ask(mailbox, command) }),
      Layer.mock(VoidOrders, { add: ({ version_id }) => Effect.sync(() => void ordered.push(version_id)) }),
      Layer.mock(Versions, { own: () => Effect.die("nobody reads the answer") })
    )
    const { disqualify } = yield* Effect.provide(VersionAdmin, Layer.provide(VersionAdmin.layer, around))
    const asked = disqualify({ id: "account" } as SignedIn, { id: "season" } as SeasonInPath, "version", {
      reason: "copied",
      void_matches: true
    })
    const request = yield* Effect.forkChild(asked, { startImmediately: true })

    const held = yield* Queue.take(mailbox.queue)
    assert.deepStrictEqual(ordered, ["version"], "a process that dies now has left it")
    yield* Fiber.interrupt(request)
    Mailbox.answer(mailbox, held, [{ status: "disqualified" }])
    yield* Effect.repeat(Effect.yieldNow, { until: () => ordered.length > 1, times: 20 })
    assert.deepStrictEqual(ordered, ["version", "version"])
  })
)
