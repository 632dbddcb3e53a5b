/**
 * The body that creates a season, but for its name and its weight classes: live, public, open
 * to all, played by all runners.
 */
export const OPEN_SEASON = {
  submissions_open_at: "2026-01-01T00:00:00.000Z",
  submissions_close_at: "2099-01-01T00:00:00.000Z",
  visibility: "public",
  entry: "open",
  fleet: { matches: "both", admissions: "both" },
  providers: []
} as const
