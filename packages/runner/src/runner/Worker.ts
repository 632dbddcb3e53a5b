/** Does one piece of work: downloads its files, plays or examines in the sandbox, and returns the result. */

import type { AdmissionWork, AuditWork, MatchWork, Result, Work } from "@agon/api/runner/protocol.ts"
import type { Upload } from "@agon/api/Wire.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { hashOf, hexOf } from "@agon/engine/hash.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { readReplay } from "@agon/engine/replay/readReplay.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { runtimeVersion } from "@agon/sandbox/runtimeVersion.ts"
import { type Admitted, plain, type Verdict } from "@agon/sandbox/Verdict.ts"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { FileCache } from "./FileCache.ts"
import { type TransferFailed, Transfers } from "./Transfers.ts"

const runtime_version = runtimeVersion()
const span = <A, E, R>(name: string, part: Effect.Effect<A, E, R>) => Effect.withSpan(part, name, { captureStackTrace: false })
const DETAIL_MAX = 2_000

/** A verdict as the service takes it: the other findings of an examination are for whoever asks for one by hand. */
const told = (verdict: Verdict): Exclude<Verdict, Admitted> | Omit<Admitted, "undecided"> => {
  if (verdict.verdict !== "admitted") return verdict
  const { undecided: _, ...admitted } = verdict
  return admitted
}

export class Worker extends Context.Service<
  Worker,
  {
    /** The result, with its replay in it where that has at most `inline_bytes`; any other has been uploaded. */
    readonly work: (work: Work, inline_bytes?: number) => Effect.Effect<Result>
    readonly upload: (upload: Upload, bytes: Uint8Array) => Effect.Effect<void, TransferFailed>
  }
>()("agon/runner/Worker") {
  static readonly layer: Layer.Layer<Worker, never, Arena | Transfers | FileCache> = Layer.effect(
    Worker,
    Effect.gen(function* () {
      const arena = yield* Arena
      const transfers = yield* Transfers
      const files = yield* FileCache

      const seatsOf = (work: MatchWork | AuditWork) =>
        Effect.forEach(
          work.seats,
          ({ manifest, memory_cap_bytes, version_id, weights }) =>
            Effect.all({
              weights: files.get(weights),
              manifest: files.get(manifest),
              memory_cap_bytes: Effect.succeed(memory_cap_bytes)
            }).pipe(Effect.mapError(({ detail, gone }) => new SeatUnavailable({ detail, version_id: gone ? version_id : null }))),
          { concurrency: 4 }
        )

      const play = Effect.fnUntraced(function* (work: MatchWork, inline_bytes: number) {
        const seats = yield* span("fetch", seatsOf(work))
        const { board, game, infer_us_max, rules, seed } = work
        const charged = infer_us_max === undefined ? {} : { infer_us_max }
        const played = yield* span("play", arena.play({ game, board, seed, rules, seats, ...charged }))
        const { played_ms, reason, replay, seats: outcome, state_sha256, turns } = played
        const proof = yield* proofOf(transfers, work, replay, inline_bytes)
        const ended = { reason, turns, played_ms: Math.round(played_ms), seats: outcome, state_sha256 }
        return { kind: "match", runtime_version, ...ended, replay: proof } as const
      })

      const audit = Effect.fnUntraced(function* (work: AuditWork) {
        const { board, game, rules, seed } = work
        const timeouts = yield* timeoutsIn(transfers, work)
        const { state_sha256 } = yield* arena.play({ game, board, seed, rules, seats: yield* seatsOf(work), timeouts })
        return { kind: "audit", state_sha256 } as const
      })

      const examine = Effect.fnUntraced(function* ({ boards, game, manifest, weight_classes, weights }: AdmissionWork) {
        const verdict = yield* arena.examine({
          game,
          weights: yield* files.get(weights),
          manifest: yield* files.get(manifest),
          weights_hash: hexOf(weights.hash),
          manifest_hash: hexOf(manifest.hash),
          weight_classes,
          boards
        })
        return { kind: "admission", runtime_version, ...told(verdict) } as const
      })

      return Worker.of({
        upload: transfers.put,
        work: (work, inline_bytes = 0) =>
          Effect.map(
            work.kind === "admission"
              ? Effect.catch(examine(work), failed("admission"))
              : work.kind === "match"
                ? Effect.catchTags(play(work, inline_bytes), {
                    SeatUnavailable: unplayable,
                    MachineFault: failed("match"),
                    ReplayTooLarge: failed("match"),
                    TransferFailed: (error) => Effect.die(error) // dropped like an audit: without its replay it counts nothing
                  })
                : Effect.orDie(audit(work)), // dropped: it goes back with the next request, and another runner gets it
            inPlainText
          )
      })
    })
  )
}

