/**
 * The SQL condition that the account `a` administers the platform or the season of this column, by season_admin_pkey: the keys
 * and webhooks that an account has made for a season work only as long.
 */
export const administers = (season: string): string =>
  `(a.admin OR EXISTS (SELECT 1 FROM season_admin x WHERE x.season_id = ${season} AND x.account_id = a.id))`
