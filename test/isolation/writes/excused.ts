/** Conditions of writes that change nothing, and why. */
export const EXCUSED: Readonly<Record<string, string>> = {
  "UPDATE runner without state <> 'gone'": "a revoked key's runner that is gone already would be written as it is",
  "UPDATE runner without state <> 'gone' (2)": "so would one of a key whose maker is out of office",
  "UPDATE season without featured": "a season that is not featured would be written as it is"
}
