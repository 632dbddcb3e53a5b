/** Conditions on a runner key `k` and the account `a` that made it. */

import { administers } from "../account/administers.ts"

/**
 * Whether who made the key still may have one: nobody who is suspended, and none but administrators of the
 * platform or of the key's season. The key of the service's own runner was made by nobody.
 */
export const IN_OFFICE = `(k.created_by IS NULL OR NOT a.suspended AND ${administers("k.season_id")})`

/** Whether the key may be used. */
export const IN_FORCE = `k.revoked_at IS NULL AND ${IN_OFFICE}`
