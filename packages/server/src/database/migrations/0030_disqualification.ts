/** Entries out of play by decision (domain/season/entry/Exclusion.ts), and the voids of their matches that are still to be made. */
export default `
ALTER TABLE version ADD COLUMN disqualified boolean NOT NULL DEFAULT false;
ALTER TABLE version ADD COLUMN owner_removed boolean NOT NULL DEFAULT false;
ALTER TABLE version DROP CONSTRAINT version_status_check;
ALTER TABLE version ADD CONSTRAINT version_status_check
  CHECK (status IN ('testing', 'entered', 'rejected', 'superseded', 'disabled', 'disqualified'));

-- version/VoidOrders.ts: all matches of this version are to be voided, in the name of this account
CREATE TABLE void_order (
  version_id uuid PRIMARY KEY REFERENCES version,
  season_id uuid NOT NULL REFERENCES season,
  actor uuid NOT NULL REFERENCES account,
  reason text NOT NULL,
  created_at timestamptz NOT NULL
)
`
