/**
 * Objects that removed rows referred to. They are given to the collector (StoredObjects.ts),
 * which removes each one that nothing refers to any more: not before a day has passed, so that a
 * backup under way still finds them.
 */
import { RECHECK_MS } from "./StoredObjects.ts"

/**
 * Inserts a row of `stored_object` for each key that a query answers, by the primary key. One that
 * is looked at later stays so.
 */
export const givenToCollector = (keys: string): string => `
  INSERT INTO stored_object (key, check_at, unused)
  SELECT DISTINCT key, now() + interval '${RECHECK_MS} milliseconds', true FROM (${keys}) k(key) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET check_at = greatest(stored_object.check_at, excluded.check_at)`

/** As keys.ts writes them, of rows of `match`. */
export const REPLAY_KEY = "'replays/' || id || CASE WHEN replay_by_match THEN '' ELSE '.' || substr(replay_hash, 8) END"

/** The keys that rows of `version` refer to, where their files have arrived. */
export const versionKeys = (from: string): string => `
  SELECT 'weights/sha256/' || substr(weights_hash, 8) FROM ${from} WHERE weights_bytes IS NOT NULL
  UNION ALL SELECT 'manifests/sha256/' || substr(manifest_hash, 8) FROM ${from} WHERE manifest_bytes IS NOT NULL`
