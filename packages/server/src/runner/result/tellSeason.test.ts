/** A message to a season whose answer cannot be made into one for the runner. */

import type { Command, Receipt, Reply, Work } from "@agon/domain/season/Command.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OpenSeasons } from "../../actor/OpenSeasons.ts"
import { SeasonActors } from "../../actor/SeasonActors.ts"
import { SeasonStore, StoreFailed } from "../../actor/SeasonStore.ts"
import { MatchVoiding } from "../../match/MatchVoiding.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { Holdings } from "../session/Holdings.ts"
import { LeasePayloads } from "../work/LeasePayloads.ts"
import { makeTell } from "./tellSeason.ts"

const season = { id: "s", game: "snakes", engine_digest: "e" }
const engine = { game: "snakes", engine_digest: "e" }
const runner = { id: "r", key_id: "k", slots: 4, state: "active", accepts: ["match"], engines: [engine], runtime_version: "v" } as const
const caller = { key: { id: "k", season_id: null }, runner, stays: true } as const
const work = { kind: "admission", lease: "w.1", until: 0, version: "w", attempt: 1 } as const satisfies Work
const result = { kind: "match", lease: "l.1", fault_reason: "weights_unavailable", detail: "" } as const
const gone = new StoreFailed({ season: "s", cause: "the server restarts" })

const UNKNOWN = { accepted: false, reason: "unknown" } as const

interface Services {
  readonly answers: Pick<SeasonStore["Service"], "answerOf">
  readonly askAll: SeasonActors["Service"]["askAll"]
  readonly payloads?: LeasePayloads["Service"]["of"]
}

const servicesOf = ({ answers, askAll, payloads = () => Effect.succeed([]) }: Services) =>
  Layer.mergeAll(
    Layer.mock(SeasonActors, { wakeAll: Effect.succeed(Effect.void), askAll }),
    Layer.mock(SeasonStore, { ...answers, open: Effect.succeed([]), log: {} as never }),
    Layer.mock(OpenSeasons, { list: () => [season], get: () => season, refresh: Effect.void }),
    Layer.mock(LeasePayloads, { of: payloads }),
    Layer.mock(MatchVoiding, {}),
    Layer.mock(ObjectStore, { freeShare: Effect.succeed(1) }),
    Layer.succeed(SqlClient.SqlClient, (() => Effect.succeed([])) as never)
  )

/** A season that gives one piece of work, to whose results it answers so; rows or payloads cannot be read. */
const told = (receipt: Receipt, payloads: LeasePayloads["Service"]["of"]) => {
  const [asked, holdings] = [[] as Array<Command>, new Holdings()]
  holdings.know("r", [])
  const askAll = (_: string, commands: ReadonlyArray<Command>) => {
    asked.push(...commands)
    return Effect.succeed(
      commands.map(({ _tag }): Reply => (_tag === "LeaseWork" ? [work] : _tag === "HoldOnly" ? { returned: 1 } : receipt))
    )
  }
  const answers = { answerOf: () => Effect.fail(gone) }
  return Effect.gen(function* () {
    const tell = yield* makeTell(holdings)
    const exit = yield* Effect.exit(tell(caller, "s", { results: [result], max: 1 }))
    assert.strictEqual(exit._tag, "Failure")
    const given_back = asked.flatMap((command) => (command._tag === "HoldOnly" ? (command.among ?? []) : []))
    return { given_back, held: holdings.of("r") }
  }).pipe(Effect.provide(servicesOf({ answers, askAll, payloads })), Effect.scoped)
}

it.effect("work that comes beside a result goes back where the answer to that cannot be read from the rows", () =>
  Effect.gen(function* () {
    const { given_back } = yield* told(UNKNOWN, () => Effect.succeed(["{}"]))
    assert.deepStrictEqual(given_back, [work.lease])
  })
)

it.effect("work goes back of which the files cannot be read", () =>
  Effect.gen(function* () {
    const { given_back, held } = yield* told({ accepted: true }, () => Effect.die(gone))
    assert.deepStrictEqual([given_back, held], [[work.lease], []])
  })
)

it.effect("results that are repeated are answered together, on a database that takes two seconds for each look", () => {
  const leases = Array.from({ length: 16 }, (_, n) => `l.${n + 1}`)
  const answers = { answerOf: () => Effect.as(Effect.sleep("2 seconds"), { accepted: true } as const) }
  return Effect.gen(function* () {
    const tell = yield* makeTell(new Holdings())
    const said = { results: leases.map((lease) => ({ ...result, lease })), max: 0 }
    const telling = yield* Effect.forkChild(tell(caller, "s", said), { startImmediately: true })
    yield* TestClock.adjust("2 seconds")
    const { receipts } = yield* Fiber.join(telling)
    assert.deepStrictEqual(
      receipts.map(({ accepted }) => accepted),
      leases.map(() => true)
    )
  }).pipe(Effect.provide(servicesOf({ answers, askAll: (_, commands) => Effect.succeed(commands.map(() => UNKNOWN)) })), Effect.scoped)
})
