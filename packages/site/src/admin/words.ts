/** Words that notes, bios, comments and stories may not contain. */
import { AddWord, type Word } from "@agon/api/admin/Word.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { table } from "../html/table.ts"
import { time } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import { inputs } from "../http/form/inputs.ts"
import { platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"

const add = platformForm("words", {
  name: "add",
  fields: ["word"],
  send: ({ client, typed }) => client.platform.addWord({ payload: { word: typed.one("word") } })
})

const remove = platformForm("words", {
  name: "remove",
  fields: ["word"],
  send: ({ client, typed }) => client.platform.removeWord({ params: { word: typed.one("word") } })
})

const row = ({ added_at, word }: Word): Html => html`<tr>
<th scope="row">${said(word)}</th>
<td>${time(added_at)}</td>
<td>${confirmedButton(remove, { word }, "Remove", `the word ${word}`, "Texts may contain it again.")}</td>
</tr>
`

export const platformWords = platformAdminPage({
  part: "words",
  query: ["cursor"],
  forms: [add],
  buttons: [remove],
  render: Effect.fnUntraced(function* ({ links, client, page, tried }) {
    const { next_cursor, words } = yield* client.platform.words({ query: page })
    const { text, whole } = inputs(add, tried)
    return html`<p>No note, bio, comment or story may contain a word of this list, in whatever case, width and accents.</p>
${table("Words, in alphabetical order", ["Word", "Added", "Change"], words.map(row), "There is none.")}
${links(next_cursor)}
<h2>Add a word</h2>
${whole(text("word", "Word", { hint: "Letters and digits.", more: html`${constraintsOf(AddWord)("word")} autocomplete="off"` }), "Add", "Add a word")}`
  })
})
