/** The lines of the files (docs/datasets.md#lines). */

import { changeOf, outcomeOf } from "../match/seats.ts"
import { storedReplayKey } from "../object/keys.ts"
import type { Due, RatedRow } from "./queries.ts"

/** A match as the API shows it, without names, comments and links. */
export const matchLine = (row: RatedRow, { game, slug }: Pick<Due, "game" | "slug">): string => {
  const { n: _, replay_by_match: __, replay_bytes: ___, replay_inline: ____, replay_hash, seats, status, ...match } = row
  const shown = seats.map(({ made_change, open_change, ...seat }) => ({
    ...seat,
    outcome: outcomeOf(row, seat),
    rating_change: changeOf({ ladder: row.ladder, status }, { made_change, open_change })
  }))
  return `${JSON.stringify({ ...match, game, season: slug, replay_hash, seats: shown })}\n`
}

export const voidLine = ({ at, id }: { readonly id: string; readonly at: string }): string => `${JSON.stringify({ id, voided_at: at })}\n`

/** The stored replay of a match, and how it is named in the tar; none where it has none. */
export const replayOf = ({ id, replay_by_match, replay_bytes, replay_hash, replay_inline }: RatedRow) =>
  replay_hash === null
    ? undefined
    : { key: storedReplayKey({ id, replay_by_match, replay_hash, replay_inline }), max_bytes: replay_bytes ?? 0, name: `${id}.json` }
