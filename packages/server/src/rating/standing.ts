/**
 * Ladders in their order. At the start of a round the rows of ratings are rewritten one after another
 * (actor/WaitingRatings.ts); rows not yet rewritten are read as reset, by the view `standing`. While there
 * are some, by the season's row, a ladder is sorted when it is read, 100,000 entries in a quarter of a
 * second; otherwise rating_rank has its order.
 */

/** For a season `w`. */
const IN_ORDER = "w.ratings_round >= (w.head->>'round')::int"

/**
 * Who may be on a podium: no baseline, and nobody without a counted match; in finals, nobody without a match
 * in them. `b` is a row of ratings, and `finals` says whether they are being played. The version is read by
 * version_pkey, one by one until there are enough: an EXISTS would be planned as a join with all versions.
 */
export const winsIn = (finals: string): string =>
  `(b.round_matches > 0 OR (b.matches > 0 AND NOT ${finals})) AND (SELECT o.owner_id FROM version o WHERE o.id = b.version_id) IS NOT NULL`

/**
 * The best of a ladder of season `season`, each an SQL expression: a table `r`, which the caller may follow
 * only by its alias. `who` narrows the rows `b`.
 */
export const bestOf = (season: string, ladder: string, page: string, who = "true"): string => {
  const from = (table: string, when: string) =>
    `(SELECT b.ladder, b.version_id, b.mu, b.sigma, b.matches, b.round_matches, b.trend, b.history FROM ${table} b
      WHERE ${when} AND b.season_id = w.id AND b.ladder = ${ladder} AND b.active AND ${who} ORDER BY b.mu DESC, b.version_id ${page})`
  return `(SELECT t.* FROM season w CROSS JOIN LATERAL (
    ${from("rating", IN_ORDER)} UNION ALL ${from("standing", `NOT (${IN_ORDER})`)}) t WHERE w.id = ${season})`
}

/** Every rating of a ladder, in no order: a table expression as above, with `mu` and `sigma`. */
export const wholeOf = (season: string, ladder: string): string => {
  const from = (table: string, when: string) =>
    `SELECT b.mu, b.sigma FROM ${table} b WHERE ${when} AND b.season_id = w.id AND b.ladder = ${ladder} AND b.active`
  return `(SELECT t.* FROM season w CROSS JOIN LATERAL (
    ${from("rating", IN_ORDER)} UNION ALL ${from("standing", `NOT (${IN_ORDER})`)}) t WHERE w.id = ${season})`
}

/**
 * The ranks of a ladder from its first entry down to the rating `least`: a table `r` of `version_id` and
 * `rank`. It is read once, however many of its entries are looked for.
 */
export const ranksDownTo = (season: string, ladder: string, least: string): string => {
  const from = (table: string, when: string) =>
    `(SELECT b.version_id, row_number() OVER (ORDER BY b.mu DESC, b.version_id) AS rank FROM ${table} b
      WHERE ${when} AND b.season_id = w.id AND b.ladder = ${ladder} AND b.active AND b.mu >= ${least})`
  return `(SELECT t.* FROM season w CROSS JOIN LATERAL (
    ${from("rating", IN_ORDER)} UNION ALL ${from("standing", `NOT (${IN_ORDER})`)}) t WHERE w.id = ${season})`
}

const before = (table: string) => `(SELECT count(*) + 1 FROM ${table} o
  WHERE o.season_id = r.season_id AND o.ladder = r.ladder AND o.active AND o.mu >= r.mu
    AND (o.mu > r.mu OR o.version_id < r.version_id))`

/** The rank of a `standing` with the alias `r`; null where it is out of play. */
export const rank = `CASE WHEN r.active THEN CASE WHEN (SELECT ${IN_ORDER} FROM season w WHERE w.id = r.season_id)
  THEN ${before("rating")} ELSE ${before("standing")} END END`
