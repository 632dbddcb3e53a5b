/** Points of the series once a match is voided: the order of a ladder as it would have been at each of them. */
import type { Course } from "./Rerating.ts"
import type { SeriesPoint } from "./State.ts"

/** The points that came out otherwise: all of them are of the round of the courses. `begun`: the first number that counts. */
export const redrawn = (points: ReadonlyArray<SeriesPoint>, courses: ReadonlyArray<Course>, begun: number): ReadonlyArray<SeriesPoint> => {
  const byKey = new Map(courses.map((course) => [`${course.ladder} ${course.version}`, course]))
  return points.flatMap((point) => {
    if (point.n < begun) return [{ ...point, versions: [], mus: [] }] // it would not have been taken yet
    let changed = false
    const rows = point.versions.map((version, i) => {
      const course = byKey.get(`${point.ladder} ${version}`)
      const mu = course === undefined ? point.mus[i]! : meanAt(course, point.n)
      changed ||= mu !== point.mus[i]
      return { version, mu }
    })
    if (!changed) return []
    rows.sort((a, b) => b.mu - a.mu || (a.version < b.version ? -1 : 1))
    return [{ ...point, versions: rows.map(({ version }) => version), mus: rows.map(({ mu }) => mu) }]
  })
}

/** After so many numbers had been given. */
const meanAt = ({ from, means, numbers }: Course, n: number): number => {
  const at = numbers.findLastIndex((number) => number <= n)
  return at < 0 ? from.mu : means[at]!
}
