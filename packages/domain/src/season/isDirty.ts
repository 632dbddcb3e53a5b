/** Whether a state has something to commit. It follows from the writes, so no command can forget to set it. */
import type { State } from "./State.ts"
import type { Writes } from "./Writes.ts"

export const isDirty = ({ writes }: Pick<State, "writes">): boolean => {
  for (const name in writes) {
    const rows = writes[name as keyof Writes]
    if (typeof rows === "boolean" ? rows : (Array.isArray(rows) ? rows.length : (rows as ReadonlySet<unknown>).size) > 0) return true
  }
  return false
}
