/**
 * Results on their way to a season: checked before anything is applied, turned into commands, replays taken over.
 *
 * held under this key, by its last lease? ── no ─▶ `Unheld`: its content is not looked at, the season answers it
 *      └─ yes ─▶ sound by itself? ─▶ its replay is sized and hashed ─ sent along ─▶ the season, which writes it with the match
 *                                                                  └─ uploaded ─▶ put where only it can lie ─▶ the season
 *                                                                      accepted ─▶ the upload is removed; ReplayUploads.ts does the rest
 */

import { hash } from "node:crypto"
import { invalidField, Unavailable } from "@agon/api/Problem.ts"
import type { LeasedResult, Result } from "@agon/api/runner/protocol.ts"
import { faultOf } from "@agon/domain/match/Outcome.ts"
import type { Command, MatchOutcome } from "@agon/domain/season/Command.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import { hexOf } from "@agon/engine/hash.ts"
import { REPLAY_BYTES_MAX } from "@agon/engine/replay/parseReplay.ts"
import { Effect } from "effect"
import { replayKey, replayUploadKey } from "../../object/keys.ts"
import type { ObjectStore, VerifyResult } from "../../object/ObjectStore.ts"
import { REPLAY_FREE_SHARE_MIN } from "../../object/Uploads.ts"
import type { Holding } from "../session/Holdings.ts"
import { AUDITS } from "../work/ReplayAudits.ts"
import type { ReplayUploads } from "./ReplayUploads.ts"

/** A result of a finished match that the key does not hold, so its replay was not looked at. */
interface Unheld {
  readonly kind: "unheld"
  readonly lease: string
}
/** Of a match whose replay contradicts what was reported (FinalsReplays.ts). */
export type Denied = NonNullable<Extract<Command, { _tag: "ReportMatch" }>["denied"]>
export type Reported = (LeasedResult & { readonly denied?: Denied }) | Unheld

export type Finished = Extract<Result, { kind: "match"; seats: unknown }>
export const isFinished = <R extends { readonly kind: string }>(result: R): result is R & Finished =>
  result.kind === "match" && "seats" in result

/** A runner may list the seats in any order; the machine expects them by number. */
export const bySeat = ({ seats }: Finished) =>
  seats.every(({ seat }, i) => seat === i) ? seats : seats.toSorted((a, b) => a.seat - b.seat)

/**
 * The outcome of an unheld result. The machine refuses it and says why; it cannot accept it even if the key
 * gets the lease at this moment.
 */
const UNPROVEN: MatchOutcome = { runtime_version: "", reason: "", turns: 0, played_ms: 0, seats: [], state_sha256: "", replay: null }

/** The machine's command for a result. Audits have none: they have their own queue. */
export const commandOf = (key: string, result: Reported): Command | undefined => {
  const { lease } = result
  if (result.kind === "unheld") return { _tag: "ReportMatch", key, lease, outcome: UNPROVEN }
  if (result.kind === "admission") {
    const { kind: _, lease: __, ...verdict } = result
    return { _tag: "ReportAdmission", key, lease, verdict }
  }
  if (result.kind !== "match") return undefined
  if (!isFinished(result)) {
    const { detail, fault_reason, version_id = null } = result
    return { _tag: "ReportFault", key, lease, fault_reason, version: version_id, detail }
  }
  const { played_ms, reason, runtime_version, state_sha256, turns } = result
  const { bytes, hash, inline } = result.replay
  const replay = { hash, bytes, ...(inline === undefined ? {} : { content: inline }) }
  const seats = bySeat(result).map(({ rank, score, strikes }) => ({ rank, score, strikes }))
  const { denied } = result
  return {
    _tag: "ReportMatch",
    key,
    lease,
    ...(denied === undefined ? {} : { denied }),
    outcome: { runtime_version, reason, turns, played_ms, seats, state_sha256, replay }
  }
}

/** The faults of a result for work that this key holds, as sentences by path; empty where it is sound. */
export const faultsOf = (result: Result, holding: Holding, path: string, known: ReadonlySet<string>) => {
  const kind = holding.season === AUDITS ? "audit" : holding.seats === null ? "admission" : "match"
  if (result.kind !== kind) return [{ path: `${path}kind`, message: `The lease is for work of kind ${kind}, and not ${result.kind}.` }]
  if ("runtime_version" in result && !known.has(result.runtime_version)) {
    return [
      {
        path: `${path}runtime_version`,
        message: "Results of this runtime do not count: it is not that of the service's build, and AGON_RUNTIMES does not allow it."
      }
    ]
  }
  if (!isFinished(result)) return []
  const seats = bySeat(result)
  if (seats.some(({ seat }, i) => seat !== i)) return [{ path: `${path}seats`, message: "Every seat of the match stands here once." }]
  const { max_turns, strike_limit } = holding
  if (result.turns > max_turns)
    return [{ path: `${path}turns`, message: `The match has ${result.turns} turns, by the rules ${max_turns} at most.` }]
  const over = seats.find(({ strikes }) => strikes > strike_limit)
  if (over !== undefined) {
    return [{ path: `${path}seats`, message: `Seat ${over.seat} has ${over.strikes} strikes; with ${strike_limit} it is out.` }]
  }
  const fault = faultOf(seats, holding.seats!, strike_limit)
  return fault === undefined ? [] : [{ path: `${path}seats`, message: fault }]
}

