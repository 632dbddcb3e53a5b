/** Models' stories that wait for a moderator, and those that are approved. */
import type { SubmittedStory } from "@agon/api/writing/Story.ts"
import { Effect } from "effect"
import { type Html, html, prose } from "../html/Html.ts"
import { link, modelAt, platformAdminAt, profileAt, withQuery } from "../html/links.ts"
import { time } from "../html/words.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import { given, platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"
import { sectionNav } from "./parts.ts"

/** Decides on the text that was shown: one that its owner has replaced since is refused. */
const decide = platformForm("stories", {
  name: "decide",
  fields: ["model", "updated_at", "state", "featured"],
  send: ({ client, typed }) =>
    client.editorial.decideStory({
      params: { model: typed.one("model") },
      payload: {
        state: typed.one("state") as "approved" | "rejected",
        updated_at: typed.one("updated_at"),
        ...given("featured", typed.one("featured"), (word) => word === "yes")
      }
    })
})

const story = ({ body, featured, model, name, owner, state, updated_at }: SubmittedStory): Html => {
  const to = (decision: "approved", featured: "yes" | "no" | "", text: string) =>
    button(decide, { model, updated_at, state: decision, featured }, text, `the story of ${name}`)
  return html`<article>
<h2>The story of ${link(modelAt(model), name)}</h2>
<p class="faint">${link(profileAt(owner), owner)}, ${time(updated_at)}${featured && ", featured"}</p>
${prose(body)}
<p>${state !== "approved" && to("approved", "", "Approve")}${!featured && to("approved", "yes", "Approve and feature")}${featured && to("approved", "no", "Feature no more")}</p>
${confirmedButton(decide, { model, updated_at, state: "rejected", featured: "" }, "Reject", `the story of ${name}`, "Its owner is told, and may hand in another text.")}
</article>
`
}

const SHELVES = [
  ["pending", "Waiting"],
  ["approved", "Approved"]
] as const

export const platformStories = platformAdminPage({
  part: "stories",
  query: ["state", "cursor"],
  buttons: [decide],
  render: Effect.fnUntraced(function* ({ client, links, page, query }) {
    const state = query["state"] === "approved" ? "approved" : "pending"
    const { next_cursor, stories } = yield* client.editorial.submittedStories({ query: { ...page, state } })
    return html`${sectionNav("Which stories", SHELVES, (state) => withQuery(platformAdminAt("stories"), { state }), state)}
${stories.length === 0 ? html`<p class="faint">There is none.</p>` : stories.map(story)}
${links(next_cursor)}`
  })
})
