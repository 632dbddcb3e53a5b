/**
 * The lease payloads as JSON text: the machine names ids, the runner gets files, URLs, rules and boards.
 * Checking and encoding the same boards, versions and engines for each lease was the most expensive part of
 * handing out matches, so each part is encoded once and kept as text. A version's part holds signed URLs and
 * is kept for part of the time that these are valid. Keys are in the schema's order.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { AdmissionWork, AuditWork, type File, type LeasedAcceptance } from "@agon/api/runner/protocol.ts"
import type { Work } from "@agon/domain/season/Command.ts"
import { matchLeaseMax_ms } from "@agon/domain/season/Lease.ts"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { REPLAY_BYTES_MAX } from "@agon/engine/replay/parseReplay.ts"
import { Clock, Context, DateTime, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Traces } from "../../actor/MatchTraces.ts"
import type { OpenSeason } from "../../actor/OpenSeasons.ts"
import { replayUploadKey, storedKey, storedReplayKey } from "../../object/keys.ts"
import { ObjectStore, type Upload } from "../../object/ObjectStore.ts"
import { type Files, makeQueries } from "./payloadQueries.ts"
import type { LeasedAudit } from "./replayAuditQueries.ts"

/** A file may be fetched for this long after the lease; a link is reused for the first half of it. */
const URL_S = 3_600
const REPLAY_URL_S = 1_800

/** JSON of a `Work` of protocol.ts. */
export type LeasePayload = string

type MachineReview = Extract<Work, { kind: "admission" }>

export class LeasePayloads extends Context.Service<
  LeasePayloads,
  {
    readonly of: (season: OpenSeason, works: ReadonlyArray<Work>) => Effect.Effect<ReadonlyArray<LeasePayload>>
    readonly audit: (audit: LeasedAudit, lease: string, until: number) => Effect.Effect<LeasePayload>
  }
>()("agon/LeasePayloads") {
  static readonly layer: Layer.Layer<LeasePayloads, never, SqlClient.SqlClient | ObjectStore> = Layer.effect(
    LeasePayloads,
    Effect.suspend(() => makeLeasePayloads)
  )
}

const makeLeasePayloads = Effect.gen(function* () {
  const queries = yield* makeQueries
  const objects = yield* ObjectStore
  const versions = yield* makeVersions
  const boardOf = yield* makeBoards
  const traces = yield* Traces

  const admission = Effect.fnUntraced(function* (season: OpenSeason, work: MachineReview, { links }: WrittenVersion) {
    const examined = yield* Effect.orDie(queries.examinedBy(season.id))
    const { attempt, lease, version: version_id } = work
    return rarePayload({ lease, kind: "admission", expires_at: instant(work.until), version_id, ...links, ...examined, attempt })
  })

  /** Upload targets by the work's position; reviews, which are rare, get one that they do not use. */
  const replayUploads = (works: ReadonlyArray<Work>) =>
    objects.presignPuts(
      works.map((work) => ({ key: replayUploadKey(work.lease), sha256: null, max_bytes: REPLAY_BYTES_MAX, expires_s: uploadOf_s(work) }))
    )

  return LeasePayloads.of({
    audit: Effect.fnUntraced(function* (
      { map_id, replay_by_match, replay_inline, replay_bytes: bytes, replay_hash, season_id, versions: ids, ...audit },
      lease,
      until
    ) {
      const written = yield* versions(ids)
      const seats = written.map(({ id, links, memory_cap_bytes }, seat) => ({ seat, version_id: id, ...links, memory_cap_bytes }))
      const board = JSON.parse(yield* boardOf(season_id, map_id))
      const key = storedReplayKey({ id: audit.match_id, replay_by_match, replay_hash, replay_inline })
      const url = yield* objects.presignGet({ key, expires_s: REPLAY_URL_S })
      return rarePayload({
        lease,
        kind: "audit",
        expires_at: instant(until),
        ...audit,
        board,
        seats,
        replay: { hash: replay_hash, url, bytes }
      })
    }),
    of: Effect.fnUntraced(function* (season, works) {
      const written = yield* versions(works.flatMap((work) => (work.kind === "match" ? work.versions : [work.version])))
      const engine = engineText(season)
      const uploads = yield* replayUploads(works)
      const payloads: Array<LeasePayload> = []
      let next = 0
      for (const work of works) {
        if (work.kind === "match") {
          const seats = written.slice(next, (next += work.versions.length)).map(({ text }) => text)
          const board = yield* boardOf(season.id, work.board)
          const upload = uploads[payloads.length]!
          const traceparent = traces?.traceparent(work.match)
          payloads.push(matchPayload(work, { expires_at: instant(work.until), engine, board, versions: seats, upload, traceparent }))
        } else payloads.push(yield* admission(season, work, written[next++]!))
      }
      return payloads
    })
  })
})

/** A replay may be uploaded for as long as its match's lease may live. */
export const uploadOf_s = (work: Work): number =>
  work.kind === "match"
    ? Math.max(
        REPLAY_URL_S,
        Math.ceil(matchLeaseMax_ms({ infer_us_max: work.infer_us_max, match: work.rules }, work.versions.length) / 1_000)
      )
    : REPLAY_URL_S

