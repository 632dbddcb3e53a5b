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
  UnknownModel,
  type Uploads
} from "@agon/api/submission/api.ts"
import type { NoteTooLong, NoteWordListed } from "@agon/api/version/refusals.ts"
import { isUuid } from "@agon/api/Wire.ts"
import type { Repeated } from "@agon/domain/season/Command.ts"
import type { RefusalFact } from "@agon/domain/submission/Refusals.ts"
import { hexOf } from "@agon/engine/hash.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { Providers } from "../account/signin/Providers.ts"
import { Words } from "../account/Words.ts"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { newId } from "../database/newId.ts"
import { SharedClock } from "../database/SharedClock.ts"
import { incomingKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { Room } from "../object/Room.ts"
import { StoredObjects } from "../object/StoredObjects.ts"
import { Seasons } from "../season/Seasons.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { type Asking, makeClosedFacts } from "./closedFacts.ts"
import { checkNote } from "./note.ts"
import { makeQueries } from "./queries.ts"
import { worded } from "./wording.ts"

export const MANIFEST_BYTES_MAX = 64 * 1024
const FILES = ["weights", "manifest"] as const

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

interface Places {
  readonly objects: ObjectStore["Service"]
  readonly stored: StoredObjects["Service"]
  readonly shared: SharedClock["Service"]
}

/** Links for the two files, for the rest of the window. */
export const uploadsOf = Effect.fnUntraced(function* (
  { objects, shared, stored }: Places,
  { submitted: version, upload_until }: Repeated,
  { manifest_hash, weights_hash }: { readonly weights_hash: string; readonly manifest_hash: string },
  weights_max_bytes: number
) {
  const now = yield* shared.now_ms // the season that has set the window may be on another node
  const expires_s = Math.max(1, Math.ceil(((upload_until ?? now) - now) / 1000))
  yield* stored.expect(
    FILES.map((kind) => incomingKey(version, kind)),
    now + expires_s * 1000
  )
  const put = (kind: "weights" | "manifest", hash: string, max_bytes: number) =>
    Effect.map(
      objects.presignPut({ key: incomingKey(version, kind), sha256: hexOf(hash), max_bytes, expires_s }),
      ({ expires_at: _, ...upload }) => upload
    )
  const weights = yield* put("weights", weights_hash, weights_max_bytes)
  const manifest = yield* put("manifest", manifest_hash, MANIFEST_BYTES_MAX)
  const expires_at = DateTime.formatIso(DateTime.makeUnsafe(upload_until ?? now))
  return { weights, manifest, expires_at } satisfies Uploads
})

interface OwnModel {
  readonly id: string
  readonly name: string
  readonly retired: boolean
}

/** The version to be entered. `files` are given where the service has them already. */
interface Entry {
  readonly weights_hash: string
  readonly manifest_hash: string
  readonly note: string | null
  readonly files: { readonly weights_bytes: number; readonly manifest_bytes: number } | null
}

type Hashes = Pick<Entry, "weights_hash" | "manifest_hash">

/** Refuses where there is no room for the files of a new version. */
type HasRoom<E> = Effect.Effect<unknown, E>

/** Owners whose announcements of the same weights do not keep a submission out (Command.ts of the season). */
interface StandingBack {
  readonly giving_way: ReadonlyArray<string>
  readonly beside: ReadonlyArray<string>
}
const NOBODY: StandingBack = { giving_way: [], beside: [] }

const makeFacts = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const closed = yield* makeClosedFacts

  const providers = yield* Providers

  const eligibilityOf = (account: SignedIn, season: FoundSeason) =>
    Effect.orDie(queries.eligibility({ season_id: season.id, account_id: account.id }))

  const asking = (account: SignedIn, season: FoundSeason, model: OwnModel | null) =>
    Effect.map(eligibilityOf(account, season), ({ is_known, is_listed }): Asking => {
      const eligible = is_listed && is_known
      return { owner: account.id, model: model?.id ?? null, eligible, retired: model?.retired ?? false }
    })

  /** The refusal in words; why somebody may not enter is read once more, since the machine knows only that. */
  const refusalOf = (account: SignedIn, season: FoundSeason, fact: RefusalFact) =>
    fact.code !== "not_eligible"
      ? Effect.succeed(worded(fact, season.record.slug))
      : Effect.map(eligibilityOf(account, season), ({ is_known, is_listed, providers: named }) => {
          const wanted = is_known ? [] : named.map((slug) => providers.bySlug(slug)?.label ?? slug)
          return worded(fact, season.record.slug, { is_listed, wanted })
        })

  const factsOf = (season: FoundSeason, asks: Asking, hashes: Hashes | null, back: StandingBack = NOBODY) => {
    const fromRows = closed(season, asks, hashes)
    if (season.record.closed_at !== null) return fromRows // asking for its actor would only wake it to say so
    return askedByPerson(actors, season.id, { _tag: "Preflight", ...asks, hashes, ...back }).pipe(
      Effect.catchTag("season_closed", () => fromRows)
    )
  }

  /**
   * Announcements that would stand back are read only where one has the same weights: the
   * statement costs more than the answer.
   */
  const factsOfEntry = Effect.fnUntraced(function* (season: FoundSeason, asks: Asking, hashes: Hashes) {
    const facts = yield* factsOf(season, asks, hashes)
    if (facts.refused[0]?.code !== "weights_already_entered") return { ...facts, back: NOBODY }
    const rows = yield* queries
      .standingBack({ season_id: season.id, owner_id: asks.owner, weights_hash: hashes.weights_hash })
      .pipe(Effect.orDie)
    const ownersWhere = (gives: boolean) => rows.filter(({ gives_way }) => gives_way === gives).map(({ id }) => id)
    const back = { giving_way: ownersWhere(true), beside: ownersWhere(false) }
    return rows.length === 0 ? { ...facts, back } : { ...(yield* factsOf(season, asks, hashes, back)), back }
  })

  return { asking, factsOf, factsOfEntry, refusalOf }
})

const makeEnter = Effect.gen(function* () {
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
