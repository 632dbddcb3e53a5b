/** One range of bytes as a GET asks for it (RFC 9110, 14.2), so that a large download goes on where it broke off. */
import type { Range } from "./ObjectDirectory.ts"

/**
 * Undefined where the whole object is to be sent: without a range, with several, with one that
 * is not understood, or with `If-Range`, since objects are answered without a validator.
 * "none" where no byte lies in it.
 */
export const rangeOf = (range: string | undefined, ifRange: string | undefined, bytes: number): Range | "none" | undefined => {
  const found = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(range ?? "")
  if (found === null || ifRange !== undefined) return undefined
  const [from, to] = [found[1]!, found[2]!]
  if (from === "" && to === "") return undefined
  const start = from === "" ? Math.max(0, bytes - Number(to)) : Number(from)
  const end = from === "" || to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (from !== "" && to !== "" && Number(from) > Number(to)) return undefined
  return start > end ? "none" : { start, end }
}
