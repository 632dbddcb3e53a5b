/** The form that edits a season while it is scheduled: its dates, rules and classes. */
import { EditSeason } from "@agon/api/season/administration.ts"
import type { Season } from "@agon/api/season/Season.ts"
import type { Html } from "../html/Html.ts"
import { html } from "../html/Html.ts"
import { constraintsOf } from "../http/constraints.ts"
import type { Tried } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import { instantOf, localOf, seasonForm } from "./forms.ts"
import { CLASS_NAMES, RULE_FIELDS, ruleFields, ruleValues, typedClasses, typedRules } from "./rules.ts"

const FIELDS: ReadonlyArray<string> = ["submissions_open_at", "submissions_close_at", ...RULE_FIELDS, ...CLASS_NAMES]

export const edit = seasonForm("", {
  name: "edit",
  fields: FIELDS,
  send: ({ client, of, typed }) =>
    client.seasonEditing.editSeason({
      params: of,
      payload: {
        submissions_open_at: instantOf(typed.one("submissions_open_at")),
        submissions_close_at: instantOf(typed.one("submissions_close_at")),
        rules: typedRules(typed),
        weight_classes: typedClasses(typed)
      }
    })
})

const limits = constraintsOf(EditSeason)

export const editing = (season: Season, tried: Tried | undefined): Html | "" => {
  if (season.state !== "scheduled") return ""
  const fields = inputs<string>(edit, tried, {
    submissions_open_at: localOf(season.submissions_open_at),
    submissions_close_at: localOf(season.submissions_close_at),
    ...ruleValues(season)
  })
  const { text, whole } = fields
  const body = html`${text("submissions_open_at", "Takes models from, in UTC", { more: limits("submissions_open_at") })}${text("submissions_close_at", "Takes models until, in UTC", { more: limits("submissions_close_at") })}${ruleFields(fields)}`
  return html`<h2>Edit it</h2>
<p>Until the season takes models, its dates, rules and classes can be edited.</p>
<details${tried?.form === edit.name && html` open`}>
<summary>Dates, rules and classes</summary>
${whole(body, "Save", "Edit the season")}
</details>
`
}
