/**
 * How versions did on boards (model/MapTallies.ts): all counted matches before an instant, as `{map_id: [played, sum of ranks, sum of
 * scores, sum of changes of the open rating]}`, at a time when the ratings had been made without so many voided matches.
 */
export default `
CREATE TABLE map_tally (
  version_id uuid PRIMARY KEY REFERENCES version (id) ON DELETE CASCADE,
  counted_to timestamptz NOT NULL,
  voided int NOT NULL,
  tallies jsonb NOT NULL
)
`
