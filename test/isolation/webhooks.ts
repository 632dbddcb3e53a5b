/**
 * Webhooks of the seasons beside each other: one that hears for each, and one that is off and
 * one without room for the first.
 */
import type { Event } from "@agon/domain/season/Event.ts"
import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** Deliveries that wait for a webhook, at most. */
const ROOM = 1_000
/** Their kind where they only take the room. */
export const FILLER = "filler"

const webhook = (n: number) => `01950000-0000-7000-8000-00000000090${n}`
const hears = (season: string) => webhook(Number(season.at(-1)))
const OFF = webhook(8)
const FULL = webhook(9)

export const beginWebhooks = Effect.fnUntraced(function* (first: string, second: string, shadow: string) {
  const sql = yield* PgClient.PgClient
  const rows = [first, second, shadow].map((season) => [hears(season), season, "NULL"])
  for (const [id, season, disabled_at] of [...rows, [OFF, first, "now()"], [FULL, first, "NULL"]]) {
    yield* sql.unsafe(`INSERT INTO webhook (id, account_id, url, secret, created_at, disabled_at, channel)
      SELECT '${id}', id, 'https://hooks.example/', 's', now(), ${disabled_at}, 'season' FROM account WHERE username = 'owner1'`)
    yield* sql.unsafe(`INSERT INTO season_webhook (season_id, webhook_id) VALUES ('${season}', '${id}')`)
  }
  yield* sql.unsafe(`INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
    SELECT '${FULL}', gen_random_uuid(), '${FILLER}', '', now(), now() FROM generate_series(1, ${ROOM})`)
})

interface Side {
  readonly season: string
  readonly prefix: string
  readonly events: ReadonlyArray<Event>
}

const MOVES = new Set(["entered", "superseded", "disabled", "suspended", "disqualified", "reinstated"])

const toldOf = (event: Event, { prefix, season }: Side): string | undefined => {
  if (event._tag === "VersionMoved" && MOVES.has(event.change)) return `version_${event.change} ${prefix}/versions/${event.version}`
  if (event._tag === "RoundStarted") return `round_started ${prefix}/games/snakes/seasons/${season}`
  if (event._tag === "SeasonClosed") return `season_closed ${prefix}/games/snakes/seasons/${season}/podium`
}

/**
 * Each event of a season was told once, to the webhook of that season that hears; voids are one for a
 * commit, which events do not show.
 */
export const toldWebhooks = Effect.fnUntraced(function* (sql: PgClient.PgClient, sides: ReadonlyArray<Side>) {
  const rows = yield* sql.unsafe<{ webhook_id: string; told: string; subject: string }>(
    `SELECT webhook_id, kind || ' ' || link AS told, subject FROM webhook_delivery WHERE kind NOT IN ('${FILLER}', 'match_voided')`
  )
  const wanted = sides.flatMap((side) =>
    side.events.flatMap((event) => toldOf(event, side) ?? []).map((told) => `${hears(side.season)} ${told}`)
  )
  assert.isNotEmpty(wanted)
  assert.deepStrictEqual(rows.map(({ told, webhook_id }) => `${webhook_id} ${told}`).sort(), wanted.sort())
  for (const { subject, told } of rows) {
    assert.isFalse(/ of {2}|null/.test(subject), subject)
    assert.strictEqual(told.startsWith("version_"), subject.startsWith("Version "), subject)
  }
  const voids = yield* sql.unsafe<{ webhook_id: string }>(`SELECT DISTINCT webhook_id FROM webhook_delivery WHERE kind = 'match_voided'`)
  const voided = sides.filter(({ events }) => events.some(({ _tag }) => _tag === "MatchVoided"))
  assert.sameMembers(
    voids.map(({ webhook_id }) => webhook_id),
    voided.map(({ season }) => hears(season))
  )
})
