/**
 * A side's matches are found by its versions (match/listing.ts): a seat has no index by model or by owner any more. Each took
 * 5 us of Postgres a match of two seats, over tables that are nearly empty as over larger ones; all that a match cost was 55.
 * Dropping an index takes no time, whatever the size of the table.
 */
export default `
DROP INDEX seat_model;
DROP INDEX seat_owner
`
