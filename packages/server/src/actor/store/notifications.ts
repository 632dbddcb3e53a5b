/**
 * The notifications that a commit writes: to the owners of versions that advance or are turned away, to the
 * season's administrators about entries that are suspended, and to everybody who took part in a season that
 * closes. They are rows of the commit's one statement, so each event is notified exactly once, and an
 * uncommitted one never, wherever the actor is killed. A commit that moves no version has no such part.
 *
 * Feeds are not trimmed here (as notification/queries.ts does): an owner gets only as many as they submit.
 */
import { rejectMeanings } from "@agon/api/version/rejectMeanings.ts"
import type { Event } from "@agon/domain/season/Event.ts"
import type { RejectReason } from "@agon/domain/season/Reasons.ts"
import type { State } from "@agon/domain/season/State.ts"
import { FAULTS_RUNNING } from "@agon/domain/season/scheduler/Faults.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import { versionOf } from "@agon/domain/season/VersionCounts.ts"
import { publicOnly, publicPrefix } from "../../database/visibility.ts"
import { float, int, text, uuid } from "./columns.ts"
import { type Part, type Shape, statement } from "./statement.ts"

type VersionMove = Extract<Event, { _tag: "VersionMoved" }>

interface Notification {
  readonly row: Version
  readonly kind: string
  readonly became: string // between the name of the model and that of the season
  readonly more: string
  readonly at: number
}

/** An upload ends early also where a better claim comes, and files are too large for their owner's quota as well. */
const OF_SEVERAL_CAUSES: ReadonlySet<RejectReason> = new Set(["upload_expired", "too_large"])

/** The changes that owners are told of. They know their own submission, and only baselines are disabled. */
const wording = (
  { change, reject_reason }: VersionMove,
  { reject_detail, successor }: Version
): Pick<Notification, "kind" | "became" | "more"> | undefined => {
  switch (change) {
    case "admitted":
      return { kind: "version_admitted", became: "was admitted and plays its trial in", more: "" }
    case "entered":
      return { kind: "version_entered", became: "has entered", more: "" }
    case "rejected":
      return {
        kind: "version_rejected",
        became: "was rejected in",
        more: reject_reason === null ? "" : `: ${OF_SEVERAL_CAUSES.has(reject_reason) ? reject_detail : rejectMeanings[reject_reason]}`
      }
    case "superseded":
      return { kind: "version_superseded", became: `was superseded by version ${successor} in`, more: "" }
    case "suspended":
      return {
        kind: "version_suspended",
        became: "was suspended in",
        more: `: ${FAULTS_RUNNING} of its matches running failed by its fault`
      }
    case "disqualified":
      return { kind: "version_disqualified", became: "was disqualified in", more: `: ${reject_detail}` }
    case "reinstated":
      return { kind: "version_reinstated", became: "plays again in", more: "" }
    default:
      return undefined
  }
}

/** Whether the account `who` wants the kind: notification_setting_pkey. */
const wants = (who: string, kind: string) =>
  `NOT EXISTS (SELECT 1 FROM notification_setting n WHERE n.account_id = ${who} AND n.kind = ${kind} AND NOT n.enabled)`

const INTO = "INSERT INTO notification (id, account_id, kind, subject, link, created_at)"

const versionColumns = [
  uuid<Notification>("account_id", ({ row }) => row.owner),
  uuid<Notification>("version_id", ({ row }) => row.id),
  uuid<Notification>("model_id", ({ row }) => row.model),
  int<Notification>("number", ({ row }) => row.number),
  text<Notification>("kind", ({ kind }) => kind),
  text<Notification>("became", ({ became }) => became),
  text<Notification>("more", ({ more }) => more),
  float<Notification>("at", ({ at }) => at)
]
const versions = `unnest(?1::uuid[], ?2::uuid[], ?3::uuid[], ?4::int4[], ?5::text[], ?6::text[], ?7::text[], ?8::float8[])
       AS t (account_id, version_id, model_id, number, kind, became, more, at)
     JOIN model m ON m.id = t.model_id`
