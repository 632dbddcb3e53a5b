/** Results on their way to a season: checked before anything is applied, turned into commands, replays taken over. */
import { Effect } from "effect"
import { InvalidRequest, Unavailable } from "@agon/api/Problem.ts"
import type { LeasedResult, Result } from "@agon/api/runner/protocol.ts"
import { faultOf } from "@agon/domain/match/Outcome.ts"
import type { Command } from "@agon/domain/season/Command.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import { replayKey, replayUploadKey } from "../object/keys.ts"
import type { ObjectStore } from "../object/ObjectStore.ts"
import { AUDITS } from "./Audits.ts"
import type { Holding } from "./Holdings.ts"
import { REPLAY_BYTES_MAX } from "./WorkSheets.ts"

type Finished = Extract<Result, { kind: "match"; seats: unknown }>
const isFinished = <R extends Result>(result: R): result is R & Finished => result.kind === "match" && "seats" in result

/** A runner may list the seats in any order; the machine takes them by number. */
const bySeat = ({ seats }: Finished) => (seats.every(({ seat }, i) => seat === i) ? seats : seats.toSorted((a, b) => a.seat - b.seat))

/** The machine's command for a result. Audits have none: they are a queue of their own. */
export const commandOf = (key: string, result: LeasedResult): Command | undefined => {
  const { lease } = result
  if (result.kind === "admission") {
    const { kind: _, lease: __, ...verdict } = result
    return { _tag: "ReportAdmission", key, lease, verdict }
  }
  if (result.kind !== "match") return undefined
  if (!isFinished(result)) {
    return { _tag: "ReportFault", key, lease, runtime_version: null, fault_reason: result.fault_reason, detail: result.detail }
  }
  const { played_ms, reason, replay, runtime_version, state_sha256, turns } = result
  const seats = bySeat(result).map(({ rank, score, strikes }) => ({ rank, score, strikes }))
  return { _tag: "ReportMatch", key, lease, outcome: { runtime_version, reason, turns, played_ms, seats, state_sha256, replay } }
}

/** What is wrong with a result for work that this runner holds, in sentences by path; nothing where it is sound. */
export const faultsOf = (result: Result, holding: Holding | undefined, path: string) => {
  if (holding === undefined) return []
  if (result.kind !== (holding.season === AUDITS ? "audit" : holding.seats === null ? "admission" : "match")) {
    return [{ path: `${path}kind`, message: `The lease is not for work of kind ${result.kind}.` }]
  }
  if (!isFinished(result)) return []
  const seats = bySeat(result)
  if (seats.some(({ seat }, i) => seat !== i)) return [{ path: `${path}seats`, message: "Every seat of the match stands here once." }]
  const fault = faultOf(seats, holding.seats!, holding.strike_limit)
  return fault === undefined ? [] : [{ path: `${path}seats`, message: fault }]
}

/** Those with a replay, and which of the request's results each is. */
const replaysOf = (results: ReadonlyArray<LeasedResult>) =>
  results.flatMap((result, i) => (isFinished(result) && result.replay !== null ? [{ i, lease: result.lease, replay: result.replay }] : []))

/** Sizes and hashes the replays of open matches and takes them over; fails where one is not what the result says. */
export const takeReplays = (objects: ObjectStore["Service"], results: ReadonlyArray<LeasedResult>, holds: (lease: string) => boolean) =>
  Effect.forEach(
    replaysOf(results).filter(({ lease }) => holds(lease)),
    Effect.fnUntraced(function* ({ i, lease, replay: { bytes, hash } }) {
      const sha256 = hash.slice("sha256:".length)
      const into = replayKey(parseLease(lease)!.id)
      const stored = yield* objects
        .verify({ key: replayUploadKey(lease), sha256, max_bytes: REPLAY_BYTES_MAX, into })
        .pipe(Effect.mapError(() => new Unavailable({ detail: "The object store does not answer just now; report again in a second." })))
      const message =
        typeof stored === "string"
          ? `The replay is ${stored.replace("_", " ")}.`
          : stored.bytes === bytes
            ? undefined
            : `The replay has ${stored.bytes} bytes.`
      if (message !== undefined) {
        return yield* new InvalidRequest({ detail: message, errors: [{ path: `results.${i}.replay`, message }] })
      }
    }),
    { concurrency: 8, discard: true }
  )

/** The uploads of results that were accepted are not needed under their own key any more. */
export const dropUploads = (objects: ObjectStore["Service"], results: ReadonlyArray<LeasedResult>) =>
  Effect.forEach(replaysOf(results), ({ lease }) => Effect.ignore(objects.remove(replayUploadKey(lease))), {
    concurrency: 8,
    discard: true
  })
