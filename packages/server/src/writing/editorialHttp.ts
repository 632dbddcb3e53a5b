import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Announcements } from "./Announcements.ts"
import { Posts } from "./Posts.ts"
import { Stories } from "./Stories.ts"

export const EditorialHandlers = group(
  Api,
  "editorial",
  Effect.fnUntraced(function* (handlers) {
    const announcements = yield* Announcements
    const posts = yield* Posts
    const stories = yield* Stories
    return handlers.handleAll({
      allAnnouncements: ({ query }) => announcements.all(query),
      announce: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => announcements.add(account, payload)),
      editAnnouncement: ({ params, payload }) =>
        Effect.flatMap(CurrentAccount, (account) => announcements.edit(account, params.id, payload)),
      removeAnnouncement: ({ params }) => Effect.flatMap(CurrentAccount, (account) => announcements.remove(account, params.id)),
      allPosts: ({ query }) => posts.all(query),
      addPost: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => posts.add(account, payload)),
      editPost: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => posts.edit(account, params.slug, payload)),
      removePost: ({ params }) => Effect.flatMap(CurrentAccount, (account) => posts.remove(account, params.slug)),
      submittedStories: ({ query }) => stories.list(query.state, query),
      decideStory: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => stories.decide(account, params.model, payload))
    })
  })
)
