/**
 * One text for one value, so that hashes agree between implementations: keys sorted by code unit, no white space,
 * integers plain, UTF-8 (GAMES.md, "Replay").
 */
import { createHash } from "node:crypto"

/** Throws a TypeError on what JSON has no word for; callers pass values that an engine or a reader has made. */
export const canonicalJson = (value: unknown): string => {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value)
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object") throw new TypeError(`${String(value)} has no canonical JSON`)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(",")}}`
}

/** 64 lower-case hex digits. */
export const sha256Hex = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** sha256 over the canonical text: `board_sha256` and `state_sha256`. */
export const canonicalSha256 = (value: unknown): string => sha256Hex(canonicalJson(value))
