/**
 * Events for a season's webhooks, written by the commit of the event itself: rounds that start, entries that
 * join and leave, matches that are voided, and the close with its podium. A commit without such an event, as
 * all of play are, has no such part, whether or not the season has webhooks.
 *
 * Rated and failed matches are not told. Seasons rate hundreds of matches a second, and a webhook is asked
 * by one at a time: its thousand waiting deliveries would be full within seconds, and the rare events lost
 * among them. Candidates are their owner's business until they enter, and submissions open and close at
 * times that are known before.
 */
import type { Event, VersionChange } from "@agon/domain/season/Event.ts"
import type { State } from "@agon/domain/season/State.ts"
import { versionOf } from "@agon/domain/season/VersionCounts.ts"
import { publicPrefix } from "../../database/visibility.ts"
import { float, int, text, uuid } from "./columns.ts"
import { type Part, type Shape, statement } from "./statement.ts"

interface News {
  readonly kind: string
  /** Before the name of the season; of a version, after the name of its model. */
  readonly before: string
  /** After it. */
  readonly after: string
  /** Under the season's address, which an empty one is, or under the API's where it begins with a slash. */
  readonly path: string
  readonly number: number | null
  readonly model: string | null
  readonly at: number
}

/** Changes of a version that change who is in play. */
const MOVES: Readonly<Partial<Record<VersionChange, string>>> = {
  entered: "has entered",
  superseded: "was superseded in",
  disabled: "was switched off in",
  suspended: "was suspended in",
  disqualified: "was disqualified in",
  reinstated: "plays again in"
}

/** The events of play, hundreds in a batch, of which no webhook is told. */
const OF_PLAY: ReadonlySet<Event["_tag"]> = new Set(["MatchRated", "MatchEnded", "WorkAppeared"])

const ofSeason = { number: null, model: null }

const newsOf = (state: State, event: Event): News | undefined => {
  const at = state.now
  switch (event._tag) {
    case "RoundStarted":
      return { ...ofSeason, kind: "round_started", before: `Round ${event.n} of`, after: "has started.", path: "", at }
    case "SeasonClosed":
      return { ...ofSeason, kind: "season_closed", before: "", after: "is closed.", path: "podium", at }
    case "VersionMoved": {
      const before = MOVES[event.change]
      if (before === undefined) return undefined
      const { model, number } = versionOf(state, event.version)!
      return { kind: `version_${event.change}`, before, after: "", path: `/versions/${event.version}`, number, model, at }
    }
    default:
      return undefined
  }
}

/**
 * One for all matches that a commit voids: a disqualification voids hundreds. The event comes again with the ratings that are made
 * without them, of which nobody is told.
 */
const voided = (state: State): ReadonlyArray<News> => {
  const matches = state.writes.voided
  if (matches.length === 0) return []
  const [before, path] = matches.length === 1 ? ["A match of", `/matches/${matches[0]!.id}`] : [`${matches.length} matches of`, ""]
  const after = matches.length === 1 ? "was voided." : "were voided."
  return [{ ...ofSeason, kind: "match_voided", before: before!, after, path: path!, at: state.now }]
}

/**
 * Webhooks of the season by season_webhook_pkey, those that are on, as far as each has room; names by
 * season_pkey and model_pkey. The right of whoever made one is looked at when it is posted to.
 */
const told: Shape<News> = statement.worded(
  `INSERT INTO webhook_delivery (webhook_id, id, kind, subject, link, created_at, due_at)
   SELECT w.id, new_id(x.at), t.kind,
     concat_ws(' ', CASE WHEN m.id IS NOT NULL THEN 'Version ' || t.number || ' of ' || m.name END, nullif(t.before, ''), s.name)
       || coalesce(' ' || nullif(t.after, ''), '.'),
     ${publicPrefix} || CASE WHEN t.path LIKE '/%' THEN t.path ELSE '/games/' || s.game || '/seasons/' || s.slug || rtrim('/' || t.path, '/') END,
     x.at, x.at
   FROM f JOIN season s ON s.id = f.season_id JOIN season_webhook y ON y.season_id = f.season_id
     JOIN webhook w ON w.id = y.webhook_id AND w.disabled_at IS NULL
     CROSS JOIN LATERAL (SELECT 1000 - count(*) AS room FROM (
       SELECT 1 FROM webhook_delivery d WHERE d.webhook_id = w.id LIMIT 1000) waiting) r
     CROSS JOIN LATERAL unnest(?1::text[], ?2::text[], ?3::text[], ?4::text[], ?5::int4[], ?6::uuid[], ?7::float8[]) WITH ORDINALITY
       AS t (kind, before, after, path, number, model_id, at, i)
     CROSS JOIN LATERAL (SELECT to_timestamp(t.at / 1000.0) AS at) x
     LEFT JOIN model m ON m.id = t.model_id
   WHERE t.i <= r.room`,
  [
    text("kind", ({ kind }) => kind),
    text("before", ({ before }) => before),
    text("after", ({ after }) => after),
    text("path", ({ path }) => path),
    int("number", ({ number }) => number),
    uuid("model_id", ({ model }) => model),
    float("at", ({ at }) => at)
  ]
)

/** Null where nothing happened that they are told of. */
export const seasonWebhookPart = (state: State): Part | null => {
  if (!state.events.some(({ _tag }) => !OF_PLAY.has(_tag))) return null
  return statement.bind(told, [...state.events.flatMap((event) => newsOf(state, event) ?? []), ...voided(state)])
}
