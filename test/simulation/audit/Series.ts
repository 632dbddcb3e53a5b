/**
 * The points that the series is drawn from: every ladder in its order, taken when they are due and at the
 * close. They stay as they are, but that a void draws those of its round again that were taken after the
 * match, and other starts all of their round; and the close may take the points of its own millisecond again.
 */
import type { SeriesPoint } from "@agon/domain/season/rating/LadderRating.ts"
import { pointOf } from "../View.ts"
import { must, near } from "./Promise.ts"
import type { Book, Ratings } from "./Ratings.ts"
import { meanAt } from "./Replay.ts"
import { activeOn, awaited, isRerated, LADDERS, type Window } from "./Window.ts"

export interface Series {
  readonly points: ReadonlyMap<string, SeriesPoint>
  readonly check: (window: Window) => void
}

const INTERVAL_MS_MIN = 60_000
const POINTS = 96

export const make = ({ book }: Ratings): Series => {
  const points = new Map<string, SeriesPoint>()
  let [last, changed] = [0, -Infinity] // when points were taken, and when a rating changed
  return {
    points,
    check: (window) => {
      const { before, installed, now, rescaled, voided } = window
      const again = now.series.filter((point) => points.has(pointOf(point)))
      for (const point of now.series) points.set(pointOf(point), point)
      for (const point of again) must(isFinal(window, point) || isRedrawn(window, point), "a point of the series stays", point)
      const gone = [...installed, ...(rescaled === null ? [] : [{ ...rescaled, n: 0 }])]
      for (const point of gone.length === 0 ? [] : points.values()) if (isOf(gone, point)) checkRedrawn(book, point)
      const due = (after: number) => Math.max(INTERVAL_MS_MIN, Math.ceil((after - now.settings.submissions_open_at) / POINTS)) + after
      const fresh = now.series.filter((point) => !again.includes(point) || isFinal(window, point))
      for (const [at, taken] of Map.groupBy(fresh, (point) => point.at)) {
        must(at <= now.head.now && (isFinal(window, { at }) ? at >= last : at >= due(last)), "points of the series lie apart", at, last)
        for (const ladder of LADDERS)
          checkLadder(
            window,
            ladder,
            taken.find((point) => point.ladder === ladder)
          )
        last = at
      }
      for (const point of fresh) checkDrawn(window, book, point)
      for (const { ended_at, rated_n } of now.ended) if (rated_n !== null) changed = Math.max(changed, ended_at)
      if (voided.some(({ id }) => window.log.get(id)!.rated_n !== null)) changed = Math.max(changed, before.head.now)
      if (now.head.phase === "closed") checkEnd(window)
      else if (before.head.active === 0 || now.head.active === 0)
        last = Math.max(last, now.head.series_at) // of nobody nothing is drawn
      else if (changed > last) must(now.head.now < due(last), "a point of the series is taken when it is due", now.head, changed, last)
    }
  }
}

/** While something waits for ratings without it, what was drawn after it may be drawn again. */
const isRedrawn = ({ before, now }: Window, point: SeriesPoint): boolean => isOf([...awaited(before), ...awaited(now)], point)

const isOf = (gone: ReturnType<typeof awaited>, { n, round }: SeriesPoint): boolean =>
  gone.some((each) => each.round === round && each.n <= n)

const isFinal = ({ now }: Window, { at }: Pick<SeriesPoint, "at">): boolean => now.head.phase === "closed" && at === now.head.closed_at

/**
 * Those with a rating on the ladder whom somebody has lately taken out of play or brought back. Within one commit an
 * entry may be taken out and brought back, and one that has just passed its trial may enter and be taken out.
 */
const excluded = ({ now, recent }: Window, ladder: string): ReadonlySet<string> => {
  const owners = new Set(recent.flatMap((command) => (command._tag === "SwitchOwner" ? [command.owner] : [])))
  const named = new Set(
    recent.flatMap((command) => (command._tag === "Disqualify" || command._tag === "Reinstate" ? [command.version] : []))
  )
  const is = ({ id, owner }: { readonly id: string; readonly owner: string | null }) =>
    (named.has(id) || (owner !== null && owners.has(owner))) && now.ratings.has(`${ladder} ${id}`)
  return new Set([...now.versions.values()].flatMap((version) => (is(version) ? [version.id] : [])))
}

/** A version on the ladder before and after was on it in between. */
const checkLadder = (window: Window, ladder: string, point: SeriesPoint | undefined): void => {
  const { before, now } = window
  const either = excluded(window, ladder)
  const [was, is] = [before, now].map((view) => new Set(activeOn(view, ladder).map(({ version }) => version))) as [Set<string>, Set<string>]
  const versions = new Set(point?.versions)
  const whole = point === undefined || (versions.size === point.versions.length && versions.size === point.mus.length)
  const right = versions.isSupersetOf(was.intersection(is).difference(either)) && versions.isSubsetOf(was.union(is).union(either))
  must(whole && right, "the series shows the ladder", ladder, point)
}

/** Ratings as they were at some moment of this commit; best first, and by id between equals. */
const checkDrawn = (window: Window, { table }: Book, point: SeriesPoint): void => {
  point.versions.forEach((version, i) => {
    const mu = point.mus[i]!
    const next = point.mus[i + 1] ?? -Infinity
    must(mu > next || (mu === next && version < point.versions[i + 1]!), "the series shows the ladder in its order", point)
    const means = table.get(`${point.ladder} ${version}`)!.moments.map((moment) => moment.mu)
    must(isRerated(window) || means.some((mean) => near(mean, mu)), "the series shows ratings as they were", point, version, means)
  })
}

/** As it would have been drawn had the match never been: a replay of the round tells its other effects. */
const checkRedrawn = ({ journals }: Book, point: SeriesPoint): void => {
  const journal = journals.get(point.round)!
  point.versions.forEach((version, i) => {
    const mu = point.mus[i]!
    const next = point.mus[i + 1] ?? -Infinity
    must(mu > next || (mu === next && version < point.versions[i + 1]!), "the series shows the ladder in its order", point)
    const mean = meanAt(journal, `${point.ladder} ${version}`, point.n)
    must(near(mean, mu), "a voided match leaves no trace in the series", point, version, mean)
  })
}

/** The last point is the ladder at the close. */
const checkEnd = ({ now }: Window): void => {
  for (const ladder of LADDERS) {
    const best = [...activeOn(now, ladder)].sort((a, b) => b.mu - a.mu || (a.version < b.version ? -1 : 1))
    const point = now.series.findLast((each) => each.ladder === ladder)
    if (best.length === 0 && point === undefined) continue
    const last = point?.at === now.head.closed_at ? point : undefined
    const same = last?.versions.join() === best.map(({ version }) => version).join() && last.mus.every((mu, i) => near(mu, best[i]!.mu))
    must(same, "the series ends with the ladder at the close", ladder, point, best)
  }
}
