/**
 * The messages between runners and the service (docs/contract.md#runner-protocol). A runner opens a session,
 * then leases work in a loop; the next lease request carries the results of the finished work. All
 * bodies are plain objects that a season's commands take as they are; unknown keys are ignored, and a
 * malformed result refuses the whole request, so that nothing of it is applied.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { RunnerKey } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { BoardFile } from "../board/api.ts"
import { name } from "../Name.ts"
import { Problem } from "../Problem.ts"
import { Rules, WeightClass } from "../season/Rules.ts"
import { RunnerRejectReason } from "../version/RejectReason.ts"
import { Count, Count32, clamped, Id, Instant, Int32, Sha256, Slug, text, Upload } from "../Wire.ts"

/** Bounds of a request: a runner plays at most this many matches at once, over at most this many engines. */
export const SLOTS_MAX = 256
const ENGINES_MAX = 64
/** The longest wait of a lease request; the connection stays open meanwhile. */
export const WAIT_S_MAX = 30
/**
 * A replay of at most so many bytes may be sent in its result, in place of an upload of its
 * own; most are a tenth as long.
 */
export const INLINE_REPLAY_BYTES = 65_536

const LeaseId = text(1, 80)
const RuntimeVersion = text(1, 200)
const Digest = text(1, 128)
const StateSha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 hexadecimal digits" }))
const Detail = text(0, 2000)
/** A replay's text. Its bytes in UTF-8 are what `hash` and `bytes` are of. */
const Inline = Schema.String.check(Schema.isMaxLength(INLINE_REPLAY_BYTES))

/** Sessions of one key; those silent for 90 s are gone and do not count. */
export class TooManyRunners extends Problem<TooManyRunners>()("too_many_runners", 409, "The key has too many runners") {}

// --- session -------------------------------------------------------------------------------------

export const Accepts = Schema.Literals(["match", "admission", "audit"])
export type Accepts = typeof Accepts.Type

export const EngineOfRunner = Schema.Struct({ game: Slug, engine_digest: Digest })
export type EngineOfRunner = typeof EngineOfRunner.Type

export const OpenSession = Schema.Struct({
  name: name(64),
  runtime_version: RuntimeVersion,
  engines: Schema.Array(EngineOfRunner).check(Schema.isMaxLength(ENGINES_MAX)),
  accepts: Schema.Array(Accepts).check(Schema.isBetweenLength(1, 3)),
  slots: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: SLOTS_MAX })),
  /** How the runner's machine is protected from models; stored for whoever investigates a flag. */
  isolation: Schema.optionalKey(text(1, 32))
}).annotate({ identifier: "OpenSession" })
export type OpenSession = typeof OpenSession.Type

export const RunnerSession = Schema.Struct({
  runner: Id,
  heartbeat_s: Schema.Finite,
  lease_s: Schema.Finite,
  /** The longest `replay.inline` of a result; a service without it takes uploads alone. */
  inline_replay_bytes: Schema.optionalKey(Count)
}).annotate({ identifier: "RunnerSession" })
export type RunnerSession = typeof RunnerSession.Type

// --- results -------------------------------------------------------------------------------------

export const SeatResult = Schema.Struct({
  seat: Count.check(Schema.isLessThan(8)),
  score: Int32,
  rank: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })),
  strikes: Count32
}).annotate({ identifier: "SeatResult" })
export type SeatResult = typeof SeatResult.Type

/** A match that was played to its end. */
export const MatchFinished = Schema.Struct({
  kind: Schema.Literal("match"),
  runtime_version: RuntimeVersion,
  reason: text(1, 64),
  turns: Count32,
  played_ms: Count32,
  seats: Schema.Array(SeatResult).check(Schema.isBetweenLength(1, 8)),
  state_sha256: StateSha256,
  /** The replay in `inline`, or else the upload under the lease. A result without a valid replay counts for nothing. */
  replay: Schema.Struct({ hash: Sha256, bytes: Count32, inline: Schema.optionalKey(Inline) })
}).annotate({ identifier: "MatchFinished" })
export type MatchFinished = typeof MatchFinished.Type

/**
 * A match that this runner cannot play; it is tried elsewhere, and fails the third time.
 * `version_id` names the entry whose files cannot be fetched, where the runner is sure that the
 * entry is at fault and not the runner itself.
 */
export const MatchFailed = Schema.Struct({
  kind: Schema.Literal("match"),
  fault_reason: Schema.Literals(["engine_fault", "weights_unavailable"]),
  version_id: Schema.optionalKey(Schema.NullOr(Id)),
  detail: Detail
}).annotate({ identifier: "MatchFailed" })
export type MatchFailed = typeof MatchFailed.Type

