import { Api } from "@agon/api/Api.ts"
import { OwnModel } from "@agon/api/Authorization.ts"
import { tagged, trueUntil } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Announcements } from "./Announcements.ts"
import { Posts } from "./Posts.ts"
import { Stories } from "./Stories.ts"
import { StoryFeed } from "./StoryFeed.ts"
import { announcementsTag, feedTag, postTag, storyTag } from "./tags.ts"

export const WritingHandlers = group(
  Api,
  "writing",
  Effect.fnUntraced(function* (handlers) {
    const announcements = yield* Announcements
    const feeds = yield* StoryFeed
    const posts = yield* Posts
    const stories = yield* Stories
    return handlers.handleAll({
      announcements: Effect.fnUntraced(function* ({ query }) {
        yield* tagged(announcementsTag)
        const { changes_at, page } = yield* announcements.shown(query)
        yield* trueUntil(changes_at)
        return page
      }),
      feed: Effect.fnUntraced(function* ({ query }) {
        const { changes_at, feed } = yield* feeds.read(query)
        yield* trueUntil(changes_at)
        yield* tagged(feedTag, ...feed.items.flatMap((item) => (item.kind === "story" ? [storyTag(item.model)] : [])))
        return feed
      }),
      post: ({ params }) => Effect.andThen(tagged(postTag(params.slug)), posts.read(params.slug)),
      story: ({ params }) => Effect.andThen(tagged(storyTag(params.id)), stories.read(params.id)),
      writeStory: ({ payload }) => Effect.flatMap(OwnModel, ({ id }) => stories.write(id, payload)),
      ownStory: () => Effect.flatMap(OwnModel, ({ id }) => stories.own(id))
    })
  })
)
