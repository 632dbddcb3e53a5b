/** Answers to submissions: accepted only where nothing stood against it, refused only for what holds. */
import type { Of, Replies } from "@agon/domain/season/Command.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import type { View } from "../View.ts"
import { must } from "./Promise.ts"

type Submit = Of<"SubmitVersion">
const COUNTED = ["testing", "entered", "superseded", "disqualified"]
const WITHOUT_COOLDOWN = ["admission_unavailable", "upload_expired"]

interface Moment {
  readonly at: number
  readonly before: View
  readonly rows: View
}

export const checkSubmission = (command: Submit, reply: Replies["SubmitVersion"], { at, before, rows }: Moment): void => {
  if (!("submitted" in reply)) {
    must(reply.refused.length > 0, "a refusal says why", command)
    for (const { code } of reply.refused) {
      // `at` may be later than the season's time: a clock that was read and put back before the season had moved.
      const views = [
        [before, before.head.now],
        [rows, at],
        [rows, rows.head.now],
        [during(before, rows), at]
      ] as const
      must(
        views.some(([view, now]) => holds(view, now, command, code)),
        "a submission is refused for what holds",
        code,
        command
      )
    }
    return
  }
  const version = rows.versions.get(reply.submitted)
  must(version !== undefined, "no reply before its commit", command, reply)
  const { manifest_hash, model, weights_hash } = command
  must(
    version!.model === model && version!.weights_hash === weights_hash && version!.manifest_hash === manifest_hash,
    "a submission is answered with itself",
    command,
    version
  ) // prettier-ignore
  if (!reply.fresh) return must(version!.id !== command.version, "the same pair of hashes is one version", command, version)
  must(version!.id === command.version, "a fresh submission is its own", command, reply)
  if (command.owner !== null) checkAllowed(command, version!, rows)
}

/** In the middle of a commit: a version that was submitted in it was a candidate, also where the season has closed since. */
const during = (before: View, rows: View): View => {
  const versions = [...rows.versions].map(([id, version]) => [id, before.versions.has(id) ? version : testing(version)] as const)
  return { ...rows, versions: new Map(versions) }
}
const testing = (version: Version): Version => ({ ...version, status: "testing" })

const checkAllowed = (command: Submit, version: Version, rows: View): void => {
  const { rules, submissions_close_at, submissions_open_at } = rows.settings
  const at = version.created_at
  must(command.eligible && !command.retired, "only who may submit does", command)
  must(at >= submissions_open_at && at < submissions_close_at, "submissions have their time", command, at)
  for (const other of rows.versions.values()) {
    if (other.owner !== version.owner || other.id === version.id || other.created_at > at) continue
    const free = WITHOUT_COOLDOWN.includes(other.reject_reason ?? "")
    must(free || other.created_at + rules.cooldown_s * 1_000 <= at, "the cooldown is kept", version, other)
  }
}

/** Whether the refusal is true of these rows at this time. */
const holds = ({ head, rounds, settings, versions }: View, now: number, command: Submit, code: string): boolean => {
  const { rules, submissions_close_at, submissions_open_at } = settings
  const all = [...versions.values()]
  const mine = all.filter(({ owner, status }) => owner === command.owner && COUNTED.includes(status))
  const models = new Set(mine.map(({ model }) => model))
  const over = head.phase !== "open" || rounds.some(({ kind, started_at }) => kind === "finals" && started_at !== null)
  const reasons: Readonly<Record<string, boolean>> = {
    season_not_open: now < submissions_open_at,
    season_closed: over || now >= submissions_close_at,
    not_eligible: !command.eligible,
    model_retired: command.retired,
    model_cap_reached: !models.has(command.model) && models.size >= rules.max_models_per_owner,
    version_cap_reached: mine.filter(({ model }) => model === command.model).length >= rules.max_versions_per_model,
    cooldown: all.some(
      ({ created_at, owner, reject_reason }) =>
        owner === command.owner && created_at + rules.cooldown_s * 1_000 > now && !WITHOUT_COOLDOWN.includes(reject_reason ?? "")
    ),
    candidate_in_flight: mine.some(({ status }) => status === "testing"),
    weights_already_entered: all.some(({ model, weights_hash }) => weights_hash === command.weights_hash && model !== command.model)
  }
  return reasons[code] === true
}
