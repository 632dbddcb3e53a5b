/**
 * Posts of the site's blog. One without a time of publication, or with a future one, is a draft: only administrators
 * can read it or learn that it exists. Every change is logged in its transaction.
 */
import type { SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Slug } from "@agon/api/Wire.ts"
import { PostExists } from "@agon/api/writing/editorial.ts"
import type { Posts as Page, PatchPost, Post, PublishedPost, WritePost } from "@agon/api/writing/Post.ts"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, makeAuditLog, nowhere } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { onUnique } from "../database/rows.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { changedFields, purging } from "./editing.ts"
import { makeQueries } from "./postQueries.ts"
import { feedTag, postTag } from "./tags.ts"

export class Posts extends Context.Service<
  Posts,
  {
    /** A post that is published by now. */
    readonly read: (slug: string) => Effect.Effect<PublishedPost, NotFound>
    readonly all: (page: PageOf) => Effect.Effect<Page>
    readonly add: (account: SignedIn, written: WritePost) => Effect.Effect<Post, PostExists>
    readonly edit: (account: SignedIn, slug: string, patch: PatchPost) => Effect.Effect<Post, NotFound | PostExists>
    /** Answers the removed post. */
    readonly remove: (account: SignedIn, slug: string) => Effect.Effect<Post, NotFound>
    /** Drafts included; false where `slug` is invalid. */
    readonly has: (slug: string) => Effect.Effect<boolean>
  }
>()("agon/Posts") {
  static readonly layer: Layer.Layer<Posts, never, SqlClient.SqlClient | ResponseCache> = Layer.effect(
    Posts,
    Effect.suspend(() => makePosts)
  )
}

const gone = new NotFound({ detail: "There is no such post." })
const taken = (slug: string) => onUnique("post_slug", () => new PostExists({ detail: `There is a post called ${slug}.` }))

/** The tags of answers that show a post, now or by itself later: the feed is cached until the next publication. */
const purgedBy = (...posts: ReadonlyArray<Post>): ReadonlyArray<string> =>
  posts.flatMap(({ published_at, slug }) => (published_at === null ? [] : [feedTag, postTag(slug)]))

const makeWrites = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const cache = yield* ResponseCache
  const queries = yield* makeQueries

  const add = Effect.fn("Posts.add")(function* (account: SignedIn, { body, published_at = null, slug, title }: WritePost) {
    const post: Post = { slug, title, body, author: account.username, published_at }
    const now = yield* DateTime.nowAsDate
    const insert = Effect.asVoid(queries.add(yield* newId, account.id, post, now)).pipe(taken(slug))
    const logged = auditLog.logged(nowhere, insert, () => auditOf(account, "post.add", slug, { title, published_at }))
    yield* purging(cache, logged, purgedBy(post))
    return post
  })

  const write = Effect.fnUntraced(function* (slug: string, patch: PatchPost) {
    const held = yield* queries.hold(slug)
    if (Option.isNone(held)) return yield* gone
    const before = held.value
    const post = { ...before, ...patch }
    const changed = changedFields(before, post)
    if (changed.length > 0) yield* Effect.asVoid(queries.edit(slug, post)).pipe(taken(post.slug))
    return { before, post, changed }
  })

  const edit = Effect.fn("Posts.edit")(function* (account: SignedIn, slug: string, patch: PatchPost) {
    const all = [feedTag, postTag(slug), postTag(patch.slug ?? slug)]
    const logged = auditLog.logged(nowhere, write(slug, patch), ({ changed, post: { published_at, slug: now, title } }) =>
      changed.length === 0 ? undefined : auditOf(account, "post.edit", slug, { title, published_at, changed, slug: now })
    )
    const { post } = yield* purging(cache, logged, all, ({ before, post }) => purgedBy(before, post))
    return post
  })

  const remove = Effect.fn("Posts.remove")(function* (account: SignedIn, slug: string) {
    const removal = Effect.flatMap(queries.remove(slug), Option.match({ onNone: () => Effect.fail(gone), onSome: Effect.succeed }))
    const logged = auditLog.logged(nowhere, removal, ({ title }) => auditOf(account, "post.remove", slug, { title }))
    return yield* purging(cache, logged, [feedTag, postTag(slug)], (post) => purgedBy(post))
  })

  return { add, edit, remove }
})

const makePosts = Effect.gen(function* () {
  const queries = yield* makeQueries

  const read = Effect.fn("Posts.read")(function* (slug: string) {
    const now = yield* DateTime.nowAsDate
    const post = yield* Effect.orDie(queries.published({ slug, now }))
    return Option.isSome(post) ? post.value : yield* gone
  })

  const all = Effect.fn("Posts.all")(function* ({ cursor, limit }: PageOf) {
    const posts = yield* queries.all({ limit, offset: cursor })
    const { total } = yield* queries.count(undefined)
    return { posts, total, next_cursor: nextCursor(cursor, posts.length, total) }
  }, Effect.orDie)

  const has = (slug: string) =>
    Schema.is(Slug)(slug) ? Effect.map(Effect.orDie(queries.bySlug(slug)), Option.isSome) : Effect.succeed(false)

  return Posts.of({ read, all, has, ...(yield* makeWrites) })
})
