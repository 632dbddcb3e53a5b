/** Follows a version through admission: upload, review, trial, and then entered or rejected. */
import type { Client } from "@agon/api/Client.ts"
import { retryRefused, waitOf } from "@agon/api/retryRefused.ts"
import type { OwnVersion } from "@agon/api/version/Version.ts"
import { Console, Effect, Schedule } from "effect"
import { HttpClientError } from "effect/http"

const LOOK_EVERY = "2 seconds"

/** For so long a service that does not answer, as while it starts anew, is asked again; also where nginx says in its place to wait. */
const whileAway = {
  schedule: Schedule.spaced(LOOK_EVERY).pipe(Schedule.upTo({ duration: "5 minutes" })),
  while: (error: unknown) => HttpClientError.isHttpClientError(error) || waitOf(error) !== undefined
}

/** How far a version is, in a line. */
export const stageOf = ({ phase, status, trial }: OwnVersion): string => {
  if (status !== "testing") return status
  return phase === "trial" && trial !== null ? `trial: ${trial.played} of ${trial.matches} matches played` : (phase ?? status)
}

/** How it ended, in a sentence. */
export const endOf = ({ class: ladder, model, reject_detail, reject_reason, season, status, version }: OwnVersion): string =>
  status === "rejected"
    ? `rejected (${reject_reason}): ${reject_detail ?? "no reason was given"}`
    : `${status}: ${model} version ${version} in ${season}${ladder === null ? "" : `, class ${ladder}`}`

/** The version when it is no longer in admission. Prints each stage once, unless quiet. */
export const follow = Effect.fnUntraced(function* (client: Client, id: string, quiet: boolean) {
  // A refusal is waited for as it tells, and repeated by `whileAway` alone.
  const look = retryRefused(client.version.ownVersion({ params: { id } }), { tries: 0 })
  let told = ""
  for (;;) {
    const version = yield* Effect.retry(look, whileAway)
    if (version.status !== "testing") return version
    const stage = stageOf(version)
    if (stage !== told && !quiet) yield* Console.log(stage)
    told = stage
    yield* Effect.sleep(LOOK_EVERY)
  }
})
