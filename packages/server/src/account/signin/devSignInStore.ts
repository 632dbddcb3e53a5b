/**
 * The store of the development sign-in, in memory and bounded. The provider includes such a store, but
 * warns at every start that it is not for production, which the development sign-in never is.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import type { Adapter, AdapterPayload } from "oidc-provider"

/** Beyond it the oldest entries are dropped; a sign-in under way holds four. */
const ENTRIES_MAX = 10_000

export const makeDevSignInStore = () => {
  const entries = new CappedMap<string, AdapterPayload>(ENTRIES_MAX)

  const deleteWhere = (goes: (payload: AdapterPayload) => boolean) => {
    for (const [key, payload] of entries) if (goes(payload)) entries.delete(key)
  }
  const find = (holds: (payload: AdapterPayload) => boolean) => entries.values().find(holds)

  return (model: string): Adapter => ({
    upsert: async (id, payload) => {
      entries.set(`${model} ${id}`, payload)
    },
    find: async (id) => entries.get(`${model} ${id}`),
    findByUid: async (uid) => find((payload) => payload.uid === uid),
    findByUserCode: async (userCode) => find((payload) => payload.userCode === userCode),
    consume: async (id) => {
      const payload = entries.get(`${model} ${id}`)
      if (payload !== undefined) payload["consumed"] = true // nothing here reads the time
    },
    destroy: async (id) => {
      entries.delete(`${model} ${id}`)
    },
    revokeByGrantId: async (grantId) => deleteWhere((payload) => payload.grantId === grantId)
  })
}
