/**
 * Ids of rows: UUIDv7, ordered by the time they were made at, also those made within one
 * millisecond of this process.
 */

import { randomBytes } from "node:crypto"
import type { Effect } from "effect"
import { SecureRandom } from "effect/crypto"

const random = SecureRandom.make((size) => randomBytes(size))

export const newId: Effect.Effect<string> = random.uuidV7()
