/** Platform administrators' writing, and their decisions on models' stories (docs/contract.md#moderation). */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NamedAnnouncement, NamedPost, NamedStory, PlatformAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound, Problem } from "../Problem.ts"
import { Slug, Uuid, withDefault } from "../Wire.ts"
import { Announcement, Announcements, PatchAnnouncement, WriteAnnouncement } from "./Announcement.ts"
import { PatchPost, Post, Posts, WritePost } from "./Post.ts"
import { DecideStory, Shelf, SubmittedStories, SubmittedStory } from "./Story.ts"

export class PostExists extends Problem<PostExists>()("post_exists", 409, "There is a post of this slug") {}
export class StoryChanged extends Problem<StoryChanged>()("story_changed", 409, "The story has been written anew") {}

const { query } = page
const announcement = { params: { id: Uuid }, success: Announcement, error: NotFound }
const post = { params: { slug: Slug }, success: Post, error: NotFound }

export class EditorialGroup extends HttpApiGroup.make("editorial")
  .add(
    /** Past and future ones included. */
    HttpApiEndpoint.get("allAnnouncements", "/v1/admin/announcements", { query, success: Announcements }),
    HttpApiEndpoint.post("announce", "/v1/admin/announcements", {
      payload: WriteAnnouncement,
      success: Announcement.pipe(HttpApiSchema.status(201))
    }).middleware(JsonBody),
    HttpApiEndpoint.patch("editAnnouncement", "/v1/admin/announcements/:id", { ...announcement, payload: PatchAnnouncement })
      .middleware(JsonBody)
      .middleware(NamedAnnouncement),
    HttpApiEndpoint.delete("removeAnnouncement", "/v1/admin/announcements/:id", announcement),
    HttpApiEndpoint.get("allPosts", "/v1/admin/posts", { query, success: Posts }),
    HttpApiEndpoint.post("addPost", "/v1/admin/posts", {
      payload: WritePost,
      success: Post.pipe(HttpApiSchema.status(201)),
      error: PostExists
    }).middleware(JsonBody),
    HttpApiEndpoint.patch("editPost", "/v1/admin/posts/:slug", { ...post, payload: PatchPost, error: [NotFound, PostExists] })
      .middleware(JsonBody)
      .middleware(NamedPost),
    HttpApiEndpoint.delete("removePost", "/v1/admin/posts/:slug", post),
    HttpApiEndpoint.get("submittedStories", "/v1/admin/stories", {
      query: { state: withDefault(Shelf, "pending"), ...query },
      success: SubmittedStories
    }),
    /** Refused where the text has been replaced since `updated_at`. */
    HttpApiEndpoint.patch("decideStory", "/v1/admin/stories/:model", {
      params: { model: Uuid },
      payload: DecideStory,
      success: SubmittedStory,
      error: [NotFound, StoryChanged]
    })
      .middleware(JsonBody)
      .middleware(NamedStory)
  )
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
