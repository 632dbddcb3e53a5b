/** Instants of the API's sentences as people read them; in scripts of pages, too. */

export const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** `You may submit again at 2026-11-23T23:09:37.757Z.` as `You may submit again at 23 Nov 2026, 23:09:38 UTC.`: the next whole second. */
export const withTimes = (sentence: string): string =>
  sentence.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => {
    const at = new Date(Math.ceil(Date.parse(instant) / 1_000) * 1_000)
    if (Number.isNaN(at.getTime())) return instant
    return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${at.toISOString().slice(11, 19)} UTC`
  })
