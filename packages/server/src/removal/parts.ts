/**
 * The tables in which a season has rows besides its matches and seats (matches.ts), each before those that it
 * refers to. test/integration/season.removal.test.ts finds the tables in the catalogue of the database and
 * misses one that is left out here.
 */
import { givenToCollector, versionKeys } from "../object/givenToCollector.ts"

/** Rows of one table. `statement` removes at most `$2` rows of the season `$1` and answers their number as `n`. */
export interface Part {
  readonly table: string
  readonly statement: string
}

interface Options {
  /** Which rows of the table, `t`; those with the season's id where nothing is said. */
  readonly where?: string
  /** A query of objects' keys, from `gone`. */
  readonly keys?: string
}

const part = (table: string, { keys, where = "t.season_id = $1::uuid" }: Options = {}): Part => ({
  table,
  statement: `
  WITH gone AS (DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM ${table} t WHERE ${where} LIMIT $2::int)) RETURNING *)
  ${keys === undefined ? "" : `, collected AS (${givenToCollector(keys)})`} SELECT count(*)::int AS n FROM gone`
})

const THREADS = "SELECT h.id FROM thread h WHERE h.season_id = $1::uuid"
const VERSIONS = "SELECT v.id FROM version v WHERE v.season_id = $1::uuid"
const BASELINES = "SELECT m.id FROM model m WHERE m.baseline_season = $1::uuid"
const ofVersions = { where: `t.version_id IN (${VERSIONS})` }

/**
 * Few rows each; with the webhook go its place and its attempts. Nothing else finds
 * deliveries of a webhook that is gone.
 */
const webhooks: Part = {
  table: "webhook",
  statement: `
  WITH gone AS (DELETE FROM webhook w WHERE w.channel = 'season' AND w.id IN
      (SELECT o.webhook_id FROM season_webhook o WHERE o.season_id = $1::uuid LIMIT $2::int) RETURNING w.id),
    undelivered AS (DELETE FROM webhook_delivery d USING gone g WHERE d.webhook_id = g.id)
  SELECT count(*)::int AS n FROM gone`
}

/**
 * Tables of people and their words there: first, so that nobody comes upon half of it. By season_id,
 * in indexes or in small tables.
 */
export const PEOPLE: ReadonlyArray<Part> = [
  part("participant"),
  part("season_admin"),
  part("owner_check"),
  part("notice_read", { where: "t.notice_id IN (SELECT n.id FROM notice n WHERE n.season_id = $1::uuid)" }),
  part("notice"),
  part("report", { where: `t.comment_id IN (SELECT c.id FROM comment c WHERE c.thread_id IN (${THREADS}))` }),
  part("comment", { where: `t.thread_id IN (${THREADS})` }),
  part("thread"),
  part("discussed_match"),
  part("pick"),
  webhooks,
  part("runner", { where: "t.key_id IN (SELECT k.id FROM runner_key k WHERE k.season_id = $1::uuid)" }),
  part("runner_key")
]

/** Tables that play has written besides matches, then versions, baselines, and the log of what administrators did. */
export const PLAY: ReadonlyArray<Part> = [
  part("live"),
  part("review"),
  part("rating"),
  part("rating_seed"),
  part("rating_redo"),
  part("voiding"),
  part("series_point"),
  part("match_check"),
  part("match_audit"), // by a scan, without one of a match that is there
  part("round"),
  part("board_switch"),
  part("board"),
  part("dataset_claim"),
  part("dataset_voided"),
  part("dataset_file", { keys: "SELECT key FROM gone" }),
  part("void_order"),
  part("rival_tally", ofVersions),
  part("map_tally", ofVersions),
  part("kept_list"),
  part("match_tally"),
  part("season_tally"),
  part("version", { keys: versionKeys("gone") }),
  part("story", { where: `t.model_id IN (${BASELINES})` }),
  part("model", { where: "t.baseline_season = $1::uuid" }),
  part("audit")
]
