/** Posts of the site's blog as they are read and written (docs/contract.md#posts-and-the-feed). */
import { Schema } from "effect"
import { name, prose } from "../Name.ts"
import * as page from "../Page.ts"
import { AnyInstant, Instant, Slug } from "../Wire.ts"

const TITLE_MAX = 200
const BODY_MAX = 20_000

/** `author` is a username; the body is Markdown. A post that is not published yet is a draft. */
export const Post = Schema.Struct({
  slug: Schema.String,
  title: Schema.String,
  body: Schema.String,
  author: Schema.String,
  published_at: Schema.NullOr(Instant)
}).annotate({ identifier: "Post" })
export type Post = typeof Post.Type

export const PublishedPost = Schema.Struct({ ...Post.fields, published_at: Instant }).annotate({ identifier: "PublishedPost" })
export type PublishedPost = typeof PublishedPost.Type

/** Drafts included, newest first. */
export const Posts = page.listOf("Posts", "posts", Post)
export type Posts = typeof Posts.Type

const Title = name(TITLE_MAX)
const Body = prose(BODY_MAX)
/** A future time publishes the post then. */
const PublishedAt = Schema.optionalKey(Schema.NullOr(AnyInstant))

export const WritePost = Schema.Struct({ slug: Slug, title: Title, body: Body, published_at: PublishedAt }).annotate({
  identifier: "WritePost"
})
export type WritePost = typeof WritePost.Type

/** Keys left out keep their value. */
export const PatchPost = Schema.Struct({
  slug: Schema.optionalKey(Slug),
  title: Schema.optionalKey(Title),
  body: Schema.optionalKey(Body),
  published_at: PublishedAt
}).annotate({ identifier: "PatchPost" })
export type PatchPost = typeof PatchPost.Type
