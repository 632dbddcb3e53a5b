/**
 * Short replays are written with their match. Those that are not `replay_inline` lie in the object store (object/keys.ts), as all of
 * before do. A row has no time and no hash of its own: it is written and removed with its match.
 */
export default `
CREATE TABLE replay (match_id uuid PRIMARY KEY, content bytea NOT NULL);
ALTER TABLE match ADD COLUMN replay_inline boolean NOT NULL DEFAULT false
`
