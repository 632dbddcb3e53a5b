/**
 * Runner keys and runners as administrators manage them, the platform's and those of a season alike. Each write is
 * logged in its transaction; afterwards the seasons' actors take back the leases of a revoked key.
 */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import type { NotFound } from "@agon/api/Problem.ts"
import type { Key, NewKey, Runner } from "@agon/api/runner/api.ts"
import { Context, Effect, Fiber, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Ongoing } from "../../account/level/Ongoing.ts"
import { auditOf, makeAuditLog, nowhere, placeOf } from "../../audit/auditLog.ts"
import { Parking } from "../../parking/Parking.ts"
import { RunnerKeys } from "../key/RunnerKeys.ts"

/** The owner of the fleet: a season, or null for the platform. */
type Fleet = SeasonInPath | null
type Write<A, E = never> = (account: SignedIn, fleet: Fleet, named: string) => Effect.Effect<A, E>

export class FleetAdmin extends Context.Service<
  FleetAdmin,
  {
    /** By the name of the new key. */
    readonly create: Write<NewKey>
    /** By id: the key and its runners end, their leases go back to the queue at once. Repeating it changes nothing. */
    readonly revoke: Write<Key, NotFound>
    /** By the runner's id: it gets no new lease, and finishes its current work. */
    readonly stop: Write<Runner, NotFound>
  }
>()("agon/FleetAdmin") {
  static readonly layer: Layer.Layer<FleetAdmin, never, SqlClient.SqlClient | Parking | RunnerKeys> = Layer.effect(
    FleetAdmin,
    Effect.suspend(() => makeFleetAdmin)
  )
}

const placeOfFleet = (fleet: Fleet) => (fleet === null ? nowhere : placeOf(fleet))

const makeFleetAdmin = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const keys = yield* RunnerKeys
  const parking = yield* Parking
  const ongoing = yield* Ongoing

  return FleetAdmin.of({
    create: Effect.fn("FleetAdmin.create")(function* (account, fleet, name) {
      const write = keys.create(name, fleet?.id ?? null, account.id)
      return yield* auditLog.logged(placeOfFleet(fleet), write, ({ id, prefix }) =>
        auditOf(account, "runner-key.create", name, { id, prefix })
      )
    }),

    revoke: Effect.fn("FleetAdmin.revoke")(function* (account, fleet, id) {
      const ended = auditLog.logged(placeOfFleet(fleet), keys.end(id, fleet?.id ?? null), ({ fresh, key }) =>
        fresh ? auditOf(account, "runner-key.revoke", key.name, { id }) : undefined
      )
      // A fiber of its own: if the caller goes away while the key ends, or after it, its leases are still taken back.
      const returning = yield* ended.pipe(
        Effect.tap(({ fresh, key: { name } }) =>
          fresh ? Effect.logInfo("a runner key was revoked, and its runners are gone", { key: id, name }) : Effect.void
        ),
        Effect.tap(() => ongoing.end(id)),
        Effect.flatMap(() => Effect.forkDetach(keys.returnLeases(id, "ended"))),
        Effect.uninterruptible
      )
      yield* Fiber.join(returning)
      return yield* keys.get(id, fleet?.id ?? null)
    }),

    stop: Effect.fn("FleetAdmin.stop")(function* (account, fleet, id) {
      const { fresh, runner } = yield* auditLog.logged(placeOfFleet(fleet), keys.drain(id, fleet?.id ?? null), ({ fresh, runner }) =>
        fresh ? auditOf(account, "runner.stop", runner.name, { id }) : undefined
      )
      parking.stop(id)
      if (fresh) yield* Effect.logInfo("a runner drains", { runner: id, name: runner.name, key: runner.key_id, leases: runner.leases })
      return runner
    })
  })
})
