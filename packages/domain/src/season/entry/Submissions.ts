/** A version is submitted, unless something keeps it from being so; the preflight shows the same facts. */

import { refusals } from "../../submission/Refusals.ts"
import { logged } from "../Audit.ts"
import type { Holdings, Of, Repeated, Replies } from "../Command.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"
import { count, countsOfOwner, isTaken, type Owner } from "../VersionCounts.ts"
import { awaitReview } from "./Reviews.ts"
import { isOver, rejectVersion, tell } from "./Versions.ts"

interface Asking {
  readonly owner: string
  readonly model: string | null
  readonly eligible: boolean
  readonly retired: boolean
  readonly weights_hash: string | null
  readonly giving_way?: ReadonlyArray<string>
  readonly beside?: ReadonlyArray<string>
}

/** Stands for an owner who has submitted nothing yet, so that asking adds none to the state. */
const NOBODY: Owner<Version> = { last_submitted_at: null, models: 0, testing: [] }

/** Everything that the refusals of a submission depend on, and that the preflight shows. */
const factsOf = (state: State, asking: Asking) => {
  const { eligible, model, owner, retired, weights_hash } = asking
  const { rules, submissions_close_at: closes_at, submissions_open_at: opens_at } = state.settings
  const { last_submitted_at: last, models, testing } = state.owners.get(owner) ?? NOBODY
  const own = model === null ? undefined : state.models.get(model)
  const versions = own?.owner === owner ? own.counted : 0
  const candidate = testing.at(-1)
  const standing_back = announcedBy(state, asking, [...(asking.giving_way ?? []), ...(asking.beside ?? [])])
  const weights_elsewhere = weights_hash !== null && isTaken(state, { model, owner, weights_hash }, standing_back)
  const until = last === null ? null : last + rules.cooldown_s * 1000
  const cooldown_until = until !== null && until > state.now ? until : null
  const holdings: Holdings = {
    models: { held: models, cap: rules.max_models_per_owner },
    versions: { held: versions, cap: rules.max_versions_per_model },
    candidate: candidate === undefined ? null : { version: candidate.id, phase: candidate.phase! },
    cooldown_until
  }
  const has_this = model === null || versions > 0
  const facts = { now: state.now, opens_at, closes_at, over: isOver(state), eligible, retired, cooldown_until, weights_elsewhere }
  const refused = refusals({
    ...facts,
    models: { ...holdings.models, has_this },
    versions: holdings.versions,
    candidate: candidate?.id ?? null
  })
  return { holdings, refused }
}

/** The announcements of these owners: of the same weights, with their files still to come. */
const announcedBy = (
  { candidates }: State,
  { weights_hash }: Pick<Asking, "weights_hash">,
  of: ReadonlyArray<string> = []
): ReadonlyArray<Version> => {
  if (of.length === 0) return []
  const owners = new Set(of)
  const gives = ({ owner, phase, ...each }: Version) =>
    phase === "upload" && each.weights_hash === weights_hash && owner !== null && owners.has(owner)
  return [...candidates].filter(gives)
}

const GAVE_WAY = "Your files had not come when somebody else entered the same weights, who had sent them before."

export const preflight = (state: State, command: Of<"Preflight">): Replies["Preflight"] => {
  const { hashes, model } = command
  const same = hashes === null || model === null ? undefined : findSame(state, { model, ...hashes })
  const facts = factsOf(state, { ...command, weights_hash: hashes?.weights_hash ?? null })
  return { ...facts, same: same === undefined ? null : repeated(same) }
}

const repeated = ({ id, number, upload_until }: Version): Repeated => ({ submitted: id, number, upload_until })

export const submitVersion = (state: State, command: Of<"SubmitVersion">): Replies["SubmitVersion"] => {
  const same = findSame(state, command)
  if (same !== undefined) return { ...repeated(same), fresh: false }
  if (command.owner !== null) {
    const asking = { ...command, owner: command.owner }
    const { refused } = factsOf(state, asking)
    if (refused.length > 0) return { refused }
    for (const each of announcedBy(state, asking, asking.giving_way)) rejectVersion(state, each, "upload_expired", GAVE_WAY)
    countsOfOwner(state, command.owner).last_submitted_at = state.now
  } else {
    if (isOver(state)) return { refused: [{ code: "season_closed" }] }
    const other = state.models.get(command.model)?.held[0] // a baseline has one version
    if (other !== undefined) return { refused: [{ code: "candidate_in_flight", version: other.id }] }
  }
  const version = newVersion(state, command)
  state.versions_by_id.set(version.id, version)
  count(state, version)
  state.testing++
  state.writes.inserted.set(version.id, { note: command.note })
  logged(state, command.audit)
  if (version.phase === "review") awaitReview(state, version)
  else state.uploadEnd = Math.min(state.uploadEnd, version.upload_until!)
  tell(state, version, "submitted")
  return { ...repeated(version), fresh: true }
}

interface Pair {
  readonly model: string
  readonly weights_hash: string
  readonly manifest_hash: string
}

const findSame = (state: State, { manifest_hash, model, weights_hash }: Pair): Version | undefined => {
  const held = state.models.get(model)?.held ?? []
  const isSame = (version: Version) => version.weights_hash === weights_hash && version.manifest_hash === manifest_hash
  return held.find((version) => isSame(version) && version.status !== "superseded")
}

const newVersion = (state: State, command: Of<"SubmitVersion">): Version => ({
  id: command.version,
  ord: ++state.versions,
  model: command.model,
  owner: command.owner,
  number: command.number,
  weights_hash: command.weights_hash,
  manifest_hash: command.manifest_hash,
  created_at: state.now,
  status: "testing",
  phase: command.files === null ? "upload" : "review",
  upload_until: command.files === null ? state.now + state.settings.rules.upload_window_s * 1000 : null,
  weights_bytes: command.files?.weights_bytes ?? null,
  manifest_bytes: command.files?.manifest_bytes ?? null,
  class: null,
  admit_attempt: 0,
  admit_failures: 0,
  admit_key: null,
  param_count: null,
  infer_us: null,
  memory_flat: null,
  memory_cell: null,
  memory_bytes: null,
  runtime_version: null,
  reject_reason: null,
  reject_detail: null,
  successor: null,
  trial_played: 0,
  trial_failed: 0,
  trial_void: 0,
  disqualified: false,
  owner_removed: false,
  streak: null
})
