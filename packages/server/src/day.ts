/** UTC days as text, as in 2026-11-20, which sort as they follow each other. */

export const DAY_MS = 86_400_000

export const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** When a day begins, in ms since 1970. */
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const endOf = (day: string): number => startOf(day) + DAY_MS

export const dayAfter = (day: string): string => dayAt(endOf(day))
