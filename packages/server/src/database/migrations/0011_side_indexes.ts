/**
 * A side's matches are found by its versions (match/list/page/sides.ts): a seat has no index by model or by owner any more. Each took
 * 5 us of Postgres a match of two seats, over tables that are nearly empty as over larger ones; all that a match cost was 55.
 * A page of a side shows trials between its matches, which are few: they have an index of their own, which the seats of a
 * match that counts are not in, so that they are not searched for among all seats of the side.
 *
 * Dropping an index takes no time, whatever the size of the table; making this one took 0.6 s for 300,000 matches.
 */
export default `
DROP INDEX seat_model;
DROP INDEX seat_owner;
CREATE INDEX seat_trial ON seat (version_id, ended_at DESC) WHERE made_mu IS NULL AND rank > 0
`
