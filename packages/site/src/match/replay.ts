/**
 * The replay of a match through this origin, for the player: pages ask no other one. It is named by the match and by its object's name
 * in the store, which holds the replay's hash, so that an address never answers other bytes and browsers keep it for good.
 */
import { hash } from "node:crypto"
import type { MatchDetail } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import { isOfService } from "../html/elsewhere.ts"
import { myReplaysAt, type Places } from "../html/links.ts"
import type { FileRoute, PersonalFileRoute } from "../http/Route.ts"
import { found } from "../http/refuse.ts"

/** docs/contract.md#other-limits */
const REPLAY_MAX_BYTES = 4 * 1024 * 1024
const NAME_DIGITS = 32

const nameOf = (replay_url: string): string => hash("sha256", new URL(replay_url).pathname).slice(0, NAME_DIGITS)

/** Where the player gets the replay: from the service itself where it lies there, otherwise through the site. */
export const replaySource = (at: Places, { id, replay_url }: MatchDetail): string | undefined => {
  if (replay_url === undefined) return undefined
  const { pathname, search } = new URL(replay_url)
  return isOfService(replay_url) ? pathname + search : at.replay(id, nameOf(replay_url))
}

/** The replay of the match that is read, where it has that name. */
const sourceOf = (match: Effect.Effect<Pick<MatchDetail, "replay_url">, unknown>, name: string | undefined) =>
  Effect.gen(function* () {
    const { replay_url } = yield* match
    const address = yield* found(replay_url !== undefined && nameOf(replay_url) === name ? replay_url : undefined)
    return { address, content_type: "application/json", max_bytes: REPLAY_MAX_BYTES }
  })

export const replayFile: FileRoute = {
  path: "/replays/:id/:name",
  source: ({ client, params }) => sourceOf(client.match.match({ params: { id: params["id"]! } }), params["name"])
}

/** The replay of a match in which the visitor has a seat. */
export const ownReplayFile: PersonalFileRoute = {
  path: `${myReplaysAt}/:id/:name`,
  ownSource: ({ client, params }) => sourceOf(client.match.ownMatch({ params: { id: params["id"]! } }), params["name"])
}
