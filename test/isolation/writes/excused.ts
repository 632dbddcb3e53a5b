/** Conditions of writes that change nothing, and why. */
export const EXCUSED: Readonly<Record<string, string>> = {
  "UPDATE runner without state <> 'gone'": "a revoked key's runner that is gone already would be written as it is",
  "UPDATE runner without state <> 'gone' (2)": "a runner that is gone already would be written as it is by the sweep",
  "UPDATE season without featured": "a season that is not featured would be written as it is"
}
