/** Writes of what is counted and kept beside seasons for lists of matches. */
import { Effect, Option } from "effect"
import { id } from "../../support/SeasonScript.ts"
import { NOW, played } from "./ground.ts"
import type { Case } from "./Trial.ts"

const ONE = id("season", 1)
const TWO = id("season", 2)

/**
 * Matches 1 to 4 of season 1, and match 12 of season 2; the first is counted, the third has
 * no place that lists ask for.
 */
const RATED = [
  ...[1, 2, 3, 4].map((n) => played(n, { season: 1 })),
  played(12, { season: 2 }),
  "UPDATE match SET rated_n = n % 10, classes = 1, best_place = CASE n WHEN 3 THEN 101 ELSE n END",
  `UPDATE season SET head = head || '{"rated": 4}'`,
  `INSERT INTO season_tally VALUES ('${ONE}', 1), ('${TWO}', 1)`
]

const kept = (name: string, season_id: string, minute: number): string =>
  `INSERT INTO kept_list VALUES ('${name}', '${season_id}', '', now(), 0, true, NULL, '[]', '${new Date(NOW.getTime() + 60_000 * minute).toISOString()}')`

const REMOVED = id("season", 99)
const EMPTY = { marks: "", kept_to: NOW, total: 0, whole: true, last_trial: null, rows: [] }

export const CASES: ReadonlyArray<Case> = [
  {
    title: "the next matches of a season are counted beside it",
    rows: RATED,
    act: ({ tallies }) => Effect.map(tallies.advance({ season_id: ONE, numbers: 2 }), Option.getOrNull),
    reply: { left: 1 },
    changes: ["+ match_tally season 1 open   2", "+ match_tally season 1 open plain 1 ", "season_tally season 1: counted_to=3"]
  },
  {
    title: "the lists that were stored longest ago are forgotten",
    rows: [kept("a", ONE, 1), kept("a", TWO, 2), kept("b", ONE, 3)],
    act: ({ lists }) => lists.forgetKept(2),
    changes: ["- kept_list a season 1"]
  },
  {
    title: "a list is stored of the seasons that have not been removed",
    act: ({ lists }) =>
      lists.storeKept({ name: "a", now: NOW, seasons: [ONE, REMOVED, TWO].map((season_id) => ({ ...EMPTY, season_id })) }),
    changes: ["+ kept_list a season 1", "+ kept_list a season 2"]
  }
]
