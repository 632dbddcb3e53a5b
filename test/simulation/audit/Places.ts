/** Where a seat stood on its ladder before its match: behind everybody who is better, level with whoever is equal. */
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import { must } from "./Promise.ts"
import { beliefOf, type Journal } from "./Replay.ts"
import { activeOn, type Window } from "./Window.ts"

/** Means that lie no further apart may count as equal: a place is exact to within half a point. */
const LEVEL = 0.5
const NOISE = 1e-9

/** Entries that this commit brought to the ladder and took away again. */
const passedBy = ({ before, now }: Window, ladder: string): number =>
  [...now.ratings].filter(([row, { active, ladder: on }]) => on === ladder && !active && !before.ratings.has(row)).length

/** `journal` as it was just before the match. Who came or went in this commit may have stood on the ladder or not. */
export const checkPlace = (window: Window, journal: Journal, match: Ended, seat: number): void => {
  const { before, now } = window
  const ladder = match.ladder!
  const [was, is] = [before, now].map((view) => new Set(activeOn(view, ladder).map(({ version }) => version)))
  const own = beliefOf(journal, `${ladder} ${match.versions[seat]}`).mu
  let [certainly, perhaps] = [1, 1 + passedBy(window, ladder)]
  for (const version of was!.union(is!)) {
    const { mu } = beliefOf(journal, `${ladder} ${version}`)
    if (mu > own + LEVEL + NOISE && was!.has(version) && is!.has(version)) certainly++
    if (mu > own + NOISE || !was!.has(version)) perhaps++
  }
  const { place } = match.seats[seat]!
  must(place !== null && place >= certainly && place <= perhaps, "a seat remembers its place", match, seat, certainly, perhaps)
}
