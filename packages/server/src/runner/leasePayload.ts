/**
 * Lease payloads, encoded as JSON. A match's payload is assembled from parts: its board, its versions' files and its
 * season's engine appear in every payload that names them, and checking and encoding them anew for each lease was the most
 * expensive part of handing out matches; so each is encoded once and kept as text. Keys are in the schema's order.
 */

import { AdmissionWork, AuditWork, type File, type LeasedAcceptance } from "@agon/api/runner/protocol.ts"
import type { Work } from "@agon/domain/season/Command.ts"
import { Schema } from "effect"
import type { OpenSeason } from "../actor/OpenSeasons.ts"
import type { Upload } from "../object/ObjectStore.ts"

/** JSON of a `Work` of protocol.ts. */
export type LeasePayload = string

/** The body of the answer to a lease request: JSON of a `LeaseAnswer`. */
export const answerText = (leases: ReadonlyArray<LeasePayload>, results: ReadonlyArray<LeasedAcceptance>, drain: boolean): string =>
  `{"leases":[${leases.join(",")}],"results":${JSON.stringify(results)},"drain":${drain}}`

const encodeRare = Schema.encodeUnknownSync(Schema.Union([AuditWork, AdmissionWork]))

/** For work rare enough to be checked and encoded as a whole. */
export const rarePayload = (work: AuditWork | AdmissionWork): LeasePayload => JSON.stringify(encodeRare(work))

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
}

/** Ids, times and numbers are our own and need no escaping. */
export const matchPayload = ({ infer_us_max, is_trial, lease, match, rules, seed }: MachineMatch, parts: Parts): LeasePayload => {
  const { board, engine, expires_at, upload, versions } = parts
  const { headers, max_bytes, method, url } = upload
  const seats = versions.map((version, seat) => `{"seat":${seat},${version}}`)
  return (
    `{"lease":"${lease}","expires_at":"${expires_at}","kind":"match","match_id":"${match}",${engine},"is_trial":${is_trial}` +
    `,"board":${board},"seed":${seed},"rules":{"max_turns":${rules.max_turns},"strike_limit":${rules.strike_limit}}` +
    `,"seats":[${seats.join(",")}],"infer_us_max":${infer_us_max},"replay_upload":${JSON.stringify({ method, url, headers, max_bytes })}}`
  )
}
