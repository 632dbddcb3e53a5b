/** Mutants of the season's statements that change nothing, and why. */

const ID = "the id that stands beside it is unique in the whole service"
const FOLDED = "a commit rates no match that counts no more; a fold beside it may, and season.void.test.ts does"

export const EQUIVALENT: Readonly<Record<string, string>> = {
  "UPDATE version without version.season_id = f.season_id": ID,
  "UPDATE match without match.season_id = f.season_id": ID,
  "UPDATE match without match.season_id = f.season_id (2)": ID,
  "UPDATE seat without seat.season_id = f.season_id": ID,
  "UPDATE seat without seat.season_id = f.season_id (2)": ID,
  "DELETE FROM voiding without voiding.season_id = f.season_id": ID,
  "SELECT version_id, ord, ladder, active, … FROM rating without season_id = ?1::uuid": ID,
  "DELETE FROM voiding without voiding.match_id = ANY (?1::uuid[])": "all that waits for a fold goes with the commit that installs it",
  "UPDATE seat without seat.made_mu IS NOT NULL": FOLDED,
  "UPDATE match without match.rated_n IS NOT NULL": FOLDED,
  "SELECT r.version_id AS version, r.lease_… FROM r without v.id = r.version_id":
    "the order of reviews in the state does not matter, and none is there twice"
}
