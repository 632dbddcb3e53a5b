/**
 * A deep copy of rows: arrays and plain objects of what JSON holds, and undefined. In tests that
 * commit thousands of rows a second it takes a tenth of the time of structuredClone, which
 * copies whatever else there is.
 */
export const copied = <A>(value: A): A => copy(value) as A

const copy = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return copyOfAll(value)
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value)
  const to: Record<string, unknown> = { ...value }
  for (const key in to) {
    const held = to[key]
    if (typeof held === "object" && held !== null) to[key] = copy(held)
  }
  return to
}

const copyOfAll = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const to = values.slice()
  for (let i = 0; i < to.length; i++) if (typeof to[i] === "object") to[i] = copy(to[i])
  return to
}
