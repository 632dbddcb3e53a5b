/**
 * Chooses the part and the day that are made next. A day comes up when it is finished: `SETTLED_MS` after its
 * end, longer than a commit may take. A match that still came with a time of that day would not be lost:
 * parts go by numbers of rating, so it would be in the next day's.
 */
import { dayAfter, dayAt, endOf } from "../day.ts"
import type { Due } from "./queries.ts"

export const SETTLED_MS = 15 * 60_000

export interface Unit {
  readonly day: string
  readonly part: number
  /** Matches that ended and voids that happened before this are in it. */
  readonly until: Date
}

const later = (...days: ReadonlyArray<string>): string => days.toSorted().at(-1)!

type Progress = Pick<Due, "day" | "part" | "last" | "match_day" | "void_day">

const unit = (day: string, part: number): Unit => ({ day, part, until: new Date(endOf(day)) })

/** `now` in ms since 1970. */
export const nextUnit = ({ day, last, match_day, part, void_day }: Progress, now: number): Unit | undefined => {
  if (day !== null && last === false) return unit(day, part! + 1)
  const earliest = day === null ? "" : dayAfter(day)
  const [first] = [match_day, void_day].flatMap((one) => (one === null ? [] : [later(one, earliest)])).toSorted()
  if (first === undefined || first >= dayAt(now - SETTLED_MS)) return undefined
  return unit(first, 1)
}
