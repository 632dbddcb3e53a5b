import { UNFIT } from "@agon/sandbox/Verdict.ts"

/**
 * JSON of what an untrusted file says. A terminal obeys the characters that `plain` replaces in sentences; here they are escaped, so
 * that whoever parses the JSON reads what the file says. Outside of strings JSON.stringify writes none of them.
 */
export const terminalJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNFIT, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