interface Stores {
  readonly objects: ObjectStore["Service"]
  readonly uploads: ReplayUploads["Service"]
  /**
   * Whether replays within results are written with their matches; else they are objects,
   * as those that were uploaded.
   */
  readonly areRows: boolean
}

/**
 * Checks the replays of held results and takes over those that were uploaded; fails where one differs from
 * its result, and leaves its upload.
 */
export const takeReplays = ({ areRows, objects, uploads }: Stores, results: ReadonlyArray<Reported>, placeOf: (i: number) => string) => {
  const finished = results.flatMap((result, i) => (isFinished(result) ? [{ i, lease: result.lease, replay: result.replay }] : []))
  const areObjects = finished.some(({ replay }) => replay.inline === undefined || !areRows)
  return Effect.forEach(
    finished,
    Effect.fnUntraced(function* ({ i, lease, replay }) {
      const refused = (message: string) => Effect.fail(invalidField(`${placeOf(i)}replay`, message))
      const { hash, inline } = replay
      const isObject = inline === undefined || !areRows
      if (isObject && !uploads.take(lease, hash)) return yield* refused("Too many different replays were reported for this lease.")
      const into = isObject ? replayKey(parseLease(lease)!.id, hash) : undefined
      const looked = inline === undefined ? taken(objects, lease, hash, into!) : checked(objects, { ...replay, inline }, into)
      const verdict = yield* Effect.catchTag(looked, "ObjectsUnavailable", () => away)
      const message = messageOf(verdict, replay.bytes)
      if (message !== undefined) return yield* refused(message)
    }),
    { concurrency: areObjects ? 8 : 1, discard: true } // rows wait for nothing
  )
}

export const away = Effect.fail(new Unavailable({ detail: "The object store does not answer just now; report again in a second." }))
const full = Effect.fail(new Unavailable({ detail: "The disk of the object store is nearly full; report again once there is room." }))

const NOT_TAKEN = {
  missing: "No replay was uploaded for this lease: upload it before its result is reported.",
  too_large: `The uploaded replay has more than ${REPLAY_BYTES_MAX} bytes, as many as one may have.`,
  hash_mismatch: "The replay that was sent does not have the hash that was reported: report the SHA-256 of the bytes that are sent."
} as const

const messageOf = (verdict: VerifyResult, bytes: number): string | undefined => {
  if (typeof verdict === "string") return NOT_TAKEN[verdict]
  return verdict.bytes === bytes ? undefined : `The replay that was sent has ${verdict.bytes} bytes, and ${bytes} were reported.`
}

/** Measures and hashes an uploaded replay, and puts it where only this replay can lie. */
const taken = (objects: ObjectStore["Service"], lease: string, hash: string, into: string) =>
  objects.verify({ key: replayUploadKey(lease), sha256: hexOf(hash), max_bytes: REPLAY_BYTES_MAX, into, keeps: "hash" })

type Inline = Finished["replay"] & { readonly inline: string }

/**
 * Measures and hashes a replay that came along. A database on the objects' disk needs the room as well.
 * `into`: where it is put, if anywhere.
 */
const checked = Effect.fnUntraced(function* (objects: ObjectStore["Service"], { bytes, inline, ...replay }: Inline, into?: string) {
  const content = Buffer.from(inline)
  if (hash("sha256", content) !== hexOf(replay.hash)) return "hash_mismatch" as const
  if (content.length !== bytes) return { bytes: content.length }
  if ((yield* objects.freeShare) < REPLAY_FREE_SHARE_MIN) return yield* full
  if (into !== undefined) yield* objects.put(into, content)
  return { bytes }
})

/** The result of a replay that is an object. */
export const withoutText = (result: Reported): Reported => {
  if (!isFinished(result)) return result
  const { bytes, hash } = result.replay
  return { ...result, replay: { bytes, hash } }
}

/** The text of a replay that came within its result. */
export const inlineOf = (result: Reported): string | undefined => (isFinished(result) ? result.replay.inline : undefined)
