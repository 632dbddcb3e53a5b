/** The life of a version (submitted, reviewed, rejected, entered, superseded), and switching a baseline on and off. */

import { refusals } from "../../submission/Refusals.ts"
import { logged } from "../Audit.ts"
import type { Holdings, Of, Repeated, Replies } from "../Command.ts"
import type { VersionChange } from "../Event.ts"
import type { RejectReason } from "../Reasons.ts"
import { joinLadders, leaveLadders, letGo } from "../rating/LadderRatings.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"
import { count, countsOfOwner, isTaken, moved, type Owner, uncount } from "../VersionCounts.ts"
import { judgedBy } from "./Limits.ts"

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
const CAME_LATER = "Somebody else had announced the same weights as well, and their files came first."

/** Whether versions can no longer enter: the season is closing, closed, or in its finals. */
export const isOver = (state: State): boolean =>
  state.phase !== "open" || state.rounds.some((round) => round.kind === "finals" && round.started_at !== null)

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

export const receiveFiles = (state: State, command: Of<"ReceiveFiles">): Replies["ReceiveFiles"] => {
  const version = state.versions_by_id.get(command.version)
  if (version?.phase !== "upload") return { received: version !== undefined }
  Object.assign(version, {
    phase: "review",
    upload_until: null,
    weights_bytes: command.weights_bytes,
    manifest_bytes: command.manifest_bytes
  })
  awaitReview(state, version)
  tell(state, version, "review")
  for (const each of announcedBeside(state, version)) rejectVersion(state, each, "upload_expired", CAME_LATER)
  return { received: true }
}

/** The announcements of the same weights by other competitors. Baselines neither have to wait for somebody nor keep them waiting. */
const announcedBeside = ({ candidates }: State, { owner, weights_hash }: Version): ReadonlyArray<Version> =>
  owner === null
    ? []
    : [...candidates].filter(
        (each) => each.phase === "upload" && each.weights_hash === weights_hash && each.owner !== null && each.owner !== owner
      )

export const rejectFiles = (state: State, command: Of<"RejectFiles">): Replies["RejectFiles"] => {
  const version = state.versions_by_id.get(command.version)
  if (version?.phase === "upload") rejectVersion(state, version, command.reject_reason, command.reject_detail)
  return { received: version !== undefined }
}

const awaitReview = (state: State, version: Version): void => {
  state.reviews.set(version.id, {
    version: version.id,
    lease_n: 0,
    runner: null,
    key: null,
    leased_at: null,
    until: null,
    released: false,
    opinions: []
  })
  state.writes.reviews.add(version.id)
  state.writes.versions.add(version.id)
  state.workAppeared = true
}

export const expireUploads = (state: State): void => {
  state.uploadEnd = Infinity
  for (const version of [...state.candidates]) {
    if (version.upload_until === null) continue
    if (version.upload_until > state.now) state.uploadEnd = Math.min(state.uploadEnd, version.upload_until)
    else rejectVersion(state, version, "upload_expired", "The upload window ended before both files had arrived; submit again.")
  }
}

/** Reasons that are the service's fault or a mere slip: the next submission need not wait. */
const WITHOUT_COOLDOWN = new Set<RejectReason>(["admission_unavailable", "upload_expired"])

/** Ends a candidacy, or that of a version that could not enter for its owner. The version leaves the state with this commit. */
export const rejectVersion = (state: State, version: Version, reason: RejectReason, detail: string): void => {
  if (version.status === "testing") state.testing--
  uncount(state, version)
  Object.assign(version, { status: "rejected", phase: null, upload_until: null, reject_reason: reason, reject_detail: detail })
  if (WITHOUT_COOLDOWN.has(reason)) endCooldown(state, version)
  if (state.reviews.delete(version.id)) state.writes.reviews.add(version.id)
  state.versions_by_id.delete(version.id)
  state.writes.versions.delete(version.id)
  state.writes.rejected.set(version.id, version)
  tell(state, version, "rejected")
  state.recheckQueue = true
}

/** Where the version is the owner's last. The time of one that was made by a clock that was ahead is later than its cooldown's. */
const endCooldown = (state: State, { created_at, owner: id }: Version): void => {
  const owner = id === null ? undefined : state.owners.get(id)
  if (owner !== undefined && owner.last_submitted_at !== null && owner.last_submitted_at <= created_at) owner.last_submitted_at = null
}

/** Gives a rejected version another reason, which is not its own fault. */
export const pardon = (state: State, version: Version, detail: string): void => {
  Object.assign(version, { reject_reason: "admission_unavailable", reject_detail: detail } satisfies Partial<Version>)
  endCooldown(state, version)
  tell(state, version, "rejected")
}

/** A candidate enters, unless its owner has left meanwhile. */
export const enterVersion = (state: State, version: Version): void => {
  state.testing--
  state.writes.versions.add(version.id)
  if (version.owner_removed) {
    moved(state, version, { status: "disqualified", phase: null, reject_detail: OWNER_REMOVED })
    tell(state, version, "disqualified")
  } else putInPlay(state, version, entryOf(state, version), "entered")
}

/** The reason that the owner of such a version reads. */
export const OWNER_REMOVED = "Its owner is not on the season's roster any more, or the account is suspended."

/** The version of the same model that plays. */
export const entryOf = ({ models }: State, { model }: Version): Version | undefined =>
  models.get(model)!.held.find(({ status }) => status === "entered")

/** The version joins its ladders; the entry of its model before it is superseded in the same commit. */
export const putInPlay = (state: State, version: Version, before: Version | undefined, change: "entered" | "reinstated"): void => {
  moved(state, version, { status: "entered", phase: null })
  joinLadders(state, version, before)
  state.writes.versions.add(version.id)
  tell(state, version, change)
  if (before !== undefined) supersede(state, before, version)
}

export const supersede = (state: State, version: Version, { number }: Version): void => {
  moved(state, version, { status: "superseded", phase: null, streak: null, successor: number })
  state.writes.versions.add(version.id)
  tell(state, version, "superseded")
  letGo(state, version)
  state.recheckQueue = true
}

/**
 * The field of the finals is settled when they start: a baseline may leave them, but cannot join. Nor can one join that is over the
 * season's limits, which were edited or have a new board since it was admitted.
 */
export const switchBaseline = (state: State, { audit, enabled, version: id }: Of<"SwitchBaseline">): Replies["SwitchBaseline"] => {
  const version = state.versions_by_id.get(id)
  if (version === undefined || version.owner !== null) return { refused: "not_found" }
  if (version.status === "testing") return { refused: "testing" }
  if ((version.status === "entered") === enabled) return { enabled }
  if (enabled && isOver(state)) return { refused: "season_closed" }
  const verdict = judgedBy(state, version)
  if (enabled && !verdict.within) return { refused: "over_limits", detail: verdict.fault[1] }
  moved(state, version, { status: enabled ? "entered" : "disabled", phase: null, streak: null })
  if (enabled) joinLadders(state, version, undefined)
  else leaveLadders(state, version)
  state.writes.versions.add(id)
  logged(state, audit)
  tell(state, version, enabled ? "entered" : "disabled")
  state.recheckQueue = true
  return { enabled }
}

export const tell = (state: State, { id: version, model, owner, reject_reason }: Version, change: VersionChange): void => {
  state.events.push({ _tag: "VersionMoved", version, model, owner, change, reject_reason })
}
