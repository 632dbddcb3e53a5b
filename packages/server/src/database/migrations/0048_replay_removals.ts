/**
 * When the replay of a match was removed for its age (match/retention/ReplayRetention.ts). Such a match has no `replay_hash` any more, so
 * `match_replayed` has those alone whose replay is there.
 */
export default `
ALTER TABLE match ADD COLUMN replay_removed_at timestamptz
`
