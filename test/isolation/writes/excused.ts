/** Conditions of writes that change nothing, and why. */
export const EXCUSED: Readonly<Record<string, string>> = {
  "UPDATE runner without state <> 'gone'": "a runner that is gone already when its key ends would be written as it is",
  "UPDATE match_audit without m.replay_hash IS NOT NULL":
    "no replay of a match with an open audit is removed (match.retention); the condition spares a lease request that would fail over one",
  "UPDATE season without featured": "a season that is not featured would be written as it is"
}
