/**
 * Stories that owners write about their models, and the feed (docs/contract.md#stories). An owner's
 * text is a draft until it is submitted and approved; the approved text stays until another is approved.
 */
import { Schema } from "effect"
import { readable } from "../Name.ts"
import * as page from "../Page.ts"
import { AnyInstant, Id, Instant, text } from "../Wire.ts"
import { PublishedPost } from "./Post.ts"

const BODY_MAX = 20_000

/** `model` is the model's id and `name` its name; the body is Markdown. */
const about = { model: Id, name: Schema.String, owner: Schema.String, game: Schema.String, body: Schema.String }

/** The latest text, as its owner sees it. A model without one has an empty draft, `updated_at` null. */
export const OwnStory = Schema.Struct({
  ...about,
  state: Schema.Literals(["draft", "pending", "approved", "rejected"]),
  featured: Schema.Boolean,
  updated_at: Schema.NullOr(Instant)
}).annotate({ identifier: "OwnStory" })
export type OwnStory = typeof OwnStory.Type

/** The approved text. */
export const Story = Schema.Struct({
  ...about,
  state: Schema.Literal("approved"),
  featured: Schema.Boolean,
  updated_at: Instant
}).annotate({ identifier: "Story" })
export type Story = typeof Story.Type

/**
 * A submitted text, as moderators see it. `updated_at` is when it was written, and
 * identifies it among the model's texts.
 */
export const SubmittedStory = Schema.Struct({
  ...about,
  state: Schema.Literals(["pending", "approved", "rejected"]),
  featured: Schema.Boolean,
  updated_at: Instant
}).annotate({ identifier: "SubmittedStory" })
export type SubmittedStory = typeof SubmittedStory.Type

/** Pending ones oldest first, approved ones newest first. */
export const SubmittedStories = Schema.Struct({ stories: Schema.Array(SubmittedStory), next_cursor: page.NextCursor }).annotate({
  identifier: "SubmittedStories"
})
export type SubmittedStories = typeof SubmittedStories.Type

/** `pending`: texts that wait for a moderator; `approved`: public texts. */
export const Shelf = Schema.Literals(["pending", "approved"])
export type Shelf = typeof Shelf.Type

const submitsSomething = Schema.makeFilter(({ body, submit }: { readonly body: string; readonly submit?: boolean }) =>
  submit === true && body.trim() === "" ? { path: ["body"], issue: "there is nothing to submit" } : undefined
)

/** With `submit` the text waits for a moderator; without it, it is a draft, even if another was waiting. */
export const WriteStory = Schema.Struct({ body: text(0, BODY_MAX).check(readable), submit: Schema.optionalKey(Schema.Boolean) })
  .check(submitsSomething)
  .annotate({ identifier: "WriteStory" })
export type WriteStory = typeof WriteStory.Type

const featuresApproved = Schema.makeFilter(({ featured, state }: { readonly featured?: boolean; readonly state: string }) =>
  featured === true && state === "rejected" ? { path: ["featured"], issue: "only what is approved is featured" } : undefined
)

/**
 * `updated_at` names the text, as it was listed; without it, the last submitted text is meant, or the approved one
 * while the owner has a draft. Without `featured` a featured story stays so.
 */
export const DecideStory = Schema.Struct({
  state: Schema.Literals(["approved", "rejected"]),
  featured: Schema.optionalKey(Schema.Boolean),
  updated_at: Schema.optionalKey(AnyInstant)
})
  .check(featuresApproved)
  .annotate({ identifier: "DecideStory" })
export type DecideStory = typeof DecideStory.Type

/** A story keeps the place where it was first featured, even if a newer text is approved. */
export const FeedItem = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("post"), ...PublishedPost.fields }),
  Schema.Struct({ kind: Schema.Literal("story"), ...Story.fields, published_at: Instant })
]).annotate({ identifier: "FeedItem" })
export type FeedItem = typeof FeedItem.Type

/** Newest first. */
export const Feed = Schema.Struct({ items: Schema.Array(FeedItem), next_cursor: page.NextCursor }).annotate({ identifier: "Feed" })
export type Feed = typeof Feed.Type
