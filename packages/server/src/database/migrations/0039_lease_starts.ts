/**
 * When each lease began: it is renewed for no longer than its longest life (domain/season/Lease.ts). Work that is leased now counts from
 * this moment, a default that Postgres keeps beside the table: no row is rewritten. An older node writes no start; a newer one that takes
 * over its season begins to count then.
 */
export default `
ALTER TABLE live ADD COLUMN leased_at timestamptz DEFAULT date_trunc('milliseconds', now());
-- rolling: no statement of an older node names the column
ALTER TABLE live ALTER COLUMN leased_at DROP DEFAULT;
ALTER TABLE review ADD COLUMN leased_at timestamptz DEFAULT date_trunc('milliseconds', now());
-- rolling: no statement of an older node names the column
ALTER TABLE review ALTER COLUMN leased_at DROP DEFAULT;
ALTER TABLE match_audit ADD COLUMN leased_at timestamptz DEFAULT date_trunc('milliseconds', now());
-- rolling: no statement of an older node names the column
ALTER TABLE match_audit ALTER COLUMN leased_at DROP DEFAULT
`
