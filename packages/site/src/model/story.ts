/**
 * The story of a model of the visitor's: a draft that is theirs alone, a text that waits for a moderator, and the one that everybody reads.
 */
import type { OwnStory } from "@agon/api/writing/Story.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { modelAt, myModelAt, myModelsAt, myStoryAt, withQuery } from "../html/links.ts"
import { markdown } from "../html/markdown.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { time } from "../html/words.ts"
import { done } from "../http/form/done.ts"
import { form } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { ifAny } from "../http/refuse.ts"

const back = (id: string, done: keyof typeof SENTENCES) => ({ to: withQuery(myStoryAt(id), { done }) })

const write = form({
  name: "write",
  fields: ["body", "hand_in"],
  codes: { story_word_listed: "body" },
  send: ({ client, params, typed }) => {
    const id = params["id"]!
    const submit = typed.one("hand_in") === "yes"
    return Effect.as(
      client.writing.writeStory({ params: { id }, payload: { body: typed.one("body"), submit } }),
      back(id, submit ? "handed" : "saved")
    )
  }
})

/** The text that waits becomes a draft again. */
const withdraw = form({
  name: "withdraw",
  fields: [],
  send: Effect.fnUntraced(function* ({ client, params }) {
    const id = params["id"]!
    const { body, state } = yield* client.writing.ownStory({ params: { id } })
    if (state === "pending") yield* client.writing.writeStory({ params: { id }, payload: { body, submit: false } })
    return back(id, "withdrawn")
  })
})

const SENTENCES = {
  saved: "The draft is saved. Nobody else reads it.",
  handed: "The story waits for a moderator.",
  withdrawn: "No text waits for a moderator any more."
}

const STATES: Readonly<Record<OwnStory["state"], string>> = {
  draft: "A draft that nobody else reads",
  pending: "Waits for a moderator",
  approved: "Approved: everybody reads it",
  rejected: "Rejected by a moderator: change it, and hand it in again"
}

/** `isPublic`: whether everybody reads a text, this or an earlier one. */
const standing = ({ featured, model, state, updated_at }: OwnStory, isPublic: boolean): Html => html`<dl>
<dt>State</dt><dd>${updated_at === null ? "Nothing is written yet" : html`${STATES[state]}, written ${time(updated_at)}`}</dd>
${isPublic && html`<dt>In public</dt><dd><a href="${modelAt(model)}#story">${state === "approved" ? "This text" : "The text that was approved last"}</a>${featured && ", featured in the news"}</dd>\n`}</dl>
`

export const myStory: PersonalRoute = {
  path: `${myModelsAt}/:id/story`,
  query: ["done"],
  forms: [write, withdraw],
  own: Effect.fnUntraced(function* ({ client, params, query, tried }) {
    const of = { params: { id: params["id"]! } }
    const [story, published] = yield* Effect.all([client.writing.ownStory(of), ifAny(client.writing.story(of))], {
      concurrency: "unbounded"
    })
    const { body, model, name, state } = story
    const { area, whole } = inputs(write, tried, { body })
    const main = html`<h1>The story of ${said(name)}</h1>
${myPagesNav(myModelsAt)}${done(tried, query["done"], SENTENCES)}<p>How it came about, for everybody who looks at it. <a href="${myModelAt(model)}">Back to the model</a></p>
${standing(story, published !== undefined)}${state === "pending" && inputs(withdraw, tried).whole(html``, "Take it back", "Take it back")}<h2>Write</h2>
${whole(
  html`${area("body", "Text", { hint: "Markdown, at most 20,000 characters. Everybody reads it once you have handed it in and a moderator has approved it; a text that was approved before stays until then." })}<button class="aside" name="hand_in" value="">Save as a draft</button> <button name="hand_in" value="yes">Hand in</button>
`,
  undefined,
  "Write"
)}${body !== "" && html`<h2>As it reads</h2>\n${markdown(body, 2)}`}`
    return { title: `The story of ${name}`, main }
  })
}
