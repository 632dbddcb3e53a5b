/** Numbers, times and sizes as people read them. Times are in UTC: a page is the same for everybody. */
import { type Html, html } from "./Html.ts"
import { MONTHS } from "./instants.ts"

/** `22 Nov 2026, 13:05 UTC`, of an instant of the API. */
export const timeText = (instant: string): string => {
  const [, year = "", month = "", day = "", clock = ""] = /^(\d+)-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(instant) ?? []
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}, ${clock} UTC`
}

/** The same, as an element that has the instant. */
export const time = (instant: string): Html => html`<time datetime="${instant}">${timeText(instant)}</time>`

/** `1,234,567` */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",")

/** `1 match`, `3 matches` */
export const counted = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`

/** One decimal, with a real minus sign. */
export const decimal = (n: number): string =>
  n
    .toFixed(1)
    .replace(/^-(0\.0)$/, "$1")
    .replace("-", "−")

/** `41,602.5` */
export const grouped = (n: number): string => decimal(n).replace(/\B(?=(\d{3})+\.)/g, ",")

/** `+3.2`, `−1.0`; `0.0` has no sign, whatever it was rounded from. */
export const signed = (n: number): string => {
  const text = decimal(n)
  return n > 0 && text !== "0.0" ? `+${text}` : text
}

/** `+3`, `−1`, `0` */
export const signedWhole = (n: number): string | Html => {
  const whole = Math.round(n)
  return whole > 0 ? `+${whole}` : whole < 0 ? html`−${-whole}` : "0"
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"]

export const bytes = (n: number): string => {
  let [size, unit] = [n, 0]
  while (size >= 1024 && unit < UNITS.length - 1) [size, unit] = [size / 1024, unit + 1]
  return n === 1 ? "1 byte" : `${Number(size.toFixed(1))} ${UNITS[unit]}`
}

/** `10 minutes`, `1 hour` */
export const duration = (seconds: number): string => {
  for (const [unit, length] of [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60]
  ] as const) {
    if (seconds >= length && seconds % length === 0) return counted(seconds / length, unit)
  }
  return counted(seconds, "second")
}

/** `last_standing` as `last standing` */
export const words = (code: string): string => code.replaceAll("_", " ")

/** A clause as a sentence of its own. */
export const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${/[.!?]$/.test(clause) ? "" : "."}`
