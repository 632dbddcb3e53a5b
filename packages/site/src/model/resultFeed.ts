/** The last matches of a model in public seasons. Trials count for nothing and have no page. */
import type { CardSeat, MatchCard } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import { ENTRIES_MAX, type Entry, uuidUrn } from "../html/atom.ts"
import { matchAt, modelAt, resultFeedAt } from "../html/links.ts"
import { count, counted } from "../html/words.ts"
import type { FeedRoute } from "../http/Route.ts"
import { notFound } from "../http/refuse.ts"
import { isShared } from "../match/cards.ts"
import { newestMatches } from "../match/newest.ts"

const placeOf = ({ rank, seat }: CardSeat) => rank ?? seat

/** `1. Alpha 80, 2. Beta 50` */
const standing = (seats: ReadonlyArray<CardSeat>): string =>
  seats
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(({ model, rank, score }) => `${rank ?? "–"}. ${model}${score === null ? "" : ` ${count(score)}`}`)
    .join(", ")

export const entryOf =
  (model: string) =>
  ({ game, id, is_trial, map, played_at, season, seats, turns }: MatchCard): ReadonlyArray<Entry> => {
    const own = seats.find(({ model_id }) => model_id === model)
    if (is_trial || played_at === null || own === undefined) return []
    const others = seats.flatMap((seat) => (seat === own ? [] : [seat.model]))
    const text = `${standing(seats)}. ${game}, season ${season}, board ${map}${turns === null ? "" : `, ${counted(turns, "turn")}`}.`
    return [
      {
        id: uuidUrn(id),
        title: `Place ${own.rank ?? "–"} of ${seats.length}${own.rank !== null && isShared(seats, own.rank) ? ", shared," : ""} against ${others.join(", ")}`,
        published: played_at,
        updated: played_at,
        link: matchAt(id),
        summary: { type: "text", text }
      }
    ]
  }

export const resultFeed: FeedRoute = {
  path: "/models/:id/results.atom",
  feed: Effect.fnUntraced(function* ({ client, params }) {
    const id = params["id"]!
    const [model, matches] = yield* Effect.all(
      [client.model.model({ params: { id } }), newestMatches(client, { model: id }, ENTRIES_MAX)],
      { concurrency: "unbounded" }
    )
    if (model === null) return yield* notFound
    return {
      path: resultFeedAt(id),
      title: `Results of ${model.name}`,
      page: modelAt(id),
      began: model.created_at,
      entries: matches.flatMap(entryOf(id))
    }
  })
}
