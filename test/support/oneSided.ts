/** Matches in which one owner gains from another, as the season has written them. */
import { Effect } from "effect"
import * as Fixture from "./Fixture.ts"

/**
 * Rated matches of two owners, the first of whom has won them all; both had 1500 before each, on the ladder of
 * their class 1800 and 1200.
 */
export const playOneSided = Effect.fnUntraced(function* (
  season_id: string,
  first: number,
  count: number,
  owners: ReadonlyArray<string | null>,
  ladder: "open" | "micro" = "open"
) {
  const numbers = Array.from({ length: count }, (_, n) => first + n)
  yield* Fixture.insert(
    "match",
    numbers.map((n) => ({
      ...{
        id: Fixture.uuid("match", n),
        season_id,
        n,
        ladder,
        round: 0,
        map_id: "duel",
        seed: n,
        engine_digest: "x",
        status: "rated"
      },
      ...{ rated_n: n, lease_n: 1, released: false, created_at: Fixture.start, ended_at: Fixture.start }
    }))
  )
  yield* Fixture.insert(
    "seat",
    numbers.flatMap((n) =>
      owners.map((owner_id, seat) => ({
        ...{
          match_id: Fixture.uuid("match", n),
          seat,
          season_id,
          version_id: Fixture.uuid("version", seat),
          owner_id,
          ended_at: Fixture.start
        },
        ...{ model_id: Fixture.uuid("model", seat), rank: seat + 1, score: 9 - seat, strikes: 0 },
        ...(ladder === "open"
          ? { made_mu: 8 - 16 * seat, made_sigma: 60, made_change: 8 - 16 * seat }
          : {
              ...{ made_mu: 300 - 600 * seat, made_sigma: 60, made_change: 0 },
              ...{ open_mu: 8 - 16 * seat, open_sigma: 60, open_change: 8 - 16 * seat }
            })
      }))
    )
  )
})