const subject = "'Version ' || t.number || ' of ' || m.name || ' ' || t.became || ' ' || s.name || t.more"
/** Names by model_pkey and season_pkey. */
const toOwners: Shape<Notification> = statement.worded(
  `${INTO} SELECT new_id(to_timestamp(t.at / 1000.0)), t.account_id, t.kind, ${subject}, '/v1/me/versions/' || t.version_id,
     to_timestamp(t.at / 1000.0)
   FROM f JOIN season s ON s.id = f.season_id, ${versions}
   WHERE ${wants("t.account_id", "t.kind")}`,
  versionColumns
)

/**
 * The season's administrators, by season_admin_pkey: told of a suspended entry, since they can reinstate it. An owner
 * among them is notified as its owner.
 */
const toAdministrators: Shape<Notification> = statement.worded(
  `${INTO} SELECT new_id(to_timestamp(t.at / 1000.0)), x.account_id, t.kind, ${subject}, ${publicPrefix} || '/versions/' || t.version_id,
     to_timestamp(t.at / 1000.0)
   FROM f JOIN season s ON s.id = f.season_id JOIN season_admin x ON x.season_id = f.season_id, ${versions}
   WHERE x.account_id IS DISTINCT FROM t.account_id AND ${wants("x.account_id", "t.kind")}`,
  versionColumns
)

/**
 * Everyone who has ever submitted a version, by version_ord, and everyone on the roster who has
 * signed in, by participant_login and identity_login. A private season tells its roster alone:
 * whoever was taken off it hears no more of the season. Versions of this commit are in no table yet;
 * its first row has none and says when.
 */
const ofClosing: Shape<{ readonly owner: string | null; readonly at: number }> = statement.worded(
  `${INTO} SELECT new_id(x.at), x.account_id, 'season_closed', s.name || ' is closed.',
     ${publicPrefix} || '/games/' || s.game || '/seasons/' || s.slug || '/podium', x.at
   FROM f JOIN season s ON s.id = f.season_id CROSS JOIN LATERAL (
     SELECT p.account_id, to_timestamp((?2::float8[])[1] / 1000.0) AS at FROM (
       SELECT o.id FROM (
         SELECT v.owner_id FROM version v WHERE v.season_id = f.season_id UNION SELECT unnest(?1::uuid[])) o (id) WHERE ${publicOnly()}
       UNION SELECT i.account_id FROM participant r JOIN identity i ON i.provider = r.provider AND lower(i.login) = lower(r.login)
         WHERE r.season_id = f.season_id) p (account_id)
     WHERE p.account_id IS NOT NULL) x
   WHERE ${wants("x.account_id", "'season_closed'")}`,
  [uuid("owner", ({ owner }) => owner), float("at", ({ at }) => at)]
)

const closing = (state: State): Part | null => {
  if (!state.events.some(({ _tag }) => _tag === "SeasonClosed")) return null
  const owners = [...state.writes.inserted.keys()].map((id) => versionOf(state, id)!.owner)
  return statement.bind(
    ofClosing,
    [null, ...owners].map((owner) => ({ owner, at: state.now }))
  )
}

export const notificationParts = (state: State): ReadonlyArray<Part | null> => {
  const { rejected, versions } = state.writes
  if (versions.size + rejected.size === 0 && state.phase !== "closed") return []
  const notified = state.events.flatMap((event) => {
    if (event._tag !== "VersionMoved") return []
    const row = versionOf(state, event.version)!
    const said = wording(event, row)
    return said === undefined ? [] : [{ row, at: state.now, ...said }]
  })
  const owned = notified.filter(({ row }) => row.owner !== null)
  const suspended = notified.filter(({ kind }) => kind === "version_suspended")
  return [statement.bind(toOwners, owned), statement.bind(toAdministrators, suspended), closing(state)]
}
