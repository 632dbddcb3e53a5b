/** Heartbeats keep the leases of work that takes longer than a lease, and say which are lost. */

import type { Client } from "@agon/api/Client.ts"
import { Effect, Fiber } from "effect"
import { drain, leasesOf, type State } from "./RunnerState.ts"
import { REQUEST_MARGIN_S } from "./untilAnswered.ts"

/** No service wants heartbeats more often. */
const HEARTBEAT_MIN_S = 1

/**
 * Every heartbeat_s, whether or not the one before was answered: a connection that hangs must not cost the leases,
 * which end after three.
 */
export const beat = Effect.fnUntraced(function* (client: Client, state: State) {
  while (true) {
    yield* Effect.sleep(`${Math.max(HEARTBEAT_MIN_S, state.session.heartbeat_s)} seconds`)
    yield* Effect.forkChild(beatOnce(client, state))
  }
})

/** Reports the leases in progress and stops work whose lease is lost. */
const beatOnce = Effect.fnUntraced(function* (client: Client, state: State) {
  const leases = leasesOf(state.running, [...state.done, ...state.late])
  if (leases.length === 0) return
  const answer = yield* client.runner
    .heartbeat({ payload: { runner: state.session.runner, leases } })
    .pipe(Effect.timeout(`${REQUEST_MARGIN_S} seconds`), Effect.option)
  if (answer._tag === "None") return
  if (answer.value.drain) yield* drain(state, "the service asks for it")
  for (const one of answer.value.leases) {
    const fiber = "lost" in one ? state.running.get(one.lease) : undefined
    if (fiber !== undefined)
      yield* Effect.andThen(Effect.logInfo("a lease was lost, stopping its work", { lease: one.lease }), Fiber.interrupt(fiber))
  }
})
