/** Hashes of files as the API writes them: `sha256:` and 64 lower-case hexadecimal digits. */
import { sha256Hex } from "./sha256.ts"

const PREFIX = "sha256:"

export const hashOf = (bytes: Uint8Array): string => PREFIX + sha256Hex(bytes)

/** The digits alone, as file names, object keys and replays have them. */
export const hexOf = (hash: string): string => hash.slice(PREFIX.length)
