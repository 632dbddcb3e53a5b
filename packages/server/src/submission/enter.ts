/** A version is entered into a season, unless its machine refuses it. */

import type { SignedIn } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { newId } from "../database/newId.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import type { Hashes } from "./closedFacts.ts"
import { makeFacts, type OwnModel } from "./facts.ts"
import { makeQueries } from "./queries.ts"
import { worded } from "./wording.ts"

/** The version to be entered. `files` are given where the service has them already. */
interface Entry extends Hashes {
  readonly note: string | null
  readonly files: { readonly weights_bytes: number; readonly manifest_bytes: number } | null
}

/** Refuses where there is no room for the files of a new version. */
type HasRoom<E> = Effect.Effect<unknown, E>

export const makeEnter = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const { asking, factsOfEntry, refusalOf } = yield* makeFacts

  /**
   * Runs the preflight first, so that a refusal uses up no version number; the machine judges
   * again when it takes the version.
   */
  const take = Effect.fnUntraced(function* <E>(account: SignedIn, season: FoundSeason, model: OwnModel, entry: Entry, room: HasRoom<E>) {
    const { manifest_hash, weights_hash } = entry
    const asks = { ...(yield* asking(account, season, model)), model: model.id }
    const { back, refused, same } = yield* factsOfEntry(season, asks, { weights_hash, manifest_hash })
    if (same !== null) return { ...same, fresh: false }
    if (refused[0] !== undefined) return yield* yield* refusalOf(account, season, refused[0])
    yield* room
    const numbered = yield* Effect.orDie(queries.nextNumber(model.id)) // and checks whether the model was retired meanwhile
    const command = { _tag: "SubmitVersion", version: yield* newId, ...asks, ...entry, ...numbered, ...back } as const
    const closed = () => Effect.fail(worded({ code: "season_closed" }, season.record.slug))
    const reply = yield* askedByPerson(actors, season.id, command).pipe(Effect.catchTag("season_closed", closed))
    return "refused" in reply ? yield* yield* refusalOf(account, season, reply.refused[0]!) : reply
  })

  return Effect.fnUntraced(function* <E>(account: SignedIn, season: FoundSeason, model: OwnModel, entry: Entry, room: HasRoom<E>) {
    const taken = yield* take(account, season, model, entry, room)
    const status = taken.fresh ? "testing" : (yield* Effect.orDie(queries.status(taken.submitted))).status
    const answer = {
      version_id: taken.submitted,
      model_id: model.id,
      model: model.name,
      version: taken.number,
      status,
      season: season.record.slug,
      weights_hash: entry.weights_hash,
      manifest_hash: entry.manifest_hash
    }
    return { taken, answer }
  })
})
