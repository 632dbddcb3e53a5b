/** Conditions of writes that change nothing, and why. */
export const EXCUSED: Readonly<Record<string, string>> = {
  "UPDATE runner without state <> 'gone'": "a revoked key's runner that is gone already would be written as it is",
  "UPDATE runner without state <> 'gone' (2)": "so would one of a key whose maker is out of office",
  "UPDATE match_audit without m.replay_hash IS NOT NULL":
    "no replay of a match with an open audit is removed (match.retention); the condition spares a lease request that would fail over one",
  "UPDATE season without featured": "a season that is not featured would be written as it is"
}
