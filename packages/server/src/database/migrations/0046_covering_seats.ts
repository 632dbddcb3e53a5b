/**
 * The indexes of seats by version also hold what lists of a side are found by, so that they are read off the
 * index: a side's seats lie on as many pages of the table as there are seats, 14 us each. It costs a match 28 bytes
 * a seat and no index more.
 *
 * Here they are made where few seats are there, 0.2 s. Where there are more the service makes them beside play
 * (match/list/SeatIndexes.ts).
 */
export default `
-- rolling: they are replaced only where that takes as long as a commit may wait, and find for older nodes what they found before
DO $$ BEGIN IF NOT EXISTS (SELECT FROM seat OFFSET 50000) THEN DROP INDEX seat_version, seat_trial; CREATE INDEX seat_version ON seat (version_id, ended_at DESC) INCLUDE (match_id, rank, made_mu); CREATE INDEX seat_trial ON seat (version_id, ended_at DESC) INCLUDE (match_id) WHERE made_mu IS NULL AND rank > 0; END IF; END $$
`
