/**
 * Stories that owners write about their models. A text is private until it is submitted; then moderators read
 * it, and everybody once one of them has approved it (domain/writing/Story.ts). A decision locks the story's
 * row, so that it concerns the current text; it is logged, and told to the owner, in its transaction.
 */

import type { SignedIn } from "@agon/api/Authorization.ts"
import { cutTo, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { StoryWordListed } from "@agon/api/writing/api.ts"
import { StoryChanged } from "@agon/api/writing/editorial.ts"
import type { DecideStory, OwnStory, Shelf, Story, SubmittedStories, SubmittedStory, WriteStory } from "@agon/api/writing/Story.ts"
import type { AuditAction } from "@agon/domain/season/Audit.ts"
import { type Decided, decide as decideStory, type Story as Texts } from "@agon/domain/writing/Story.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { Words } from "../account/Words.ts"
import { auditOf, makeAuditLog, nowhere } from "../audit/auditLog.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { makeTell } from "../notification/Notifications.ts"
import { changedFields, purging } from "./editing.ts"
import { type HeldRow, makeQueries } from "./storyQueries.ts"
import { feedTag, storyTag } from "./tags.ts"

export class Stories extends Context.Service<
  Stories,
  {
    /** The approved text. */
    readonly read: (model_id: string) => Effect.Effect<Story, NotFound>
    /** The caller checks first that the account owns it, here and to write it. */
    readonly own: (model_id: string) => Effect.Effect<OwnStory>
    readonly write: (model_id: string, story: WriteStory) => Effect.Effect<OwnStory, StoryWordListed>
    readonly list: (shelf: Shelf, page: PageOf) => Effect.Effect<SubmittedStories>
    readonly decide: (account: SignedIn, model_id: string, decision: DecideStory) => Effect.Effect<SubmittedStory, NotFound | StoryChanged>
    /** Whether there is a submitted text; false where `model_id` is no UUID. */
    readonly has: (model_id: string) => Effect.Effect<boolean>
  }
>()("agon/Stories") {
  static readonly layer: Layer.Layer<Stories, never, SqlClient.SqlClient | ResponseCache | Words> = Layer.effect(
    Stories,
    Effect.suspend(() => makeStories)
  )
}

const gone = new NotFound({ detail: "There is no such story." })
const changed = new StoryChanged({ detail: "The story has been written anew since it was read; read it again." })

/** A decision with the state before it. */
interface Made {
  readonly before: HeldRow
  readonly decided: Decided
}

const textsOf = ({ body, featured_at, public_body, public_updated_at, state, updated_at }: HeldRow): Texts => ({
  ...{ body, state, updated_at },
  ...{ public_body, public_updated_at, featured_at }
})

/** Purges where the public text has changed; the feed too, where the story is or was in it. */
const purgedBy = ({ before, decided: { story } }: Made): ReadonlyArray<string> => {
  const shown = changedFields(textsOf(before), story).filter((name) => name !== "state")
  if (shown.length === 0) return []
  return [storyTag(before.model), ...(before.featured_at === null && story.featured_at === null ? [] : [feedTag])]
}

/** The action in the words of the log; undefined where nothing changed. */
const actionOf = ({ before, decided: { story } }: Made, { state }: DecideStory): AuditAction | undefined => {
  const differing = changedFields(textsOf(before), story)
  if (differing.length === 0) return undefined
  if (differing.join() === "featured_at") return story.featured_at === null ? "story.unfeature" : "story.feature"
  return state === "approved" ? "story.approve" : "story.reject"
}

const makeDecide = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const tell = yield* makeTell

  const write = Effect.fnUntraced(function* (model_id: string, { featured, state, updated_at }: DecideStory) {
    const held = yield* queries.hold(model_id)
    if (Option.isNone(held)) return yield* gone
    const before = held.value
    const now = (yield* DateTime.nowAsDate).toISOString()
    const decided = decideStory(textsOf(before), { state, featured, updated_at }, now)
    if (typeof decided === "string") return yield* decided === "unknown" ? gone : changed
    yield* queries.decide(model_id, decided.story)
    const approved = state === "approved"
    if (decided.told)
      yield* tell({
        kind: approved ? "story_approved" : "story_rejected",
        accounts: [before.owner_id],
        subject: `Your story of ${before.name} was ${approved ? "approved" : "rejected"}.`,
        link: `/v1/models/${model_id}/story`
      })
    return { before, decided }
  })

  return Effect.fn("Stories.decide")(function* (account: SignedIn, model_id: string, decision: DecideStory) {
    const logged = auditLog.logged(nowhere, write(model_id, decision), (made) => {
      const action = actionOf(made, decision)
      const { story, updated_at } = made.decided
      const detail = { owner: made.before.owner, updated_at, featured: story.featured_at !== null }
      return action === undefined ? undefined : auditOf(account, action, model_id, detail)
    })
    const { before, decided } = yield* purging(cache, logged, [storyTag(model_id), feedTag], purgedBy)
    const { game, model, name, owner } = before
    const { body, story, updated_at } = decided
    return { model, name, owner, game, body, state: decision.state, featured: story.featured_at !== null, updated_at }
  })
})

const makeStories = Effect.gen(function* () {
  const queries = yield* makeQueries
  const words = yield* Words

  const read = Effect.fn("Stories.read")(function* (model_id: string) {
    const story = yield* Effect.orDie(queries.published(model_id))
    return Option.isSome(story) ? story.value : yield* gone
  })

  const own = (model_id: string) => Effect.orDie(queries.latest(model_id))

  const write = Effect.fn("Stories.write")(function* (model_id: string, { body, submit = false }: WriteStory) {
    const listed = yield* words.listedIn(body)
    if (listed !== undefined) return yield* new StoryWordListed({ detail: `The story contains "${listed}", which is not allowed here.` })
    const now = yield* DateTime.nowAsDate
    yield* Effect.orDie(queries.write(model_id, body, submit ? "pending" : "draft", now))
    return yield* own(model_id)
  })

  const list = Effect.fn("Stories.list")(function* (shelf: Shelf, page: PageOf) {
    const { next_cursor, shown } = cutTo(page, yield* queries[shelf](oneMoreThan(page)))
    return { stories: shown, next_cursor }
  }, Effect.orDie)

  const has = (model_id: string) =>
    isUuid(model_id) ? Effect.map(Effect.orDie(queries.submitted(model_id)), Option.isSome) : Effect.succeed(false)

  return Stories.of({ read, own, write, list, has, decide: yield* makeDecide })
})
