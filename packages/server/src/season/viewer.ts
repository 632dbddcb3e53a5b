/** Whose permissions a read has: those of the account behind the session, or the public's where there is none. */

import { Visitor } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import type { Viewer } from "../database/visibility.ts"

export const viewer = Effect.map(Visitor, (account): Viewer => account?.id ?? null)
