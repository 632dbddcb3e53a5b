/** Models' stories that wait for a moderator, and matches that administrators recommend. */
import type { Pick } from "@agon/api/writing/picks.ts"
import type { SubmittedStory } from "@agon/api/writing/Story.ts"
import { Effect } from "effect"
import { type Html, html, prose, said } from "../html/Html.ts"
import { link, matchAt, modelAt, platformAdminAt, profileAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time, timeText } from "../html/words.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import { inputs } from "../http/form/inputs.ts"
import { ID_OR_ADDRESS, idIn } from "../http/form/pasted.ts"
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

const pick = platformForm("picks", {
  name: "pick",
  fields: ["match", "note"],
  codes: { not_found: "match", pick_exists: "match", season_private: "match" },
  send: ({ client, typed }) =>
    Effect.flatMap(idIn("match", typed.one("match"), "match"), (match) =>
      client.pickAdmin.pick({ payload: { match, ...given("note", typed.one("note"), String) } })
    )
})

const unpick = platformForm("picks", {
  name: "unpick",
  fields: ["id"],
  send: ({ client, typed }) => client.pickAdmin.unpick({ params: { id: typed.one("id") } })
})

const pickRow = ({ id, match, note, picked_at }: Pick): Html => html`<tr>
<th scope="row"><a href="${matchAt(match)}">Match picked ${time(picked_at)}</a></th>
<td>${note !== null && said(note)}</td>
<td>${confirmedButton(unpick, { id }, "Take back", `the pick of ${timeText(picked_at)}`, "The match is recommended no more.")}</td>
</tr>
`

export const platformPicks = platformAdminPage({
  part: "picks",
  query: ["cursor"],
  forms: [pick],
  buttons: [unpick],
  render: Effect.fnUntraced(function* ({ client, links, page, tried }) {
    const { next_cursor, picks } = yield* client.pickAdmin.allPicks({ query: page })
    const { area, text, whole } = inputs(pick, tried)
    return html`${table("Picks, the newest first", ["Match", "Note", "Change"], picks.map(pickRow), "There is none.")}
${links(next_cursor)}
<h2>Pick a match</h2>
${whole(html`${text("match", "Match", { hint: "The address of its page, or its id.", more: ID_OR_ADDRESS })}${area("note", "Note", { hint: "Why it is worth watching; may be left out." })}`, "Pick", "Pick a match")}`
  })
})
