/** Public writing: announcements, posts, and models' stories (docs/contract.md#community). */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ModelOwner } from "../Authorization.ts"
import { Cached, JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound, Problem } from "../Problem.ts"
import { Slug, Uuid } from "../Wire.ts"
import { Announcements } from "./Announcement.ts"
import { PublishedPost } from "./Post.ts"
import { Feed, OwnStory, Story, WriteStory } from "./Story.ts"

export class StoryWordListed extends Problem<StoryWordListed>()("story_word_listed", 422, "The story contains a listed word") {}

const { query } = page
const params = { id: Uuid }
const story = "/v1/models/:id/story"

export class WritingGroup extends HttpApiGroup.make("writing").add(
  /** The announcements shown now. */
  HttpApiEndpoint.get("announcements", "/v1/announcements", { query, success: Announcements }).middleware(Cached),
  /** Published posts and featured stories. */
  HttpApiEndpoint.get("feed", "/v1/stories", { query, success: Feed }).middleware(Cached),
  HttpApiEndpoint.get("post", "/v1/posts/:slug", { params: { slug: Slug }, success: PublishedPost, error: NotFound }).middleware(Cached),
  /** 404 where the model has no approved text, or does not exist. */
  HttpApiEndpoint.get("story", story, { params, success: Story, error: NotFound }).middleware(Cached),
  HttpApiEndpoint.put("writeStory", story, { params, payload: WriteStory, success: OwnStory, error: StoryWordListed })
    .middleware(JsonBody)
    .middleware(ModelOwner)
    .annotate(Rate, "write"),
  HttpApiEndpoint.get("ownStory", "/v1/me/models/:id/story", { params, success: OwnStory }).middleware(ModelOwner).annotate(Rate, "session")
) {}
