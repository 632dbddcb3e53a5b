/**
 * The objects of versions in the store, so that those which nobody needs are found without listing the store: uploads under
 * `incoming/`, and weights and manifests under their content addresses. `check_at` is when the collector looks next; it is
 * null where a version that was admitted keeps the object for good; `unused` says that nobody needed it at the last look. Replays
 * have no rows: the match is theirs.
 */
export default `
CREATE TABLE stored_object (
  key text PRIMARY KEY,
  check_at timestamptz,
  unused boolean NOT NULL DEFAULT false
);
CREATE INDEX stored_object_check ON stored_object (check_at, key) WHERE check_at IS NOT NULL;
CREATE INDEX version_weights ON version (weights_hash);
CREATE INDEX version_manifest ON version (manifest_hash);
INSERT INTO stored_object (key, check_at)
  SELECT DISTINCT 'weights/sha256/' || substr(weights_hash, 8), now() FROM version WHERE weights_bytes IS NOT NULL;
INSERT INTO stored_object (key, check_at)
  SELECT DISTINCT 'manifests/sha256/' || substr(manifest_hash, 8), now() FROM version WHERE weights_bytes IS NOT NULL;
INSERT INTO stored_object (key, check_at)
  SELECT 'incoming/' || v.id || '/' || k.kind, coalesce(v.upload_until, now()) + interval '15 minutes'
  FROM version v CROSS JOIN (VALUES ('weights'), ('manifest')) k(kind)
  WHERE v.phase = 'upload' OR v.status = 'rejected';
UPDATE season SET rules = rules || '{"max_stored_bytes_per_owner": 2147483648}' WHERE NOT rules ? 'max_stored_bytes_per_owner'
`