/** Numbers of recurrent memory: 1 GiB of them, more than any sandbox allows a model. */
const Floats = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 28 }))

export const Admitted = Schema.Struct({
  kind: Schema.Literal("admission"),
  runtime_version: RuntimeVersion,
  verdict: Schema.Literal("admitted"),
  param_count: Count,
  infer_us: Count32,
  memory: Schema.Struct({ flat: Floats, cell: Floats })
}).annotate({ identifier: "Admitted" })
export type Admitted = typeof Admitted.Type

export const Rejected = Schema.Struct({
  kind: Schema.Literal("admission"),
  runtime_version: RuntimeVersion,
  verdict: Schema.Literal("rejected"),
  reject_reason: RunnerRejectReason,
  reject_detail: Detail
}).annotate({ identifier: "Rejected" })
export type Rejected = typeof Rejected.Type

/** The machine's fault, not the model's; the fifth one ends the review. */
export const AdmissionFailed = Schema.Struct({
  kind: Schema.Literal("admission"),
  runtime_version: RuntimeVersion,
  verdict: Schema.Literal("failed"),
  detail: Detail
}).annotate({ identifier: "AdmissionFailed" })
export type AdmissionFailed = typeof AdmissionFailed.Type

export const Audited = Schema.Struct({ kind: Schema.Literal("audit"), state_sha256: StateSha256 }).annotate({ identifier: "Audited" })
export type Audited = typeof Audited.Type

export const Result = Schema.Union([MatchFinished, MatchFailed, Admitted, Rejected, AdmissionFailed, Audited]).annotate({
  identifier: "Result"
})
export type Result = typeof Result.Type

const lease = { lease: LeaseId }

/** A result with its lease, as a lease request carries it. */
export const LeasedResult = Schema.Union([
  Schema.Struct({ ...lease, ...MatchFinished.fields }),
  Schema.Struct({ ...lease, ...MatchFailed.fields }),
  Schema.Struct({ ...lease, ...Admitted.fields }),
  Schema.Struct({ ...lease, ...Rejected.fields }),
  Schema.Struct({ ...lease, ...AdmissionFailed.fields }),
  Schema.Struct({ ...lease, ...Audited.fields })
])
export type LeasedResult = typeof LeasedResult.Type

export const Refused = Schema.Literals(["lost", "released", "withdrawn"])

/** The answer to a result; a repeat gets the first answer again. */
export const Acceptance = Schema.Union([
  Schema.Struct({ accepted: Schema.Literal(true) }),
  Schema.Struct({ accepted: Schema.Literal(false), reason: Refused })
]).annotate({ identifier: "Acceptance" })
export type Acceptance = typeof Acceptance.Type

/** The same inside a lease request, where an unknown lease is no 404. */
export const LeasedAcceptance = Schema.Struct({
  lease: Schema.String,
  accepted: Schema.Boolean,
  reason: Schema.NullOr(Schema.Literals(["lost", "released", "withdrawn", "unknown"]))
}).annotate({ identifier: "LeasedAcceptance" })
export type LeasedAcceptance = typeof LeasedAcceptance.Type

// --- work ----------------------------------------------------------------------------------------

/** A file by content: its hash, its current URL, and its size. */
export const File = Schema.Struct({ hash: Sha256, url: Schema.String, bytes: Count }).annotate({ identifier: "FileOfWork" })
export type File = typeof File.Type

export const SeatOfWork = Schema.Struct({
  seat: Count,
  version_id: Id,
  weights: File,
  manifest: File,
  memory_cap_bytes: Count
}).annotate({ identifier: "SeatOfWork" })
export type SeatOfWork = typeof SeatOfWork.Type

const leased = { lease: Schema.String, expires_at: Instant }

const toPlay = {
  match_id: Id,
  game: Schema.String,
  engine_digest: Schema.String,
  is_trial: Schema.Boolean,
  /** The board file as uploaded. */
  board: BoardFile,
  /** A uint32. */
  seed: Count,
  rules: Schema.Struct({ max_turns: Count, strike_limit: Count }),
  seats: Schema.Array(SeatOfWork)
}

export const MatchWork = Schema.Struct({
  ...leased,
  kind: Schema.Literal("match"),
  ...toPlay,
  /** The season's limit, above which moves are charged to their seats; without it none is. */
  infer_us_max: Schema.optionalKey(Count),
  replay_upload: Upload,
  /** Where the match is traced: W3C Trace Context, for the spans of a runner that has a collector. */
  traceparent: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "MatchWork" })
