/**
 * JSON of what an untrusted file says. A terminal obeys the characters that sandbox/Verdict.ts replaces in sentences; here they are
 * escaped, so that whoever parses the JSON reads what the file says. Outside of strings JSON.stringify writes none of them.
 */
export const terminalJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
