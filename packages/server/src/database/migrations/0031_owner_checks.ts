/** Owners whose right to take part in a season may have changed: the season is to be asked (season/OwnerChecks.ts). */
export default `
CREATE TABLE owner_check (
  id uuid PRIMARY KEY,
  season_id uuid NOT NULL REFERENCES season,
  account_id uuid NOT NULL REFERENCES account
)
`
