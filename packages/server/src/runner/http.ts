import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentKey } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { group } from "../http/group.ts"
import { Dispatcher, type Handed } from "./dispatch/Dispatcher.ts"
import { HeldLeases } from "./dispatch/HeldLeases.ts"
import { FleetAdmin } from "./fleet/FleetAdmin.ts"
import { RunnerKeys } from "./key/RunnerKeys.ts"
import { Runners } from "./session/Runners.ts"
import { answerText } from "./work/LeasePayloads.ts"

/** The platform's fleet: keys that belong to no season. */
const PLATFORM = null

export const FleetHandlers = group(
  Api,
  "fleet",
  Effect.fnUntraced(function* (handlers) {
    const admin = yield* FleetAdmin
    const keys = yield* RunnerKeys
    return handlers.handleAll({
      keys: ({ query }) => keys.list(PLATFORM, query),
      createKey: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => admin.create(account, PLATFORM, payload.name)),
      revokeKey: ({ params }) => Effect.flatMap(CurrentAccount, (account) => admin.revoke(account, PLATFORM, params.key)),
      runners: ({ query }) => keys.runners(PLATFORM, query),
      stopRunner: ({ params }) => Effect.flatMap(CurrentAccount, (account) => admin.stop(account, PLATFORM, params.runner))
    })
  })
)

/** Skips the response schema: LeasePayloads.ts writes the same text. */
const written = ({ drain, leases, results }: Handed) =>
  HttpServerResponse.text(answerText(leases, results, drain), { contentType: "application/json" })

export const RunnerHandlers = group(
  Api,
  "runner",
  Effect.fnUntraced(function* (handlers) {
    const dispatcher = yield* Dispatcher
    const held = yield* HeldLeases
    const runners = yield* Runners
    return handlers.handleAll({
      openSession: ({ payload }) => Effect.flatMap(CurrentKey, (key) => runners.open(key, payload)),
      closeSession: ({ params }) => Effect.flatMap(CurrentKey, (key) => held.close(key, params.runner)),
      lease: ({ payload }) => Effect.flatMap(CurrentKey, (key) => Effect.map(dispatcher.lease(key, payload), written)),
      heartbeat: ({ payload }) => Effect.flatMap(CurrentKey, (key) => held.heartbeat(key, payload.runner, payload.leases)),
      result: ({ params, payload }) => Effect.flatMap(CurrentKey, (key) => held.result(key, params.lease, payload)),
      release: ({ params }) => Effect.flatMap(CurrentKey, (key) => held.release(key, params.lease))
    })
  })
)
