/**
 * Entering a version into a season. What the request names is looked up here; whether it may enter is decided by the
 * season's machine, one submission after the other, so of two that race for the last slot exactly one wins.
 */

import { randomBytes } from "node:crypto"
import type { SignedIn, UnknownGame, UnknownSeason } from "@agon/api/Authorization.ts"
import type { Unavailable } from "@agon/api/Problem.ts"
import {
  type MissingHash,
  NoteTooLong,
  NoteWordListed,
  type Refusal,
  type Submit,
  Submitted,
  SubmittedBefore,
  UnknownModel,
  type Uploads
} from "@agon/api/submission/api.ts"
import { isUuid } from "@agon/api/Wire.ts"
import type { Repeated } from "@agon/domain/season/Command.ts"
import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { Words } from "../account/Words.ts"
import { incomingKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { asked } from "../season/asked.ts"
import { SeasonActors } from "../season/SeasonEntity.ts"
import { Seasons } from "../season/Seasons.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { makeQueries } from "./queries.ts"
import { worded } from "./wording.ts"

export const MANIFEST_BYTES_MAX = 64 * 1024

type Refused = MissingHash | NoteTooLong | NoteWordListed | UnknownGame | UnknownSeason | UnknownModel | Unavailable | Refusal

export class Submissions extends Context.Service<
  Submissions,
  { readonly submit: (account: SignedIn, request: Submit) => Effect.Effect<Submitted | SubmittedBefore, Refused> }
>()("agon/Submissions") {
  static readonly layer: Layer.Layer<Submissions, never, SqlClient.SqlClient | Words | ObjectStore | Seasons | SeasonActors> = Layer.effect(
    Submissions,
    Effect.suspend(() => makeSubmissions)
  )
}

/** Links for the two files, for the rest of the window. */
export const uploadsOf = Effect.fnUntraced(function* (
  objects: ObjectStore["Service"],
  { submitted: version, upload_until }: Repeated,
  { manifest_hash, weights_hash }: { readonly weights_hash: string; readonly manifest_hash: string },
  weights_max_bytes: number
) {
  const now = yield* Clock.currentTimeMillis
  const expires_s = Math.max(1, Math.ceil(((upload_until ?? now) - now) / 1000))
  const put = (kind: "weights" | "manifest", hash: string, max_bytes: number) =>
    Effect.map(
      objects.presignPut({ key: incomingKey(version, kind), sha256: hash.slice("sha256:".length), max_bytes, expires_s }),
      ({ expires_at: _, ...upload }) => upload
    )
  const weights = yield* put("weights", weights_hash, weights_max_bytes)
  const manifest = yield* put("manifest", manifest_hash, MANIFEST_BYTES_MAX)
  const expires_at = DateTime.formatIso(DateTime.makeUnsafe(upload_until ?? now))
  return { weights, manifest, expires_at } satisfies Uploads
})

const checkNote = Effect.fnUntraced(function* (words: Words["Service"], { record }: FoundSeason, note: string) {
  const max = record.rules.note_max_length
  if ([...note].length > max) return yield* new NoteTooLong({ detail: `A note has at most ${max} characters.` })
  const listed = yield* words.listedIn(note)
  if (listed !== undefined) return yield* new NoteWordListed({ detail: `The note contains "${listed}", which is not allowed here.` })
})

const makeSubmissions = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const objects = yield* ObjectStore
  const seasons = yield* Seasons
  const words = yield* Words
  const random = SecureRandom.make((size) => randomBytes(size))

  const ownModel = Effect.fnUntraced(function* (account: SignedIn, game: string, id: string) {
    const found = isUuid(id) ? yield* Effect.orDie(queries.model({ id, owner_id: account.id, game })) : Option.none()
    return Option.isSome(found) ? found.value : yield* new UnknownModel({ detail: "You have no model of this id in this game." })
  })

  /** Asks first, so that a refusal uses up no version number; the machine judges again when it takes the version. */
  const enter = Effect.fnUntraced(function* (
    account: SignedIn,
    season: FoundSeason,
    model: { readonly id: string; readonly retired: boolean },
    request: Submit
  ) {
    const { eligible } = yield* Effect.orDie(queries.eligible({ season_id: season.id, account_id: account.id }))
    const { manifest_hash, weights_hash } = request
    const asking = { owner: account.id, model: model.id, eligible, retired: model.retired }
    const { refused, same } = yield* asked(actors, season.id, { _tag: "Preflight", ...asking, hashes: { weights_hash, manifest_hash } })
    if (same !== null) return { ...same, fresh: false }
    if (refused[0] !== undefined) return yield* worded(refused[0])
    const { number } = yield* Effect.orDie(queries.nextNumber(model.id))
    const version = yield* random.uuidV7()
    const command = {
      _tag: "SubmitVersion",
      version,
      number,
      ...asking,
      weights_hash,
      manifest_hash,
      note: request.note ?? null,
      files: null
    } as const
    const reply = yield* asked(actors, season.id, command)
    return "refused" in reply ? yield* worded(reply.refused[0]!) : reply
  })

  return Submissions.of({
    submit: Effect.fn("Submissions.submit")(function* (account, request) {
      const season = yield* seasons.find(request.game, request.season ?? undefined, account.id)
      const model = yield* ownModel(account, request.game, request.model)
      if (request.note !== undefined && request.note !== null) yield* checkNote(words, season, request.note)
      const entered = yield* enter(account, season, model, request)
      const upload = yield* uploadsOf(objects, entered, request, season.record.weight_classes.at(-1)!.max_bytes)
      const answer = {
        version_id: entered.submitted,
        model_id: model.id,
        model: model.name,
        version: entered.number,
        status: "testing" as const,
        season: season.record.slug,
        weights_hash: request.weights_hash,
        manifest_hash: request.manifest_hash,
        upload
      }
      return entered.fresh ? new Submitted(answer) : new SubmittedBefore(answer)
    })
  })
})
