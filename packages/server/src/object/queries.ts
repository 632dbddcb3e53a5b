/**
 * Every statement about stored objects: their rows, the versions that refer to them, and the
 * bytes that an account keeps.
 */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

/** Where a row stands in the order of checks; the time as text, to the microsecond. */
const Due = Schema.Struct({ at: Schema.String, key: Schema.String })
export type Due = typeof Due.Type

/** Stands before every row. */
export const FIRST: Due = { at: "-infinity", key: "" }

/**
 * Whether an admitted version refers to the object, whether one does that may still be rejected, and whether
 * nothing did at the previous check.
 */
const Locked = Schema.Struct({ kept: Schema.Boolean, in_admission: Schema.Boolean, unused: Schema.Boolean })

/**
 * The status of a version, or `testing` where it may still be rejected though it is out of its trial: one that was disqualified before it
 * entered is, if it comes back once the finals have begun.
 */
const standing = (sql: SqlClient.SqlClient) =>
  sql.literal(`CASE WHEN status = 'disqualified'
  AND EXISTS (SELECT FROM season s WHERE s.id = version.season_id AND s.closed_at IS NULL) THEN 'testing' ELSE status END AS status`)

/** Whether a file of a version that nobody else keeps is still in the store. */
const lies = (sql: SqlClient.SqlClient, file: "weights" | "manifest") =>
  sql`EXISTS (SELECT FROM stored_object o WHERE o.check_at IS NOT NULL
    AND o.key = ${file === "weights" ? "weights" : "manifests"} || '/sha256/' || split_part(${sql.literal(`${file}_hash`)}, ':', 2))`

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Inserts the rows or postpones their next check, by the primary key. Waits for the collector's lock on each. */
  note: ({ at, keys }: { readonly keys: ReadonlyArray<string>; readonly at: Date }) => sql`
    INSERT INTO stored_object (key, check_at) SELECT key, ${at} FROM unnest(string_to_array(${keys.join()}, ',')) key ORDER BY key
    ON CONFLICT (key) DO UPDATE SET check_at = greatest(stored_object.check_at, excluded.check_at), unused = false`,

  /** The rows behind this one that have been due longest, by stored_object_check. */
  due: SqlSchema.findAll({
    Request: Schema.Struct({ now: Schema.Date, after: Due, limit: Schema.Int }),
    Result: Due,
    execute: ({ after, limit, now }) => sql`
      SELECT check_at::text AS at, key FROM stored_object WHERE check_at <= ${now} AND (check_at, key) > (${after.at}::timestamptz, ${after.key})
      ORDER BY check_at, key LIMIT ${limit}`
  }),

  /**
   * Locks one row by the primary key unless another transaction holds it, and answers which versions refer to
   * the object, by version_weights and version_manifest, or whether a dataset or a match does, by
   * dataset_file_key and match_pkey. An incoming key is its version's for as long as that waits for files, by version_pkey.
   */
  lock: SqlSchema.findAll({
    Request: Schema.Struct({ key: Schema.String, now: Schema.Date }),
    Result: Locked,
    execute: ({ key, now }) => sql`
      WITH o AS (SELECT split_part(key, '/', 1) AS kind, 'sha256:' || split_part(key, '/', 3) AS hash, key, unused FROM stored_object
        WHERE key = ${key} AND check_at <= ${now} FOR UPDATE SKIP LOCKED)
      SELECT coalesce(bool_or(v.status NOT IN ('testing', 'rejected')), false) AS kept,
        coalesce(bool_or(v.status = 'testing'), false) AS in_admission, o.unused
      FROM o LEFT JOIN LATERAL (
        SELECT ${standing(sql)} FROM version WHERE o.kind = 'weights' AND weights_hash = o.hash
        UNION ALL SELECT ${standing(sql)} FROM version WHERE o.kind = 'manifests' AND manifest_hash = o.hash
        UNION ALL SELECT CASE phase WHEN 'upload' THEN status END FROM version
          WHERE id = CASE o.kind WHEN 'incoming' THEN split_part(o.key, '/', 2)::uuid END
        UNION ALL SELECT 'kept' FROM dataset_file WHERE key = o.key
        UNION ALL SELECT 'kept' FROM match
          WHERE id = CASE o.kind WHEN 'replays' THEN left(split_part(o.key, '/', 2), 36)::uuid END AND replay_hash IS NOT NULL) v ON true
      GROUP BY o.unused`
  }),

  /** One row by the primary key; without a time it is kept for good. */
  check: ({ at, key, unused = false }: { readonly key: string; readonly at: Date | null; readonly unused?: boolean }) => sql`
    UPDATE stored_object SET check_at = ${at}, unused = ${unused} WHERE key = ${key}`,

  /** One row by the primary key. */
  forget: (key: string) => sql`DELETE FROM stored_object WHERE key = ${key}`,

  /**
   * Bytes that the service keeps for an account, each content once and without these two, by version_owner; those of rejected
   * versions for as long as the collector has not removed them, by stored_object_pkey. Files that have not arrived have no
   * size yet.
   */
  keptBytes: SqlSchema.findOne({
    Request: Schema.Struct({ owner_id: Schema.String, but: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ bytes: Schema.Number }),
    execute: ({ but, owner_id }) => sql`
      SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM (
        SELECT weights_hash AS hash, weights_bytes AS bytes FROM version
          WHERE owner_id = ${owner_id} AND weights_bytes IS NOT NULL AND (status <> 'rejected' OR ${lies(sql, "weights")})
        UNION SELECT manifest_hash, manifest_bytes FROM version
          WHERE owner_id = ${owner_id} AND manifest_bytes IS NOT NULL AND (status <> 'rejected' OR ${lies(sql, "manifest")})) kept
      WHERE hash <> ALL (string_to_array(${but.join()}, ','))`
  })
}))