export type MatchWork = typeof MatchWork.Type

/** A finished match to be played again; only the last state is compared. */
export const AuditWork = Schema.Struct({
  ...leased,
  kind: Schema.Literal("audit"),
  ...toPlay,
  /** The first replay: its timeouts came from that machine's clock, and are imposed again. */
  replay: File
}).annotate({ identifier: "AuditWork" })
export type AuditWork = typeof AuditWork.Type

export const AdmissionWork = Schema.Struct({
  ...leased,
  kind: Schema.Literal("admission"),
  version_id: Id,
  game: Schema.String,
  engine_digest: Schema.String,
  weights: File,
  manifest: File,
  weight_classes: Schema.Array(WeightClass),
  rules: Rules,
  boards: Schema.Array(Schema.Struct({ map_id: Schema.String, rows: Count, cols: Count, players: Count })),
  attempt: Count
}).annotate({ identifier: "AdmissionWork" })
export type AdmissionWork = typeof AdmissionWork.Type

export const Work = Schema.Union([MatchWork, AuditWork, AdmissionWork])
export type Work = typeof Work.Type

// --- leases --------------------------------------------------------------------------------------

const Leases = Schema.Array(LeaseId).check(Schema.isMaxLength(SLOTS_MAX))

export const LeaseRequest = Schema.Struct({
  runner: Schema.String,
  /** Clamped; a runner never holds more leases than its slots. */
  max: Schema.Int.pipe(Schema.decodeTo(clamped(0, SLOTS_MAX))),
  wait_s: clamped(0, WAIT_S_MAX),
  /** The leases that the runner knows of: its live leases that are missing here were lost on the way and go back. */
  holds: Schema.optionalKey(Leases),
  results: Schema.optionalKey(Schema.Array(LeasedResult).check(Schema.isMaxLength(SLOTS_MAX)))
}).annotate({ identifier: "LeaseRequest" })
export type LeaseRequest = typeof LeaseRequest.Type

export const LeaseAnswer = Schema.Struct({
  leases: Schema.Array(Work),
  results: Schema.Array(LeasedAcceptance),
  drain: Schema.Boolean
}).annotate({ identifier: "LeaseAnswer" })
export type LeaseAnswer = typeof LeaseAnswer.Type

export const Heartbeat = Schema.Struct({ runner: Schema.String, leases: Leases }).annotate({ identifier: "Heartbeat" })
export type Heartbeat = typeof Heartbeat.Type

export const Beat = Schema.Union([
  Schema.Struct({ lease: Schema.String, expires_at: Instant }),
  Schema.Struct({ lease: Schema.String, lost: Schema.Literal(true) })
])
export type Beat = typeof Beat.Type

export const HeartbeatAnswer = Schema.Struct({ leases: Schema.Array(Beat), drain: Schema.Boolean }).annotate({
  identifier: "HeartbeatAnswer"
})
export type HeartbeatAnswer = typeof HeartbeatAnswer.Type

// --- routes --------------------------------------------------------------------------------------

const params = { lease: Schema.String }

/** An unknown runner or lease, or another key's: 404 `not_found`. A season that moves: 503, repeat the call. */
export class RunnerGroup extends HttpApiGroup.make("runner")
  .add(
    HttpApiEndpoint.post("openSession", "/v1/runner/sessions", {
      payload: OpenSession,
      success: RunnerSession.pipe(HttpApiSchema.status(201)),
      error: TooManyRunners
    }),
    HttpApiEndpoint.post("lease", "/v1/runner/leases", { payload: LeaseRequest, success: LeaseAnswer }),
    HttpApiEndpoint.post("heartbeat", "/v1/runner/heartbeat", { payload: Heartbeat, success: HeartbeatAnswer }),
    HttpApiEndpoint.post("result", "/v1/runner/leases/:lease/result", { params, payload: Result, success: Acceptance }),
    HttpApiEndpoint.post("release", "/v1/runner/leases/:lease/release", {
      params,
      payload: Schema.Struct({}),
      success: Schema.Struct({ released: Schema.Literal(true) })
    })
  )
  .middleware(JsonBody)
  .add(
    /**
     * The runner has stopped: it is gone at once, and what it holds goes back to the queue
     * without an attempt. Safe to repeat.
     */
    HttpApiEndpoint.delete("closeSession", "/v1/runner/sessions/:runner", {
      params: { runner: Schema.String },
      success: HttpApiSchema.NoContent
    })
  )
  .middleware(RunnerKey)
  .annotateEndpoints(Rate, "runner") {}
