/** Whether a state has something to commit. It follows from the writes, so no command can forget to set it. */
import type { State } from "./State.ts"

export const isDirty = ({ writes: { head, settings, ...rows } }: Pick<State, "writes">): boolean =>
  head || settings || Object.values(rows).some((each) => (Array.isArray(each) ? each.length : each.size) > 0)
