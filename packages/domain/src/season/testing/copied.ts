/**
 * A deep copy of rows: arrays and plain objects of what JSON holds, and undefined. In tests that
 * commit thousands of rows a second it takes a tenth of the time of structuredClone, which
 * copies whatever else there is.
 */
export const copied = <A>(value: A): A => copy(value) as A

const copy = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copy)
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value)
  const to: Record<string, unknown> = {}
  for (const key of Object.keys(value)) to[key] = copy((value as Record<string, unknown>)[key])
  return to
}
