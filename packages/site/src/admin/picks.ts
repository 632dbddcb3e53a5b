/** Matches that administrators recommend. */
import type { Pick } from "@agon/api/writing/picks.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { matchAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time, timeText } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { inputs } from "../http/form/inputs.ts"
import { ID_OR_ADDRESS, idIn } from "../http/form/pasted.ts"
import { given, platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"

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
