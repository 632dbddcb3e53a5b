import { createHmac } from "node:crypto"
import { Redacted } from "effect"

/** The `Authorization` header between nodes that share the secret. */
export const nodesCredential = (secret: Redacted.Redacted) =>
  `Bearer ${createHmac("sha256", Redacted.value(secret)).update("nodes").digest("base64url")}`

/** The status of the answer to whoever does not bring it. */
export const UNKNOWN = 401
