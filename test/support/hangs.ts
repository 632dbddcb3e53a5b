/** After so long a test is taken to hang, on a machine that is ten times as busy as ours too. */
export const HANGS_AFTER_MS = 600_000