/**
 * Texts of a result may quote what a stranger has uploaded. The service refuses a result whose text cannot be
 * stored, and every other result that comes with it.
 */
const inPlainText = (result: Result): Result => {
  if ("reject_detail" in result) return { ...result, reject_detail: plain(result.reject_detail.slice(0, DETAIL_MAX)) }
  return "detail" in result ? { ...result, detail: plain(result.detail.slice(0, DETAIL_MAX)) } : result
}

/** A seat's files cannot be had. `version_id` names whose they are where that is not this machine's own doing. */
class SeatUnavailable extends Schema.TaggedError<SeatUnavailable>()("SeatUnavailable", {
  detail: Schema.String,
  version_id: Schema.NullOr(Schema.String)
}) {}

const unplayable = ({ detail, version_id }: SeatUnavailable): Effect.Effect<Result> =>
  Effect.succeed({ kind: "match", fault_reason: "weights_unavailable", version_id, detail })

class ReplayTooLarge extends Schema.TaggedError<ReplayTooLarge>()("ReplayTooLarge", { detail: Schema.String }) {}

/** The replay as a result names it: sent along, or uploaded. */
const proofOf = Effect.fnUntraced(function* (transfers: Transfers["Service"], work: MatchWork, replay: Replay, inline_bytes: number) {
  const text = canonicalJson(replay)
  const bytes = new TextEncoder().encode(text)
  const named = { hash: hashOf(bytes), bytes: bytes.length }
  if (bytes.length <= inline_bytes) return { ...named, inline: text }
  const { max_bytes } = work.replay_upload
  if (bytes.length > max_bytes)
    return yield* new ReplayTooLarge({ detail: `The replay has ${bytes.length} bytes, and ${max_bytes} are taken.` })
  yield* span("upload", transfers.put(work.replay_upload, bytes))
  return named
})

/** An audit plays the match again with the timeouts of its replay, which depended on the first machine. */
const timeoutsIn = Effect.fnUntraced(function* (transfers: Transfers["Service"], { replay }: AuditWork) {
  const bytes = yield* transfers.get(replay.url, replay.bytes)
  if (hashOf(bytes) !== replay.hash) return yield* Effect.die(new Error("the file of an audit does not match its hash"))
  return timeoutsOf(bytes)
})

/**
 * None where the bytes are not a replay: were the work given back, whoever stored
 * something else would not be audited.
 */
const timeoutsOf = (bytes: Uint8Array) => {
  const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))(new TextDecoder().decode(bytes))
  const read = Option.isSome(parsed) ? readReplay(parsed.value) : undefined
  return read?.ok ? read.replay.strikes.filter(({ code }) => code === "timeout") : []
}

const failed =
  (kind: "match" | "admission") =>
  (error: { readonly detail: string }): Effect.Effect<Result> => {
    const { detail } = error
    return Effect.succeed(
      kind === "match" ? { kind, fault_reason: "engine_fault", detail } : { kind, runtime_version, verdict: "failed", detail }
    )
  }
