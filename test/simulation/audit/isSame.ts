/**
 * Whether two rows hold the same, whatever the order of their fields: of what JSON holds, a field that is
 * undefined being none.
 */
export const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false
  const [one, other] = [a, b] as [Record<string, unknown>, Record<string, unknown>]
  for (const key in one) if (!isSame(one[key], other[key])) return false
  for (const key in other) if (one[key] === undefined && other[key] !== undefined) return false
  return true
}
