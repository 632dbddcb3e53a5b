/** Replays lie under their match and their own hash from now on (object/keys.ts); those of before keep their places. */
export default `
ALTER TABLE match ADD COLUMN replay_by_match boolean NOT NULL DEFAULT true;
ALTER TABLE match ALTER COLUMN replay_by_match SET DEFAULT false
`
