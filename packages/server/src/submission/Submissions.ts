/**
 * Entering a version into a season. The ids in the request are looked up here; whether it may enter is
 * decided by the season's machine, one submission after another, so of two that race for the last slot
 * exactly one wins. A closed season has no machine any more; its rows give the same answer.
 */

import type { SignedIn, UnknownGame, UnknownSeason } from "@agon/api/Authorization.ts"
import { InvalidRequest, type Unavailable } from "@agon/api/Problem.ts"
import {
  type MissingHash,
  NothingToReenter,
  type Preflight,
  type Reenter,
  Reentered,
  ReenteredBefore,
  type ReenterInvalid,
  type Refusal,
  type StorageFull,
  type Submit,
  Submitted,
  SubmittedBefore,
  UnknownModel
} from "@agon/api/submission/api.ts"
import type { NoteTooLong, NoteWordListed } from "@agon/api/version/refusals.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Providers } from "../account/signin/Providers.ts"
import { Words } from "../account/Words.ts"
import type { SeasonActors } from "../actor/SeasonActors.ts"
import { SharedClock } from "../database/SharedClock.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { Room } from "../object/Room.ts"
import { StoredObjects } from "../object/StoredObjects.ts"
import { Seasons } from "../season/Seasons.ts"
import { makeEnter } from "./enter.ts"
import { makeFacts } from "./facts.ts"
import { checkNote } from "./note.ts"
import { makeQueries } from "./queries.ts"
import { uploadsOf } from "./uploads.ts"

type Unknown = UnknownGame | UnknownSeason | UnknownModel
type Refused = Unknown | Unavailable | Refusal

export class Submissions extends Context.Service<
  Submissions,
  {
    readonly submit: (
      account: SignedIn,
      request: Submit
    ) => Effect.Effect<Submitted | SubmittedBefore, Refused | InvalidRequest | MissingHash | NoteTooLong | NoteWordListed | StorageFull>
    readonly reenter: (
      account: SignedIn,
      request: Reenter
    ) => Effect.Effect<Reentered | ReenteredBefore, Refused | ReenterInvalid | NothingToReenter>
    /** The account's standing in a season of the game, the featured one where `season` is undefined. */
    readonly preflight: (
      account: SignedIn,
      game: string,
      asked: { readonly model?: string; readonly season?: string }
    ) => Effect.Effect<Preflight, Unknown | Unavailable>
  }
>()("agon/Submissions") {
  static readonly layer: Layer.Layer<
    Submissions,
    never,
    SqlClient.SqlClient | Words | ObjectStore | Room | StoredObjects | Seasons | SeasonActors | Providers
  > = Layer.effect(
    Submissions,
    Effect.suspend(() => makeSubmissions)
  ).pipe(Layer.provide(SharedClock.layer))
}

/** Weights that no class of the season holds; the review would say so of files whose size was not declared. */
const inLargest = (bytes: number, largest: number) => {
  if (bytes <= largest) return Effect.void
  const message = `are more than the ${largest} bytes of the largest weight class`
  return Effect.fail(
    new InvalidRequest({ detail: `The ${bytes} bytes of the weights ${message}.`, errors: [{ path: "weights_bytes", message }] })
  )
}

const makeSubmissions = Effect.gen(function* () {
  const queries = yield* makeQueries
  const places = { objects: yield* ObjectStore, stored: yield* StoredObjects, shared: yield* SharedClock }
  const room = yield* Room
  const seasons = yield* Seasons
  const words = yield* Words
  const enter = yield* makeEnter
  const { asking, factsOf, refusalOf } = yield* makeFacts

  const ownModel = Effect.fnUntraced(function* (account: SignedIn, game: string, id: string) {
    const found = isUuid(id) ? yield* Effect.orDie(queries.model({ id, owner_id: account.id, game })) : Option.none()
    return Option.isSome(found) ? found.value : yield* new UnknownModel({ detail: "You have no model of this id in this game." })
  })

  const submit = Effect.fn("Submissions.submit")(function* (account: SignedIn, request: Submit) {
    const season = yield* seasons.find(request.game, request.season ?? undefined, account.id)
    const model = yield* ownModel(account, request.game, request.model)
    const { manifest_hash, note = null, weights_bytes, weights_hash } = request
    if (note !== null) yield* checkNote(words, season.record.rules.note_max_length, note)
    const { rules, weight_classes } = season.record
    const largest = weight_classes.at(-1)!.max_bytes
    const room_left = Effect.andThen(
      inLargest(weights_bytes ?? 0, largest),
      room.left(account.id, rules.max_stored_bytes_per_owner, [weights_hash, manifest_hash], weights_bytes ?? undefined)
    )
    const { answer, taken } = yield* enter(account, season, model, { weights_hash, manifest_hash, note, files: null }, room_left)
    // A repeat is answered even without room. Where that is the disk's, the store says so when the file is sent.
    const left = Math.max(1, yield* room.ofQuota(account.id, rules.max_stored_bytes_per_owner, [weights_hash, manifest_hash]))
    const upload = yield* uploadsOf(places, taken, request, Math.min(left, largest))
    return taken.fresh ? new Submitted({ ...answer, upload }) : new SubmittedBefore({ ...answer, upload })
  })

  const reenter = Effect.fn("Submissions.reenter")(function* (account: SignedIn, request: Reenter) {
    const season = yield* seasons.find(request.game, request.season, account.id)
    const from = yield* seasons.find(request.game, request.from, account.id)
    const model = yield* ownModel(account, request.game, request.model)
    const entered = yield* Effect.orDie(queries.entered({ model_id: model.id, season_id: from.id }))
    if (Option.isNone(entered)) return yield* new NothingToReenter({ detail: `${model.name} has no entered version in ${request.from}.` })
    const { manifest_hash, weights_hash, ...files } = entered.value
    const { answer, taken } = yield* enter(account, season, model, { weights_hash, manifest_hash, note: null, files }, Effect.void)
    return taken.fresh ? new Reentered(answer) : new ReenteredBefore(answer)
  })

  const preflight: Submissions["Service"]["preflight"] = Effect.fn("Submissions.preflight")(function* (account, game, about) {
    const season = yield* seasons.find(game, about.season, account.id)
    const model = about.model === undefined ? null : yield* ownModel(account, game, about.model)
    const { holdings, refused } = yield* factsOf(season, yield* asking(account, season, model), null)
    const told = yield* Effect.forEach(refused, (fact) => refusalOf(account, season, fact))
    const full = yield* room.left(account.id, season.record.rules.max_stored_bytes_per_owner, []).pipe(
      Effect.as([]),
      Effect.catchTag("storage_full", (refusal) => Effect.succeed([refusal]))
    )
    const { candidate, cooldown_until, models, versions } = holdings
    return {
      game,
      season: season.record.slug,
      open: !refused.some(({ code }) => code === "season_not_open" || code === "season_closed"),
      models,
      versions,
      candidate: candidate === null ? null : { version_id: candidate.version, status: "testing" as const, phase: candidate.phase },
      cooldown_until: cooldown_until === null ? null : DateTime.formatIso(DateTime.makeUnsafe(cooldown_until)),
      refusals: [...told, ...full].map(({ code, detail }) => ({ code, detail }))
    }
  })

  return Submissions.of({ submit, reenter, preflight })
})
