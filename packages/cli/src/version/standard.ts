/**
 * The weight classes, boards and speed by which a model is examined: those of a season, or without one those of the
 * demonstration season with the game's own boards.
 */
import type { Client } from "@agon/api/Client.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { DEFAULT_RULES, type WeightClass } from "@agon/domain/season/Rules.ts"
import type { BoardSize } from "@agon/sandbox/Verdict.ts"
import { demoWeightClasses } from "@agon/zoo/weightClasses.ts"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { boardsFlag, readBoards } from "../boards.ts"
import { addressOf, connectAsKept, saying, urlFlag } from "../Service.ts"

interface Standard {
  readonly weight_classes: ReadonlyArray<WeightClass>
  readonly boards: ReadonlyArray<BoardSize>
  readonly infer_us_max: number
  /** Null: of the demonstration season. */
  readonly season: { readonly url: string; readonly slug: string } | null
}

export const standardFlags = {
  season: Flag.String("season").pipe(
    Flag.withDescription(
      "Season of the game whose classes, boards and rules the model is examined by (default: the demonstration season's classes, the game's boards)"
    ),
    Flag.optional
  ),
  url: urlFlag,
  boards: boardsFlag,
  inferUsMax: Flag.Int("infer-us-max").pipe(
    Flag.withDescription(`The season's infer_us_max (default: of --season, or ${DEFAULT_RULES.infer_us_max})`),
    Flag.optional
  )
}

interface Given {
  readonly game: string
  readonly season: Option.Option<string>
  readonly url: Option.Option<string>
  readonly boards: ReadonlyArray<string>
  readonly inferUsMax: Option.Option<number>
}

const read = Effect.fnUntraced(function* (client: Client, isSignedIn: boolean, game: string, slug: string) {
  const request = { params: { game, slug } }
  const { board, season } = client
  const found = yield* retryRefused(isSignedIn ? season.privateSeason(request) : season.season(request))
  // Boards out of play too: the service examines on all of them.
  const query = { query: { enabled: false, boards: false } }
  const { maps } = yield* retryRefused(isSignedIn ? board.privateBoards({ ...request, ...query }) : board.boards({ ...request, ...query }))
  return { weight_classes: found.weight_classes, boards: maps, infer_us_max: found.rules.infer_us_max }
})

/** As the owner of the kept session may see it, where that is one of this service. */
const ofSeason = Effect.fnUntraced(function* (game: string, slug: string, flag: Option.Option<string>) {
  const url = yield* addressOf(flag)
  const { client, isSignedIn } = yield* connectAsKept(url)
  const standard = yield* saying(url)(read(client, isSignedIn, game, slug))
  return { ...standard, season: { url, slug } } satisfies Standard
})

/** Boards and speed that are given as flags go before the season's. */
export const readStandard = Effect.fnUntraced(function* ({ boards, game, inferUsMax, season, url }: Given) {
  const standard: Standard = Option.isSome(season)
    ? yield* ofSeason(game, season.value, url)
    : { weight_classes: demoWeightClasses, boards: [], infer_us_max: DEFAULT_RULES.infer_us_max, season: null }
  return {
    ...standard,
    boards: boards.length === 0 && standard.boards.length > 0 ? standard.boards : yield* readBoards(game, boards),
    infer_us_max: Option.getOrElse(inferUsMax, () => standard.infer_us_max)
  } satisfies Standard
})
