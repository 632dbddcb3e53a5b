/** Whose eyes a member's read has: the account's behind the session, or everybody's where there is none. */
import { Effect } from "effect"
import { Visitor } from "@agon/api/Authorization.ts"
import type { Viewer } from "./Seasons.ts"

export const viewer = Effect.map(Visitor, (account): Viewer => account?.id ?? null)