interface WrittenVersion {
  readonly id: string
  readonly memory_cap_bytes: number
  readonly links: { readonly weights: File; readonly manifest: File }
  readonly text: string
  /** The time until which these links are reused. */
  readonly until: number
}

/** Versions by their ids, in order; those whose links are too old are read and encoded anew. */
const makeVersions = Effect.gen(function* () {
  const queries = yield* makeQueries
  const objects = yield* ObjectStore
  const known = new CappedMap<string, WrittenVersion>(20_000)

  const fileOf = (kind: "weights" | "manifests", hash: string, bytes: number): Effect.Effect<File> =>
    Effect.map(objects.presignGet({ key: storedKey(kind, hash), expires_s: URL_S }), (url) => ({ hash, url, bytes }))

  const write = Effect.fnUntraced(function* ({ id, manifest_bytes, manifest_hash, weights_bytes, weights_hash }: Files, now: number) {
    const weights = yield* fileOf("weights", weights_hash, weights_bytes)
    const manifest = yield* fileOf("manifests", manifest_hash, manifest_bytes)
    const memory_cap_bytes = memoryCapOf(weights_bytes)
    const text = versionText(id, weights, manifest, memory_cap_bytes)
    const version = { id, memory_cap_bytes, links: { weights, manifest }, text, until: now + (URL_S / 2) * 1000 }
    known.set(id, version)
    return version
  })

  return Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const now = yield* Clock.currentTimeMillis
    const found = ids.map((id) => known.get(id))
    const missing = ids.filter((_, i) => (found[i]?.until ?? 0) <= now)
    if (missing.length === 0) return found as ReadonlyArray<WrittenVersion>
    const written = new Map<string, WrittenVersion>()
    for (const row of yield* queries.files([...new Set(missing)])) written.set(row.id, yield* write(row, now))
    return ids.map((id, i) => written.get(id) ?? found[i]!)
  }, Effect.orDie)
})

/** The boards' files as JSON. */
const makeBoards = Effect.gen(function* () {
  const queries = yield* makeQueries
  const known = new CappedMap<string, string>(1_000)

  const read = Effect.fnUntraced(function* (season_id: string, map_id: string) {
    const { file } = yield* queries.boardFile({ season_id, map_id })
    const text = JSON.stringify(file)
    known.set(`${season_id}/${map_id}`, text)
    return text
  }, Effect.orDie)

  return (season_id: string, map_id: string): Effect.Effect<string> => {
    const text = known.get(`${season_id}/${map_id}`)
    return text === undefined ? read(season_id, map_id) : Effect.succeed(text)
  }
})

const instant = (ms: number): string => DateTime.formatIso(DateTime.makeUnsafe(ms))

/** The body of the answer to a lease request: JSON of a `LeaseAnswer`. */
export const answerText = (leases: ReadonlyArray<LeasePayload>, results: ReadonlyArray<LeasedAcceptance>, drain: boolean): string =>
  `{"leases":[${leases.join(",")}],"results":${JSON.stringify(results)},"drain":${drain}}`

const encodeRare = Schema.encodeUnknownSync(Schema.Union([AuditWork, AdmissionWork]))

/** For work rare enough to be checked and encoded as a whole. */
const rarePayload = (work: AuditWork | AdmissionWork): LeasePayload => JSON.stringify(encodeRare(work))

/** The part common to all matches of a season. */
export const engineText = ({ engine_digest, game }: OpenSeason): string => inner({ game, engine_digest })

/** The part common to all seats of a version. */
export const versionText = (version_id: string, weights: File, manifest: File, memory_cap_bytes: number): string =>
  inner({ version_id, weights, manifest, memory_cap_bytes })

/** The JSON of an object without its braces. */
const inner = (value: object): string => JSON.stringify(value).slice(1, -1)

type MachineMatch = Extract<Work, { kind: "match" }>

export interface Parts {
  readonly expires_at: string
  /** As `engineText` writes it. */
  readonly engine: string
  /** JSON of the board's file. */
  readonly board: string
  /** As `versionText` writes them, by seat. */
  readonly versions: ReadonlyArray<string>
  readonly upload: Upload
  /** Where the match is traced. */
  readonly traceparent?: string | undefined
}

/** Ids, times and numbers are our own and need no escaping. */
export const matchPayload = ({ infer_us_max, is_trial, lease, match, rules, seed }: MachineMatch, parts: Parts): LeasePayload => {
  const { board, engine, expires_at, traceparent, upload, versions } = parts
  const { headers, max_bytes, method, url } = upload
  const seats = versions.map((version, seat) => `{"seat":${seat},${version}}`)
  const trace = traceparent === undefined ? "" : `,"traceparent":"${traceparent}"`
  return (
    `{"lease":"${lease}","expires_at":"${expires_at}","kind":"match","match_id":"${match}",${engine},"is_trial":${is_trial}` +
    `,"board":${board},"seed":${seed},"rules":{"max_turns":${rules.max_turns},"strike_limit":${rules.strike_limit}}` +
    `,"seats":[${seats.join(",")}],"infer_us_max":${infer_us_max},"replay_upload":${JSON.stringify({ method, url, headers, max_bytes })}${trace}}`
  )
}
