/** A message to a season whose answer cannot be made into one for the runner. */

import type { Command, Receipt, Reply, Work } from "@agon/domain/season/Command.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
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
  const services = Layer.mergeAll(
    Layer.mock(SeasonActors, { wakeAll: Effect.succeed(Effect.void), askAll }),
    Layer.mock(SeasonStore, { answerOf: () => Effect.fail(gone), open: Effect.succeed([]), log: {} as never }),
    Layer.mock(OpenSeasons, { list: () => [season], get: () => season, refresh: Effect.void }),
    Layer.mock(LeasePayloads, { of: payloads }),
    Layer.mock(MatchVoiding, {}),
    Layer.mock(ObjectStore, { freeShare: Effect.succeed(1) }),
    Layer.succeed(SqlClient.SqlClient, (() => Effect.succeed([])) as never)
  )
  return Effect.gen(function* () {
    const tell = yield* makeTell(holdings)
    const exit = yield* Effect.exit(tell(caller, "s", { results: [result], max: 1 }))
    assert.strictEqual(exit._tag, "Failure")
    const given_back = asked.flatMap((command) => (command._tag === "HoldOnly" ? (command.among ?? []) : []))
    return { given_back, held: holdings.of("r") }
  }).pipe(Effect.provide(services), Effect.scoped)
}

it.effect("work that comes beside a result goes back where the answer to that cannot be read from the rows", () =>
  Effect.gen(function* () {
    const { given_back } = yield* told({ accepted: false, reason: "unknown" }, () => Effect.succeed(["{}"]))
    assert.deepStrictEqual(given_back, [work.lease])
  })
)

it.effect("work goes back of which the files cannot be read", () =>
  Effect.gen(function* () {
    const { given_back, held } = yield* told({ accepted: true }, () => Effect.die(gone))
    assert.deepStrictEqual([given_back, held], [[work.lease], []])
  })
)
