/**
 * Results that a lease request could not bring: their season is away, or one of them is malformed. They are told beside the
 * runner's loop, which asks the other seasons for work meanwhile. They stay in `holds` and in the runner's count of work.
 *
 *   a lease request failed ─▶ late ─▶ each is told by itself, one after the other ─▶ answered: told
 *                              ▲               └─ its season is away ─┐
 *                              └──────── a pause, which grows ◀───────┘
 *
 * A result may be told twice, since the season may have heard it before: it counts once, and the first answer comes again.
 */
import type { Client } from "@agon/api/Client.ts"
import type { Result } from "@agon/api/runner/protocol.ts"
import { Effect, Random } from "effect"
import { type Done, uploaded } from "./results.ts"
import { REQUEST_MARGIN_S, type UntilAnswered } from "./untilAnswered.ts"

/** The pauses between two rounds grow by half up to this. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000

export interface Late {
  /** Those to be told, the oldest first. */
  readonly next: Effect.Effect<ReadonlyArray<Done>>
  readonly told: (lease: string) => Effect.Effect<void>
}

/** Tells late results for ever: waits for `next` where there is none. */
export const tellLate = Effect.fnUntraced(function* (client: Client, untilAnswered: UntilAnswered, { next, told }: Late) {
  for (let pause_ms = FIRST_PAUSE_MS; ; ) {
    let away = 0
    for (const done of yield* next) {
      if ((yield* tellOne(client, untilAnswered, done)) === "away") away++
      else yield* told(done.work.lease)
    }
    if (away > 0) yield* Effect.sleep(pause_ms * (0.8 + 0.4 * (yield* Random.next)))
    pause_ms = away > 0 ? Math.min(LONGEST_PAUSE_MS, pause_ms * 1.5) : FIRST_PAUSE_MS
  }
})

const tellOne = (client: Client, untilAnswered: UntilAnswered, done: Done) => {
  const { lease } = done.work
  const tell = (payload: Result) => {
    const call = client.runner.result({ params: { lease }, payload })
    const away = Effect.catchTag(call, "unavailable", () => Effect.succeed("away" as const))
    return untilAnswered("result", away).pipe(
      Effect.tap((answer) =>
        answer !== "away" && !answer.accepted ? Effect.logInfo("a result was not counted", { lease, reason: answer.reason }) : Effect.void
      ),
      Effect.catchTag("not_found", () => Effect.void)
    )
  }
  return tell(done.result).pipe(
    Effect.catchTag("invalid_request", (error) => Effect.flatMap(uploaded(done), (other) => (other ? tell(other) : Effect.fail(error)))),
    Effect.catchTag("invalid_request", (error) =>
      Effect.andThen(
        Effect.logError("the service calls a result malformed; reporting it as failed", { lease, detail: error.detail }),
        Effect.ignore(Effect.timeout(giveUp(client, lease, done.result), `${REQUEST_MARGIN_S} seconds`))
      )
    )
  )
}

/**
 * Done where the service does not take the result itself. A failure counts as an attempt: given back, the
 * work would come again at no cost, and the same result with it, for ever.
 */
const giveUp = (client: Client, lease: string, result: Result): Effect.Effect<unknown, unknown> => {
  const params = { lease }
  const detail = "The service did not take the result of this work."
  if (result.kind === "audit") return client.runner.release({ params, payload: {} })
  return result.kind === "match"
    ? client.runner.result({ params, payload: { kind: "match", fault_reason: "engine_fault", detail } })
    : client.runner.result({ params, payload: { kind: "admission", runtime_version: result.runtime_version, verdict: "failed", detail } })
}
